"""Bots stopped while others think: this ends no stream, and a lost one is excused."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from courtyard.v1 import record_pb2
from h2.events import Event, PingAckReceived

import referee.hosting.running_bot
import referee.transports.grpc
from referee.core.clock import ClockConfig
from referee.core.errors import RefereeError
from referee.core.faults import ENDED_STREAM, FaultKind
from referee.core.verdicts import Came, Facts
from referee.hosting import match_runner
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.match import Match
from referee.match.verify import verify
from referee.sandbox.levels import offered, open_sandbox
from referee.sandbox.meter.process_tree import cpu_ns
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level
from referee.transports.seat_client import SeatClient
from tests.support.lacking import need_proc
from tests.support.processes import is_stopped
from tests.support.waiting import until

Play = Callable[..., record_pb2.Record]
LONG_S = 0.3
"""A long stop here; elsewhere it takes seconds."""
THOUGHT_S = 0.9
PING_S = 1.0
"""How long a stream lasts without answers on a bad machine."""
PLAYED_AGAIN = 5
LOST = "the bot's stream was lost after it was stopped for "


@pytest.fixture
def short_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shorter stop suffice for a lost stream."""
    monkeypatch.setattr(referee.hosting.running_bot, "SECONDS_UNTIL_LOST", LONG_S)


