"""Hostile and broken bots as real processes, at each level that this machine offers.

Every attack is played out in a match: the others play on to the end, nothing is left of the
attacker, and whether it got what it wanted is what docs/security.md says of that level. Run as a
program, this prints the table that is there.
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from courtyard.v1 import record_pb2

from referee.core.clock import ClockConfig
from referee.core.faults import FaultKind
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec
from referee.match.verify import verify
from referee.sandbox.levels import STRONGEST_FIRST, offered, open_sandbox
from referee.sandbox.program import Level, Limits
from tests.support.lacking import need_level, need_proc
from tests.support.voids import counted

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
BOTS = ROOT / "tests" / "bots"
RANDOM = ROOT / "sample_bots" / "python" / "courtisans" / "random"
PATIENT = ClockConfig(
    startup_ms=120_000, decision_limit_ms=120_000, bank_ms=1_200_000, increment_ms=0
)
SHORT_START = replace(PATIENT, startup_ms=700)
SHORT_DECISIONS = replace(PATIENT, decision_limit_ms=300)
MIB = 1 << 20
MOST_GROWTH_BYTES = 64 * MIB
CONTAINED, NOT_CONTAINED = "contained", "not contained"


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to see after a match, when the attacker is stopped."""

    fault: FaultKind | None
    reason: str
    printed: str
    intact: bool
    """Nothing that is not the attacker's was changed, and no other process was killed."""
    left: int
    """How many of its processes are left."""

    def got(self) -> str:
        """What the attacker says that it got."""
        said = re.search(r"^\w+ got: (.*)$", self.printed, re.MULTILINE)
        return said.group(1) if said else ""

    def amount(self) -> int:
        """How much it says that it got, in MiB or processes; 0 if it came to no end."""
        number = re.match(r"\d+", self.got())
        return int(number.group()) if number else 0


Judge = Callable[[Seen], bool]


def forfeits(kind: FaultKind, *reasons: str) -> Judge:
    """An attack that is contained when its bot forfeits, for one of these reasons."""
    return lambda seen: seen.fault is kind and any(it in seen.reason for it in (reasons or ("",)))


def gets_nothing(seen: Seen) -> bool:
    """An attack that is contained when its bot plays on with nothing."""
    return seen.fault is None and seen.got() == "nothing"


def plays_on(seen: Seen) -> bool:
    """What does no harm: its bot plays to the end."""
    return seen.fault is None


def at_most(limit: int) -> Judge:
    """An attack that is contained when its bot gets no more than this, or is killed for it."""
    killed = forfeits(FaultKind.DISCONNECTED, " of memory that it may use", " that it may have")
    return lambda seen: killed(seen) or (seen.fault is None and 0 <= seen.amount() <= limit)


def ponders_little(seen: Seen) -> bool:
    """What it computed while another thought for 0.3 s, three times."""
    least = [int(number) for number in re.findall(r"pondered (\d+) ms", seen.printed)]
    return len(least) > 2 and least[2] < 100


def stays_stopped(seen: Seen) -> bool:
    """An attack that is contained when its bot is stopped again soon, or is killed for waking."""
    killed = forfeits(FaultKind.DISCONNECTED, "it did not stay stopped")
    ran = [int(slots) for slots in re.findall(r"ran in (\d+) slots", seen.printed)]
    return killed(seen) or (seen.fault is None and len(ran) > 2 and max(ran) < 10)


def is_not_left_with_it(seen: Seen) -> bool:
    """An attack that is contained when its bot never came to say that it held too much."""
    return all(int(held) <= 1024 for held in re.findall(r"held (\d+) MiB", seen.printed))


@dataclass(frozen=True, slots=True)
class Attack:
    """One row of the table."""

    what: str
    bot: str
    """The folder of its bot; the raider's with an argument after a colon."""
    contained: Judge
    clock: ClockConfig = PATIENT
    """One that runs out soon lets a busy machine fail others, too: beside it sits a stand-in."""
    opponent: Path = RANDOM


