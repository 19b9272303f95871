"""Proof of what a crowd of remote bots costs: time and memory, side by side with a few.

Memory is what the kernel counts for a process, of what is shared with others its share (PSS). How
many others there are changes that, so what a connection or a match adds is measured on the heap.
The bots are in the test's process, which is not counted.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from ladder.model.matches import MatchState
from ladder.model.settings import Deals, SameAuthor, Scheduling
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder, create
from ladder.storage.tables import matches
from ladder.submission.submit import submit
from referee.core.clock import ClockConfig
from referee.sandbox.program import Level
from tests.support import bare_server
from tests.support.bot_clients import BotClients
from tests.support.processes import (
    all_memory_mib,
    children,
    cpu_s,
    heap_mib,
    is_python_child,
    memory_mib,
)
from tests.support.remote_bots import HERE, Keys

MakeBot = Callable[..., Path]
Process = subprocess.Popen[str]
COMMAND = Path(sys.executable).with_name("ladder")
ROOT = Path(__file__).parents[4]
PATIENT = ClockConfig(decision_limit_ms=120_000, bank_ms=1_200_000)
SEATS = 4
DECISIONS_A_MATCH = 28
FEW, MANY = 10, 500
FEWEST = 300
"""A sample's crowd: more than sit at the 64 tables that play at once."""
LOOKS = 3
"""Where others keep the cores busy, hundreds join in one moment, and the heap keeps that peak."""
SECONDS_BETWEEN_LOOKS = 0.25
UNTIL_PLAYED = 0.8
"""Of the matches: then it is not looked any more, as processes come to their ends."""


@dataclass(frozen=True)
class Memory:
    """MiB of the processes that let remote bots play."""

    heap: float
    """The gateway's, without the files that it has mapped."""
    gateway: float
    all: float
    """With the ladder's own process and those of its workers."""

    @classmethod
    def of(cls, player: int, gateway: int) -> Self:
        """Measure the gateway's process, and the ladder's own with all that it has started."""
        return cls(heap_mib(gateway), memory_mib(gateway), all_memory_mib(player))

    def most(self, other: "Memory") -> "Memory":
        """Return the larger of each."""
        heap, gateway = max(self.heap, other.heap), max(self.gateway, other.gateway)
        return Memory(heap, gateway, max(self.all, other.all))


@dataclass(frozen=True)
class Load:
    """What a number of remote bots cost."""

    bots: int
    matches: int
    at_once: int
    """How many matches were under way at most."""
    cpu_ms: float
    """CPU time of the gateway's process for a match."""
    idle: Memory
    """With everybody there, before the first match."""
    busy: Memory
    """The most while they played."""

    def __str__(self) -> str:
        """Return it in a line."""
        return (
            f"{self.bots:>4} bots, {self.matches:>4} matches, up to {self.at_once:>2} at once: "
            f"{self.cpu_ms:4.1f} ms of CPU a match; MiB idle and at most: "
            f"gateway {self.idle.gateway:5.1f} {self.busy.gateway:5.1f}, "
            f"all {self.idle.all:5.1f} {self.busy.all:5.1f}"
        )


@pytest.mark.long
@pytest.mark.proof
def test_a_crowd_costs_no_more_a_match_than_a_few(
    tmp_path: Path, make_remote_bot: MakeBot, proof_cases: Callable[[int], int]
) -> None:
    """500 bots are there, 50 matches and more are played at once, and not one is lost.

    To be connected costs the gateway hardly more than it costs gRPC itself.
    """
    keys = Keys.made(tmp_path)
    few = load(tmp_path / "few", make_remote_bot, keys, FEW, proof_cases(300))
    crowd = max(FEWEST, proof_cases(MANY))
    more = crowd - FEW
    bare = kib_a_connection(bare_mib(keys, FEW), bare_mib(keys, crowd), more)
    for look in range(LOOKS):
        many = load(tmp_path / f"many{look}", make_remote_bot, keys, crowd, proof_cases(1000))
        ours = kib_a_connection(few.idle.heap, many.idle.heap, more)
        if ours <= 1.15 * bare:
            break
    rows = [f"\n{few}", f"{many}", *ratios(few, many)]
    print(*rows, sep="\n")  # noqa: T201 -- a measurement
    print(f"a connection: {ours:.0f} KiB at the gateway, {bare:.0f} at a bare server")  # noqa: T201

    assert many.at_once >= 50
    if crowd == MANY:  # a sample has too few matches to tell the CPU time of one
        assert many.cpu_ms <= 1.2 * few.cpu_ms
    assert many.busy.all / many.at_once <= 1.2 * few.busy.all / few.at_once
    assert under_way_mib(many) <= 1.2 * under_way_mib(few)
    assert ours <= 1.15 * bare