@pytest.fixture
def bad_machine(short_stops: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let streams be lost: by a ping that a stopped bot does not answer."""
    monkeypatch.setattr(referee.transports.grpc, "SeatClient", ImpatientClient)


class ImpatientClient(SeatClient):
    """A connection that pings its bot all the time, and ends for lack of an answer."""

    def __init__(self, *given: Any) -> None:
        """Begin to ping."""
        super().__init__(*given)
        self.ping()

    def ping(self) -> None:
        """Ask for an answer in time."""
        if not self._is_over:
            self.h2.ping(bytes(8))
            self.flush()
            self.patience = self._loop.call_later(PING_S, self.end)

    def _handle(self, event: Event) -> None:
        if isinstance(event, PingAckReceived):
            self.patience.cancel()
            self._loop.call_later(0.05, self.ping)
        super()._handle(event)


@pytest.fixture
def host() -> Iterator[Host]:
    """A test's own host: its excuses do not affect others."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as own:
        yield own


def thinks(bots: Path, seconds: float) -> BotSpec:
    """A bot that thinks so long; it uses pipes, so it loses no stream."""
    command = ("python3", "bot.py", str(seconds))
    return BotSpec("thinker", bots / "thinker", command, transport="stdio")


@pytest.fixture
def thinker(bots: Path) -> BotSpec:
    """A bot that thinks longer than a long stop."""
    return thinks(bots, THOUGHT_S)


@pytest.fixture
def long_thinker(bots: Path) -> BotSpec:
    """A bot that thinks longer than a stopped bot's stream lasts on a bad machine."""
    return thinks(bots, PING_S + 0.5)


@pytest.fixture
def own_client(bots: Path) -> Callable[..., BotSpec]:
    """A bot with its own gRPC client; it ends its stream on demand."""

    def make(*when: object) -> BotSpec:
        command = ("python3", "bot.py", *map(str, when))
        return BotSpec("own_client", bots / "own_client", command)

    return make


@pytest.fixture
def play(patient: ClockConfig, new_match: Callable[..., Match]) -> Play:
    """Play a match of these bots, each with a new seed; the thinker, if any, is last."""
    numbers = count()

    def match(host: Host, *table: BotSpec | None, patient_with: bool = True) -> record_pb2.Record:
        last = len(table) - 1
        seeds = (f"seed {number}" for number in numbers)
        seed = next(s for s in seeds if new_match(last + 1, s).state.to_act != last)
        return host.play(
            MatchSpec(seed, "courtisans", table, seed, clock=patient, patient=patient_with)
        )

    return match


def forfeits(record: record_pb2.Record) -> dict[int, tuple[FaultKind, str]]:
    """Each seat's forfeit."""
    return {
        decision.seat: (FaultKind(decision.fault.kind), decision.fault.reason)
        for decision in record.decisions
        if decision.HasField("fault")
    }


@pytest.mark.costly
def test_a_stream_that_is_lost_during_a_stop_makes_the_match_void(
    bad_machine: None,
    play: Play,
    host: Host,
    long_thinker: BotSpec,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
) -> None:
    """The machine has ended it, so no bot forfeits, and the error names the stop."""
    with pytest.raises(RefereeError, match=r"^seat 1, random: " + LOST):
        play(host, None, entrant(random_bot), long_thinker)


@pytest.mark.costly
def test_who_plays_a_match_again_is_not_patient_forever(
    bad_machine: None,
    play: Play,
    host: Host,
    long_thinker: BotSpec,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
) -> None:
    """The last attempt ends; its record says that the stream was lost, and is whole."""
    record = play(host, None, entrant(random_bot), long_thinker, patient_with=False)

    ((seat, (kind, reason)),) = forfeits(record).items()
    assert (seat, kind) == (1, FaultKind.DISCONNECTED)
    assert reason.startswith(LOST)
    assert verify(record) == []


@pytest.mark.costly
def test_a_stream_that_is_lost_between_matches_costs_nothing(
    bad_machine: None,
    play: Play,
    long_thinker: BotSpec,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
    processes: Callable[[Host], set[int]],
) -> None:
    """A warm bot owes no answer while others play: another process replaces it."""
    with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
        play(host, entrant(random_bot), None)
        first = processes(host)
        play(host, None, long_thinker)
        record = play(host, entrant(random_bot), None)

        assert forfeits(record) == {}
        assert len(first) == len(processes(host)) == 1
        assert processes(host).isdisjoint(first)


@pytest.mark.sweep
@pytest.mark.parametrize("milliseconds", [0, 15])
def test_a_bot_that_ends_its_stream_before_it_is_stopped_forfeits(
    short_stops: None,
    play: Play,
    host: Host,
    thinker: BotSpec,
    own_client: Callable[..., BotSpec],
    milliseconds: int,
) -> None:
    """The bot forfeits, however short before, though its process lives on: this is no loss.

    A busy machine may stop the bot before that; then it is tried again.
    """
    for _ in range(PLAYED_AGAIN):
        with suppress(RefereeError):
            record = play(host, None, own_client("soon", milliseconds), thinker)
            kind, reason = forfeits(record)[1]
            assert kind is FaultKind.DISCONNECTED
            if reason.startswith(ENDED_STREAM):
                return
    pytest.fail("the bot was never blamed for what it did")


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("when", [("awake",), ("hidden", 600)], ids=["itself", "by a child"])
def test_a_bot_that_ends_its_stream_after_a_stop_gains_nothing(
    short_stops: None,
    play: Play,
    host: Host,
    thinker: BotSpec,
    own_client: Callable[..., BotSpec],
    when: tuple[object, ...],
) -> None:
    """Ending the stream looks like a loss, and is excused once: then the bot forfeits.

    A hidden child is stopped too, and so can end the stream no sooner. On a busy machine it may
    not get to that before the match is over; then it is tried again.
    """
    kinds: list[FaultKind | None] = []
    for _ in range(3 + PLAYED_AGAIN):
        if len(kinds) == 3:
            break
        with suppress(RefereeError):
            found = forfeits(play(host, None, own_client(*when), thinker))
            kinds += [kind for kind, _ in found.values()]
            continue
        kinds.append(None)

    assert len(kinds) == 3
    assert kinds.count(FaultKind.DISCONNECTED) >= 2
    assert kinds.count(None) <= 1


@pytest.mark.costly
def test_a_process_that_ends_while_it_is_stopped_is_not_excused(
    short_stops: None,
    play: Play,
    host: Host,
    thinker: BotSpec,
    own_client: Callable[..., BotSpec],
    processes: Callable[[Host], set[int]],
) -> None:
    """A dead process ends its stream, however long the stop: it could have timed it."""
    killer = Thread(target=kill_once_stopped, args=(host, processes))
    killer.start()
    record = play(host, None, own_client("never"), thinker)
    killer.join()

    kind, reason = forfeits(record)[1]
    assert kind is FaultKind.DISCONNECTED
    assert "its process was ended by SIGKILL" in reason


def kill_once_stopped(host: Host, processes: Callable[[Host], set[int]]) -> None:
    """Kill a host's first stopped bot."""
    stopped = until(lambda: list(filter(is_stopped, processes(host))))
    os.kill(stopped[0], signal.SIGKILL)


def test_a_bot_voids_one_match_per_number_finished(
    monkeypatch: pytest.MonkeyPatch,
    play: Play,
    host: Host,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
) -> None:
    """Only finished matches bring another excuse, and another bot has its own."""
    monkeypatch.setattr(match_runner, "MATCHES_PER_VOID", 1)
    bot = entrant(random_bot)
    spec = MatchSpec("m", "courtisans", (bot, replace(bot, name="bob")), "a seed")

    def is_void(seat: int) -> bool:
        try:
            host._match_runner._judge(spec, seat, Facts(Came.LOSS), "lost")
        except RefereeError:
            return True
        return False

    assert [is_void(0), is_void(0), is_void(1), is_void(1)] == [True, False, True, False]
    play(host, bot, None)
    assert [is_void(0), is_void(1)] == [True, False]


@pytest.mark.costly
@pytest.mark.parametrize("level", offered())
def test_no_bot_forfeits_for_a_stop(
    short_stops: None,
    play: Play,
    thinker: BotSpec,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
    own_client: Callable[..., BotSpec],
    level: Level,
) -> None:
    """A stop voids no match either: the kit's stream lasts, as does gRPC's by default."""
    with Host(sandbox=open_sandbox(level)) as host:
        record = play(host, entrant(random_bot), own_client("never"), thinker)

    assert forfeits(record) == {}
    assert verify(record) == []


@pytest.mark.costly
@pytest.mark.parametrize("level", offered())
def test_a_bot_that_waits_for_a_match_is_stopped(
    play: Play, bots: Path, tmp_path: Path, level: Level
) -> None:
    """A bot that computes endlessly stands still between matches, and plays the next."""
    folder = tmp_path / "raider"
    shutil.copytree(bots / "raider", folder)
    (folder / "targets.json").write_text("{}")
    mark = f"mark-{os.urandom(8).hex()}"
    ponderer = BotSpec("raider", folder, ("python3", "bot.py", "ponder", mark), transport="stdio")
    with Host(sandbox=open_sandbox(level)) as host:
        play(host, ponderer, None)
        pids = marked(mark)
        assert len(pids) > 1
        assert any(computed(pids) == 0 for _ in range(20))
        record = play(host, ponderer, None)
        assert pids <= marked(mark)

    assert forfeits(record) == {}


def marked(mark: str) -> set[int]:
    """All living processes with this among their arguments."""
    need_proc()
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark in path.read_text(errors="replace"):
                found.add(int(path.parent.name))
    return found


def computed(pids: set[int]) -> int:
    """These processes' CPU time in nanoseconds while this one uses a few."""
    before = sum(map(cpu_ns, pids))
    spend(0.05)
    return sum(map(cpu_ns, pids)) - before


def spend(seconds: float) -> None:
    """Use so much CPU time: other runnable processes get some too."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def test_time_that_is_used_out_of_turn_is_charged(
    monkeypatch: pytest.MonkeyPatch,
    play: Play,
    host: Host,
    random_bot: Path,
    entrant: Callable[[Path], BotSpec],
) -> None:
    """The time counts with the next answer, as thought."""
    thaw = BotProcess.thaw
    monkeypatch.setattr(BotProcess, "thaw", lambda process: thaw(process) + 100_000_000)
    record = play(host, entrant(random_bot), None)

    charged = [it.elapsed_us for it in record.decisions if it.seat == 0]
    assert min(charged) >= 100_000_000


@pytest.mark.proof
def test_a_bot_that_pings_keeps_its_stream(
    play: Play, host: Host, own_client: Callable[..., BotSpec]
) -> None:
    """The stream lasts while its bot thinks or is stopped: keep-alives are not counted."""
    record = play(host, own_client("pings", 12_000), own_client("pings", 12_000), None)

    assert forfeits(record) == {}
