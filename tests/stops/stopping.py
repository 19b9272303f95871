"""A ladder whose processes are stopped and go on while it is played: what becomes of its bots."""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ladder.model.matches import MatchState
from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables.records import fault_of
from referee.core.clock import ClockConfig
from tests.stops.at_terminal import AtTerminal, at_terminal
from tests.support.processes import family, is_python_child

LADDER = Path(sys.executable).with_name("ladder")
_SECONDS_TO_COME_BACK = 60.0
STOPS_A_RUN = 10
"""Then all bots start anew: a stop may meet any moment of that, too."""


def _tell(processes: Sequence[int], number: signal.Signals) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)


def _tree(run: int) -> Sequence[int]:
    with suppress(FileNotFoundError):
        return family(run)
    return [run]


def stop_tree(run: int, seconds: float) -> None:
    """Stop a run with all that it has started."""
    stopped: list[int] = []
    while new := [process for process in _tree(run) if process not in stopped]:
        _tell(new, signal.SIGSTOP)
        stopped += new
    time.sleep(seconds)
    random.shuffle(stopped)
    _tell(stopped, signal.SIGCONT)


def stop_workers(run: int, seconds: float) -> None:
    """Stop the processes of a run that keep clocks, and nothing else."""
    workers = []
    for process in _tree(run):
        with suppress(FileNotFoundError):
            workers += [process] if is_python_child(process) else []
    _tell(workers, signal.SIGSTOP)
    time.sleep(seconds)
    _tell(workers, signal.SIGCONT)


def stop_group(run: int, seconds: float) -> None:
    """Do what a terminal does at Ctrl-Z, and its shell at `fg`."""
    os.killpg(run, signal.SIGTSTP)
    time.sleep(seconds)
    os.killpg(run, signal.SIGCONT)


_BY_SIGNALS: Mapping[str, Callable[[int, float], None]] = {
    "tree": stop_tree,
    "workers": stop_workers,
    "group": stop_group,
}
_KEYS = "Ctrl-Z"
"""A real one: at a terminal, in a shell."""
WAYS = (*_BY_SIGNALS, _KEYS)


def make(folder: Path, level: str, clock: ClockConfig, bots: Sequence[Path], *words: str) -> None:
    """Make a ladder of four seats, set up by these words, and submit bots."""
    times = {
        "--startup": clock.startup_ms,
        "--decision-limit": clock.decision_limit_ms,
        "--bank": clock.bank_ms,
        "--increment": clock.increment_ms,
    }
    by_clock = [word for name, ms in times.items() for word in (name, str(ms / 1000))]
    how = ("--game", "courtisans", "--seats", 4, "--sandbox", level)
    _ladder("init", folder, *how, *by_clock, *words)
    if bots:
        _ladder("submit", "--ladder", folder, *bots)


def _ladder(*words: object) -> None:
    done = subprocess.run([LADDER, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def confirm(folder: Path) -> None:
    """Make a copied ladder known on this machine."""
    _ladder("trust", folder, "--yes")


@contextmanager
def running(folder: Path, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Play a ladder in a process group of its own, and end it as Ctrl-C does."""
    with (folder / "run.log").open("ab") as log:
        run = subprocess.Popen(_command(folder, *words), stdout=log, stderr=log, process_group=0)
    try:
        yield run
        run.send_signal(signal.SIGINT)
        run.wait(300)
    finally:
        run.kill()
        run.wait()


def _command(folder: Path, *words: str) -> list[str]:
    return [str(LADDER), "run", "--ladder", str(folder), "--matches", "100000", *words]


def play_and_stop(folder: Path, how: str, stops: int, seconds: float, *words: str) -> None:
    """Play a ladder and stop it `stops` times, for `seconds` each, at random moments."""
    log = folder / "run.log"
    while stops > 0:
        with (
            at_terminal(_command(folder, *words), log)
            if how == _KEYS
            else running(folder, *words) as run
        ):
            _until_bots_start(run, least=1 if "--remote" in words else 2)
            for _ in range(min(stops, STOPS_A_RUN)):
                if "--remote" in words:
                    _until_a_match_ends(folder)
                time.sleep(random.uniform(0.3, 3.0))
                if run.poll() is not None:
                    raise RuntimeError(log.read_text(errors="replace"))
                if isinstance(run, AtTerminal):
                    run.suspend(seconds)
                else:
                    _BY_SIGNALS[how](run.pid, seconds)
                stops -= 1
            time.sleep(1.0)


def _until_a_match_ends(folder: Path) -> None:
    """Wait until bots that were cut off play again, though not for ever."""
    before, deadline = states(folder)[MatchState.DONE], time.monotonic() + _SECONDS_TO_COME_BACK
    while states(folder)[MatchState.DONE] == before and time.monotonic() < deadline:
        time.sleep(0.2)


def _until_bots_start(run: "AtTerminal | subprocess.Popen[bytes]", least: int) -> None:
    """Wait until a process that keeps clocks has `least` members in its family."""
    while run.poll() is None:
        with suppress(OSError):
            if any(is_python_child(one) and len(family(one)) >= least for one in family(run.pid)):
                return
        time.sleep(0.05)


def forfeits(folder: Path) -> list[str]:
    """Return why each bot of a ladder forfeited that did."""
    found = []
    with Ladder.open(Home(folder)) as ladder:
        for match in queries.latest(ladder, 100_000):
            for seat, line in enumerate(match.seats):
                if line.result is not None and line.result.forfeit:
                    fault = fault_of(queries.record(ladder, match), seat)
                    found.append(f"{line.version}: {fault}")
    return found


def states(folder: Path) -> dict[MatchState, int]:
    """Return how many matches of a ladder are in which state."""
    with Ladder.open(Home(folder)) as ladder:
        all_of_them = [match.state for match in queries.latest(ladder, 100_000)]
    return {state: all_of_them.count(state) for state in MatchState}
