"""A paused referee: no bot pays for it, and none gains."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop
from courtyard.v1 import record_pb2

from referee.core.faults import FaultKind
from referee.core.verdicts import Pause
from referee.match.record import load_record
from referee.match.verify import verify
from referee.sandbox.freeze.pauses import LEAST_NS, Pauses
from tests.support.lacking import need_linux, need_proc, need_watching

BOTS = Path(__file__).parents[2] / "bots"
LIMIT_MS = 1_000
PAUSE_S = 2.0
"""Each pause's length."""
PLAY = """
import os
import sys
from pathlib import Path
from referee.match import decision_timing
from referee.hosting.running_bot import BotSpec
from referee.core.clock import ClockConfig
from referee.core.errors import PausedError
from referee.hosting.host import Host
from referee.hosting.match_runner import MatchSpec
from referee.match.record import save_record
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # as a ladder's worker does
folder, what, limit, startup, transport, file, *pressure = sys.argv[1:]
if pressure:
    decision_timing.PRESSURE = Path(*pressure)
bot = BotSpec("pauser", Path(folder), ("python3", "bot.py", what), transport=transport)
clock = ClockConfig(int(startup), int(limit), 600_000, 0)
with Host(sandbox=open_sandbox(Level.TRUSTED)) as host:
    spec = MatchSpec("m", "courtisans", (bot, None), "a seed", clock=clock, patient=False)
    try:
        save_record(host.play(spec), Path(file))
    except PausedError as error:
        print(error)
"""


CHECK = """
import asyncio
import sys
from pathlib import Path
from referee.hosting.running_bot import BotSpec
from referee.conformance.check.run import results
from referee.conformance.check.subject import CheckedBot
from referee.conformance.check.steps import steps
from referee.core.clock import ClockConfig
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

folder, what, limit, startup, transport, place = sys.argv[1:]
bot = BotSpec("pauser", Path(folder), ("python3", "bot.py", what), transport=transport)
clock = ClockConfig(int(startup), int(limit), 600_000, 0)
subject = CheckedBot(bot, ["courtisans"], clock, open_sandbox(Level.TRUSTED), Path(place))

async def check():
    wanted = [step for step in steps(subject) if step.title == "plays courtisans with 2 seats"]
    async for result in results(subject, wanted):
        print(result.verdict, result.violation)
    await subject.stop()

asyncio.run(check())
"""


BUILD = """
import os
import sys
from pathlib import Path
from referee.hosting.build import Bounds, build
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

folder, step, seconds = sys.argv[1:]
steps = [("sh", "-c", step.replace("REFEREE", str(os.getpid())))]
sandbox = open_sandbox(Level.TRUSTED)
built = build(
    steps, Path(folder), sandbox, network=False, on_command=lambda _: None,
    bounds=Bounds(seconds=float(seconds)),
)
print(built.failure or "built")
"""


def play(
    tmp_path: Path,
    what: str,
    *,
    startup_ms: int = 60_000,
    transport: str = "grpc",
    pressure: Path | None = None,
) -> record_pb2.Record | str:
    """Play a match in a process that the bot stops for a while; return its record, or why not.

    The kernel reports pressure by the files in a folder, if given.
    """
    file = tmp_path / "record.json"
    how = (LIMIT_MS, startup_ms, transport, file, *([pressure] if pressure else []))
    told = paused(PLAY, BOTS / "pauser", what, *how)
    return load_record(file) if file.exists() else told