def ratios(few: Load, many: Load) -> Iterator[str]:
    """Return, for each way to read "memory for a match", how many times that of a few it is."""
    readings: dict[str, Callable[[Load], float]] = {
        "CPU for a match": lambda load: load.cpu_ms,
        "the gateway for each match under way": lambda load: load.busy.gateway / load.at_once,
        "all processes for each match under way": lambda load: load.busy.all / load.at_once,
        "what the gateway needs more while it plays, for each match": under_way_mib,
        "the gateway as a whole": lambda load: load.busy.gateway,
        "all processes as a whole": lambda load: load.busy.all,
    }
    for what, of in readings.items():
        yield f"{of(few):7.2f} {of(many):7.2f} {of(many) / of(few):6.2f} times: {what}"


def under_way_mib(load: Load) -> float:
    """Return what the gateway needs more than before it played, for each match under way."""
    return (load.busy.heap - load.idle.heap) / load.at_once


def kib_a_connection(few_mib: float, many_mib: float, more: int) -> float:
    """Return what each bot more adds."""
    return 1024 * (many_mib - few_mib) / more


def load(folder: Path, make_remote_bot: MakeBot, keys: Keys, bots: int, wanted: int) -> Load:
    """Let these bots play about `wanted` matches on a ladder of their own."""
    home = create(
        folder,
        game="courtisans",
        seats=SEATS,
        config={},
        clock=PATIENT,
        secret="a seed",
        sandbox=Level.TRUSTED,
        scheduler=Scheduling.BALANCED,
        deals=Deals.INDEPENDENT,
        same_author=SameAuthor.TOGETHER,
    )
    names = [f"bot-{number}" for number in range(bots)]
    rounds = max(1, round(wanted / -(-bots // SEATS)))
    with Ladder.open(home) as ladder:
        token = tokens.create(ladder, "eve")
        for name in names:
            submit(ladder, make_remote_bot(name), lambda _: None, author="eve")
        with running(home, keys, rounds) as (player, address):
            crowd = BotClients(address, keys.roots, dict.fromkeys(names, token))
            return played(ladder, player, crowd, enough=round(UNTIL_PLAYED * wanted))


@contextmanager
def running(home: Home, keys: Keys, rounds: int) -> Iterator[tuple[Process, str]]:
    """Run a ladder whose own process is held once its gateway is open; yield it and the address."""
    where = ("--ladder", home.path, "--remote", f"{HERE}:0", "--rounds", str(rounds))
    certificate = ("--tls-cert", keys.of_gate.chain, "--tls-key", keys.of_gate.key)
    command: list[str | Path] = [COMMAND, "run", "--workers", "1", *where, *certificate]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as player:
        try:
            assert player.stdout is not None
            said = player.stdout.readline()
            joined = re.match(r"Remote bots can join at (127\.0\.0\.1:\d+);", said)
            assert joined, said
            player.send_signal(signal.SIGSTOP)
            yield player, joined[1]
        finally:
            player.kill()


def played(ladder: Ladder, player: Process, crowd: BotClients, enough: int) -> Load:
    """Let a crowd gather, then the ladder play all, and measure what that costs."""
    with crowd:
        assert crowd.gathered.wait(300)
        gateway = max(filter(is_python_child, children(player.pid)), key=open_files)
        idle = busy = Memory.of(player.pid, gateway)
        began, worked, decided = cpu_s(gateway), 0.0, 0
        player.send_signal(signal.SIGCONT)
        while count(ladder, MatchState.DONE) < enough:
            with contextlib.suppress(subprocess.TimeoutExpired):
                player.wait(SECONDS_BETWEEN_LOOKS)
            with contextlib.suppress(OSError):  # the gateway has just ended: the last look counts
                busy = busy.most(Memory.of(player.pid, gateway))
                worked, decided = cpu_s(gateway) - began, crowd.answers.total()
        said, _ = player.communicate()
    assert player.returncode == 0, said
    planned = {state: count(ladder, state) for state in MatchState}
    done = planned.pop(MatchState.DONE)
    assert not any(planned.values()), "a match is lost"
    return Load(
        bots=len(crowd.answers),
        matches=done,
        at_once=crowd.most_at_once,
        cpu_ms=1000 * worked / decided * DECISIONS_A_MATCH,
        idle=idle,
        busy=busy,
    )


def open_files(pid: int) -> int:
    """Return how many files a process has open: the gateway has the bots' connections."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def count(ladder: Ladder, state: MatchState) -> int:
    """Return how many matches are in a state."""
    with ladder.database.read() as tx:
        return matches.count(tx, state)


def bare_mib(keys: Keys, bots: int) -> float:
    """Return the heap of a server that is nothing but gRPC's, with these bots connected."""
    certificate = (keys.of_gate.chain, keys.of_gate.key)
    command: list[str | Path] = [sys.executable, "-m", bare_server.__name__, *certificate]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        tokens_of = {f"bot-{number}": "any" for number in range(bots)}
        with BotClients(address, keys.roots, tokens_of) as crowd:
            assert crowd.gathered.wait(300)
            return heap_mib(server.pid)