_TIMEOUT, _LOST = FaultKind.TIMEOUT, FaultKind.DISCONNECTED
_BROKEN, _ILLEGAL = FaultKind.PROTOCOL_ERROR, FaultKind.ILLEGAL_ACTION
_NO_START = FaultKind.FAILED_TO_START
ATTACKS = (
    Attack("never says Hello", "mute", forfeits(_NO_START), SHORT_START),
    Attack("exits before it says Hello", "exits", forfeits(_NO_START)),
    Attack("says Hello with a wrong token", "wrong_token", forfeits(_NO_START)),
    Attack("never answers", "sleeper", forfeits(_TIMEOUT), SHORT_DECISIONS),
    Attack("computes instead of answering", "raider:spin", forfeits(_TIMEOUT), SHORT_DECISIONS),
    Attack("crashes in the middle of a match", "crasher", forfeits(_LOST, "exited with status 3")),
    Attack("closes stdin", "raider:close_stdin", forfeits(_LOST)),
    Attack("closes all that it was given", "closer", plays_on),
    Attack("plays an illegal action", "liar", forfeits(_ILLEGAL)),
    Attack("sends what is no message", "garbage", forfeits(_BROKEN)),
    Attack("sends a message that is too large", "giant", forfeits(_BROKEN)),
    Attack("begins a message of 2 GiB", "raider:endless", forfeits(_BROKEN)),
    Attack("answers twice", "twice", forfeits(_BROKEN)),
    Attack("answers another match", "other_match", forfeits(_BROKEN)),
    Attack("floods the referee with messages", "raider:flood", forfeits(_BROKEN)),
    Attack("floods its own socket with streams", "dialler", at_most(16)),
    Attack("names header fields without an end", "referrer", plays_on),
    Attack("prints without an end", "raider:scribble", plays_on),
    Attack("ignores every signal", "raider:stop_listening", plays_on),
    Attack("leaves a daemon behind", "raider:daemon", plays_on),
    Attack("lays links for the process that cleans up", "raider:links", plays_on),
    Attack("starts 400 processes", "raider:forks", at_most(Limits().processes)),
    Attack("fills 1.4 GiB of memory", "raider:one_hog", at_most(1024)),
    Attack("fills 1.5 GiB in six processes", "raider:many_hogs", at_most(1024)),
    Attack("fills 300 MiB that no process owns", "raider:hidden_memory", at_most(64)),
    Attack("fills 120 MiB beside what files hold", "raider:attributes", at_most(64)),
    Attack("fills 1.2 GiB in sockets of its own", "raider:sockets", at_most(1024)),
    Attack("writes 200 MiB to the disk", "raider:disk", at_most(64)),
    Attack("computes while others think", "raider:ponder", ponders_little, opponent=BOTS / "slow"),
    Attack("wakes itself by a timer", "raider:timer", stays_stopped, opponent=BOTS / "slow"),
    Attack("is woken by a death", "raider:deaths", stays_stopped, opponent=BOTS / "slow"),
    Attack("grows while it is stopped", "raider:grow", is_not_left_with_it, opponent=BOTS / "slow"),
    Attack("sees others' arguments", "raider:arguments", gets_nothing),
    Attack("reads the referee's environment", "raider:environment", gets_nothing),
    Attack("reads another process's memory", "raider:memory", gets_nothing),
    Attack("takes the first process over", "raider:first", gets_nothing),
    Attack("takes another process over (ptrace)", "raider:ptrace", gets_nothing),
    Attack("kills another process", "raider:kill", gets_nothing),
    Attack("reads others' files", "raider:files", gets_nothing),
    Attack("writes outside of its folders", "raider:write", gets_nothing),
    Attack("changes its own program", "raider:own_files", gets_nothing),
    Attack("reads another seat's token", "raider:token", gets_nothing),
    Attack("dials another seat's socket", "raider:dial", gets_nothing),
    Attack("plays on another's seat with its token", "raider:replay", gets_nothing),
    Attack("reaches a server by TCP", "raider:tcp", gets_nothing),
    Attack("sends a datagram", "raider:udp", gets_nothing),
    Attack("reaches an abstract socket", "raider:abstract", gets_nothing),
    Attack("makes a user namespace", "raider:namespace", gets_nothing),
)
BY_THE_MACHINE = {
    *("raider:ptrace", "raider:namespace", "raider:memory", "raider:first"),
    "raider:attributes",
}
"""What some machines refuse everybody, also at `trusted`."""
BY_CHANCE = {"raider:deaths"}
"""What is stopped in time at `trusted`, or is not."""
BY_WATCHDOG = {"raider:grow", "raider:ponder"}
"""What only the referee's looks and signals hold below strict+cg: a busy one may once be late."""