def paused(
    program: str, folder: Path, what: str, *arguments: object, seconds: float = PAUSE_S
) -> str:
    """Run a program, and resume it a while after each stop; return its output."""
    need_proc()  # in which the bot finds the referee
    referee = subprocess.Popen(
        [sys.executable, "-c", program, folder, what, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )
    while True:
        _, status = os.waitpid(referee.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        if what != "spin":  # this one resumes it itself
            time.sleep(seconds)
            os.kill(referee.pid, signal.SIGCONT)
    told, _ = referee.communicate()
    return told


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("transport", ["grpc", "stdio"])
def test_who_answered_while_the_referee_was_paused_was_in_time(
    tmp_path: Path, transport: str
) -> None:
    """The pause exceeds the bot's limit; the record has it, and no bot is charged."""
    record = play(tmp_path, "answer", transport=transport)

    assert isinstance(record, record_pb2.Record)
    assert not any(outcome.forfeit for outcome in record.outcomes)
    assert max(record.pauses_us) > 1000 * LIMIT_MS
    paused = [one for one in record.decisions if one.wall_us > 1000 * LIMIT_MS]
    assert paused  # one, and on a busy machine others
    assert all(one.elapsed_us <= 1000 * LIMIT_MS for one in paused)
    assert verify(record) == []


@pytest.mark.sweep
@pytest.mark.parametrize("what", ["sleep", "exit"])
def test_no_bot_is_blamed_for_what_a_pause_may_have_caused(tmp_path: Path, what: str) -> None:
    """The match is void, even without patience, and the reason mentions the pause."""
    told = play(tmp_path, what)

    if isinstance(told, record_pb2.Record):
        faults = [(i, d.fault.reason) for i, d in enumerate(told.decisions) if d.fault.reason]
        pytest.fail(f"a bot forfeited: {faults}, pauses of {told.pauses_us} µs")
    assert told.startswith("the referee was paused for ")
    assert "seat 0, pauser: " in told


@pytest.mark.costly
def test_who_worked_for_too_long_while_the_referee_was_paused_forfeits(tmp_path: Path) -> None:
    """The referee knows the CPU time of the bot's process, and that it had one core."""
    need_linux()
    record = play(tmp_path, "spin")

    if isinstance(record, str):
        pytest.fail(f"it worked for more than a second of {LIMIT_MS} ms: {record}")
    assert [FaultKind(one.forfeit) for one in record.outcomes if one.forfeit] == [FaultKind.TIMEOUT]


@pytest.mark.costly
def test_who_says_hello_while_the_referee_is_paused_has_started(tmp_path: Path) -> None:
    """The pause may even exceed the start-up time."""
    record = play(tmp_path, "start", startup_ms=20_000)

    assert isinstance(record, record_pb2.Record)
    assert not any(outcome.forfeit for outcome in record.outcomes)


@pytest.mark.costly
def test_who_says_no_hello_beside_a_pause_is_not_blamed(tmp_path: Path) -> None:
    """The match is void."""
    told = play(tmp_path, "mute", startup_ms=3_000)

    assert isinstance(told, str)
    assert "; seat 0, pauser: no Hello within 3000 ms" in told


@pytest.fixture
def pressure(tmp_path: Path) -> Callable[[float], Path]:
    """Make the kernel's files that report scarce memory, in percent of the time."""

    def make(percent: float) -> Path:
        folder = tmp_path / "pressure"
        folder.mkdir()
        (folder / "memory").write_text(f"some avg10={percent:.2f} avg60=0.00 avg300=0.00 total=1\n")
        return folder

    return make


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(("what", "startup_ms"), [("hoard", 60_000), ("mute hoard", 3_000)])
def test_who_fills_the_memory_is_not_excused_by_a_pause(
    tmp_path: Path, pressure: Callable[[float], Path], what: str, startup_ms: int
) -> None:
    """A bot that holds half its limit while memory is scarce may have caused the pause."""
    need_watching()
    how = {"startup_ms": startup_ms, "transport": "stdio"}  # gRPC and forks do not mix
    record = play(tmp_path, what, pressure=pressure(25.0), **how)  # type: ignore[arg-type]

    if isinstance(record, str):
        pytest.fail(f"it was excused: {record}")
    (kind,) = [FaultKind(one.forfeit) for one in record.outcomes if one.forfeit]
    assert kind is (FaultKind.FAILED_TO_START if "mute" in what else FaultKind.TIMEOUT)


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(("what", "percent"), [("hoard", 0.0), ("sleep", 25.0)])
def test_who_only_holds_memory_or_meets_a_lack_of_it_is_excused(
    tmp_path: Path, pressure: Callable[[float], Path], what: str, percent: float
) -> None:
    """It takes both: memory is meant for use, and others may have filled it."""
    told = play(tmp_path, what, transport="stdio", pressure=pressure(percent))

    assert isinstance(told, str)
    assert told.startswith("the referee was paused for ")


@pytest.mark.costly
def test_a_build_does_not_pay_for_a_pause(tmp_path: Path) -> None:
    """The pause exceeds the build's limit, and the build goes on after it.

    The step stops the referee once that waits for it: time spent starting a program is no pause.
    What is left of the limit is for starting some programs, which takes seconds on a busy machine.
    """
    need_proc()
    step = (
        "sleep 0.2; until grep -q '^State:.S' /proc/REFEREE/status; do sleep 0.05; done; "
        "kill -STOP REFEREE; while grep -q '^State:.T' /proc/REFEREE/status; do sleep 0.05; done; "
        "sleep 0.3"
    )
    assert paused(BUILD, tmp_path, step, 3 * PAUSE_S, seconds=4 * PAUSE_S) == "built\n"


@pytest.mark.costly
def test_a_check_takes_a_step_again_that_a_pause_may_have_spoilt(tmp_path: Path) -> None:
    """A bot that then slept might have answered."""
    folder = tmp_path / "pauser"
    shutil.copytree(BOTS / "pauser", folder)

    told = paused(CHECK, folder, "once", LIMIT_MS, 60_000, "stdio", tmp_path)

    assert told == "pass None\n"
    assert (folder / "paused").exists()


def noticed(hold_up: Callable[[], object]) -> int:
    """Return how many pauses the event loop notices when held up so."""

    async def watch() -> int:
        pauses = Pauses()
        with pauses.watching():
            await asyncio.sleep(0)
            hold_up()
            return len(pauses.since(0))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(watch())


def compute() -> None:
    """Use half a second of a core."""
    until = time.process_time() + 0.5
    while time.process_time() < until:
        pass


def test_what_the_referee_computes_is_no_pause() -> None:
    """No wait for a core is one either: a bot could cause both."""
    need_linux()
    assert noticed(compute) == 0


def test_a_loop_that_hangs_is_a_pause() -> None:
    """The first query notices it, not only the next timer."""
    assert noticed(lambda: time.sleep(0.44 + LEAST_NS / 1e9)) == 1


def test_nothing_is_noticed_between_matches() -> None:
    """Between matches nothing watches: no loop or clock runs."""
    pauses = Pauses()

    async def watch(seconds: float) -> int:
        with pauses.watching():
            await asyncio.sleep(seconds)
            return pauses.total

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(watch(0))
        time.sleep(0.5)
        assert runner.run(watch(0)) == 0


def test_a_machine_that_was_suspended_is_known_by_its_clocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The monotonic clock stood still, so that time neither counts nor is credited."""
    suspended_ns = iter([0, 7_200_000_000_000])

    async def watch() -> Pause | None:
        pauses = Pauses()
        monkeypatch.setattr(
            "referee.sandbox.freeze.pauses._suspended_ns", lambda: next(suspended_ns)
        )
        with pauses.watching():
            began_ns = pauses.now_ns()
            pauses.look()
            assert pauses.paused_us(began_ns) < 1_000_000
            return pauses.latest()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        pause = runner.run(watch())
    assert pause is not None
    assert "the referee was paused for 7200.0 s until" in str(pause)