class Scene:
    """Matches at one level, beside things that attackers may find."""

    def __init__(self, level: Level, folder: Path) -> None:
        """Lay out what there is to be attacked in this folder."""
        self.level = level
        self._secret = secrets.token_hex(16)
        self._canaries = folder / "canaries"
        self._canaries.mkdir()
        (self._canaries / "file").write_text(self._secret)
        self._raider = folder / "raider"
        shutil.copytree(BOTS / "raider", self._raider)
        self._raider.chmod(0o755)
        self._stack = ExitStack()
        self._victim = self._new_victim()
        self._host = Host(sandbox=open_sandbox(level), warm_bots=1)
        self._stack.callback(self._host.close)
        self._servers = self._serve()

    def _new_victim(self) -> "subprocess.Popen[bytes]":
        """Start a process of the referee's user, which an attacker may find."""
        command = [sys.executable, "-c", "import signal; signal.pause()", self._secret]
        victim = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._stack.enter_context(victim)
        self._stack.callback(victim.kill)
        return victim

    def _serve(self) -> dict[str, object]:
        """Open what an attacker may reach; return where it is."""
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        abstract = socket.socket(socket.AF_UNIX)
        for server in (tcp, udp, abstract):
            self._stack.enter_context(server)
        udp.bind(("127.0.0.1", 0))
        name = f"courtyard-{secrets.token_hex(8)}"
        abstract.bind(f"\0{name}")
        abstract.listen()
        return {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "abstract": name}

    def _aim(self) -> None:
        """Tell the raider where everything is."""
        targets = {
            **self._servers,
            "secret": self._secret,
            "referee": os.getpid(),
            "victim": self._victim.pid,
            "file": str(self._canaries / "file"),
            "folder": str(self._canaries),
            "places": str(self._host._folder),
        }
        (self._raider / "targets.json").write_text(json.dumps(targets))

    def close(self) -> None:
        """End all of it."""
        self._stack.close()

    def play(self, attack: Attack) -> Seen:
        """Play a match with an attacker on the first seat, and stop it."""
        mark = f"mark-{secrets.token_hex(8)}"
        self._aim()
        attacker = self._attacker(attack, mark)
        opponent = _entrant(attack.opponent) if attack.clock is PATIENT else None
        before = _start_of_peak()
        seats = (attacker, opponent)
        # With a deal of its own for each attack: whom it has not harmed plays on in the next match.
        spec = MatchSpec("m", "courtisans", seats, attack.what, clock=attack.clock, patient=False)
        record = self._host.play(spec)
        assert _peak() - before < MOST_GROWTH_BYTES, "the referee has grown"
        assert record.sandbox == self.level.value
        _check_the_others(record, stand_in=opponent is None)
        return Seen(
            *_fault(record),
            printed=self._host.printed.get(0, ""),
            intact=self._is_intact(),
            left=len(_marked(mark)),
        )

    def _attacker(self, attack: Attack, mark: str) -> BotSpec:
        folder, _, how = attack.bot.partition(":")
        attacker = _entrant(self._raider if folder == "raider" else BOTS / folder)
        more = (how, mark) if how else (mark,)
        return replace(attacker, command=(*attacker.command[:2], *more))

    def _is_intact(self) -> bool:
        """Tell whether all is as it was, and make it so again."""
        files = {path.name: path.read_text() for path in self._canaries.iterdir()}
        own = self._raider / "from-the-raider"
        intact = (
            files == {"file": self._secret} and self._victim.poll() is None and not own.exists()
        )
        for path in (own, *(self._canaries / name for name in files.keys() - {"file"})):
            path.unlink(missing_ok=True)
        if self._victim.poll() is not None:
            self._victim = self._new_victim()
        return intact


def _entrant(folder: Path) -> BotSpec:
    manifest = load_manifest(folder)
    return BotSpec(
        manifest.name, manifest.directory, manifest.command, transport=manifest.transport
    )


def _fault(record: record_pb2.Record) -> tuple[FaultKind | None, str]:
    for decision in record.decisions:
        if decision.HasField("fault"):
            assert decision.seat == 0
            return FaultKind(decision.fault.kind), decision.fault.reason
    return None, ""


def _check_the_others(record: record_pb2.Record, *, stand_in: bool) -> None:
    """The match has its end, and the others have played all of it themselves."""
    assert verify(record) == []
    assert len(record.outcomes) == 2
    assert not record.outcomes[1].forfeit
    assert all(decision.stand_in is stand_in for decision in record.decisions if decision.seat == 1)


def _marked(mark: str) -> list[str]:
    """All living processes that have this among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark in path.read_text(errors="replace"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def _start_of_peak() -> int:
    """Forget the most memory that this process has had; return what it has now, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak()


def _peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1)) * 1024  # type: ignore[union-attr]


def verdict(scene: Scene, attack: Attack) -> str:
    """What a match with this attack has shown."""
    seen = counted(lambda: scene.play(attack))
    print(f"{scene.level}, {attack.what}: {seen}", file=sys.stderr)  # noqa: T201 -- for who looks
    contained = attack.contained(seen) and seen.intact and seen.left == 0
    return CONTAINED if contained else NOT_CONTAINED


# The tests


@pytest.fixture(scope="module", params=STRONGEST_FIRST)
def scene(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Scene]:
    """Each level in turn."""
    need_proc()
    need_level(request.param)
    made = Scene(request.param, tmp_path_factory.mktemp("scene"))
    try:
        yield made
    finally:
        made.close()


def documented() -> dict[str, dict[str, str]]:
    """The table of the page: for each attack, what is said of each level."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if "|" in line]
    table = [row for row in rows if row[1:] and set(row[1:]) <= {CONTAINED, NOT_CONTAINED}]
    return {row[0]: dict(zip(STRONGEST_FIRST, row[1:], strict=True)) for row in table}


def test_the_page_names_every_attack() -> None:
    """And none beside."""
    assert list(documented()) == [attack.what for attack in ATTACKS]


@pytest.mark.sweep
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.what)
def test_an_attack_is_contained_where_the_page_says_so(scene: Scene, attack: Attack) -> None:
    """And not where it says not: what is promised is what is seen."""
    promised = documented()[attack.what][scene.level]
    seen = verdict(scene, attack)
    if seen != promised and attack.bot in BY_WATCHDOG and scene.level is not Level.STRICT_CG:
        seen = verdict(scene, attack)

    assert seen == promised or (seen == CONTAINED and attack.bot in BY_THE_MACHINE | BY_CHANCE)


def main() -> None:
    """Print the table for this machine."""
    rows = [["attack", *offered()], ["---"] * (1 + len(offered()))]
    columns = []
    for level in offered():
        with tempfile.TemporaryDirectory() as folder, closing(Scene(level, Path(folder))) as made:
            columns.append([verdict(made, attack) for attack in ATTACKS])
    rows += [[attack.what, *row] for attack, *row in zip(ATTACKS, *columns, strict=True)]
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    main()
