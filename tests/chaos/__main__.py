"""Lets a monkey loose on a ladder: `make chaos`, or `make chaos SEED=7 MATCHES=200`.

The seed says what the monkey does and in which order, and at which level the bots are contained.
Needs Linux, and of root: a disk of the ladder's own, control groups.
"""

import argparse
import math
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from referee.sandbox.levels import offered
from referee.sandbox.program import Level
from tests.chaos.actions import FAULTS, World, lacking
from tests.chaos.adopted import adopt
from tests.chaos.far import Far
from tests.chaos.machine import Disk, Groups, Lacking, WallClock
from tests.chaos.monkey import LONGEST_PAUSE_S, SHORTEST_S, steps
from tests.chaos.trial import Trial
from tests.chaos.victim import REMOTE, Victim

_ROOT = Path(__file__).resolve().parents[2]
_CPP = _ROOT / "sample_bots" / "cpp"
_APART = "CHAOS_APART"
_SHOWN_EVERY_S = 10.0
_LAST_LINES = 40
_NEED = {
    Disk: ("freeze the disk", "fill the disk"),
    Groups: ("pause the container", "take memory back"),
    WallClock: ("set the clock",),
}
Had = TypeVar("Had")


def main() -> None:
    """Do it, say what was found, and exit with 1 if that is anything."""
    options = _options()
    _apart()
    adopt()
    try:
        status = _chaos(options)
    except KeyboardInterrupt:
        sys.exit(f"Interrupted. To begin again: {_again(options)}")
    sys.exit(status)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of all that the monkey does")
    parser.add_argument("--matches", type=int, default=1000, help="to play under the monkey")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="call the monkey off after so long"
    )
    parser.add_argument(
        "--level", type=Level, choices=list(Level), help="of containment; default: by the seed"
    )
    parser.add_argument(
        "--only", action="append", choices=list(FAULTS), help="a kind of fault; default: all"
    )
    parser.add_argument(
        "--pause", type=float, default=LONGEST_PAUSE_S, help="the most seconds between faults"
    )
    parser.add_argument(
        "--shortest", type=float, default=SHORTEST_S, help="the fewest seconds that a fault lasts"
    )
    parser.add_argument("--planted", default="", help="a mistake in Courtyard: tests.chaos.planted")
    parser.add_argument("--log", type=Path, help="where to write what was done and when")
    return parser.parse_args()


def _again(options: argparse.Namespace) -> str:
    return f"make chaos SEED={options.seed} MATCHES={options.matches}"


def _apart() -> None:
    """Go on in a mount namespace of this process's own: however it ends, no mount is left."""
    if os.geteuid() == 0 and _APART not in os.environ and shutil.which("unshare"):
        command = ["unshare", "--mount", sys.executable, "-m", "tests.chaos", *sys.argv[1:]]
        os.execvpe(command[0], command, {**os.environ, _APART: "1"})  # noqa: S606 -- no shell


def _chaos(options: argparse.Namespace) -> int:
    level = options.level or offered()[options.seed % len(offered())]
    kinds = options.only or list(FAULTS)
    began = time.monotonic()
    with ExitStack() as stack:
        place = stack.enter_context(_place())
        log = Log(place / "log.txt")
        world, reasons = _world(place, options, level, stack)
        for kind in kinds:
            if reason := lacking(kind, world, reasons):
                print(f"SKIPPED: {kind}: {reason}")
        print(f"Seed {options.seed}: bots at {level}; {_again(options)}", flush=True)
        trial = Trial(world, reasons, log.write, Progress().show)
        stack.callback(trial.kill)
        monkey = steps(options.seed, kinds, options.pause, options.shortest)
        trial.play(options.matches, options.minutes * 60, monkey)
        if options.log:
            shutil.copy(log.path, options.log)
        return _verdict(trial, options, log, world.victim, time.monotonic() - began)


@contextmanager
def _place() -> Iterator[Path]:
    """Make a folder with a short path, as sockets need, and remove it afterwards."""
    place = Path(tempfile.mkdtemp(prefix="c", dir="/tmp"))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _world(
    place: Path, options: argparse.Namespace, level: Level, stack: ExitStack
) -> tuple[World, dict[str, str]]:
    """Make everything; return it with why some kinds of faults cannot be had."""
    reasons: dict[str, str] = {}

    def had(make: Callable[[], Had], kinds: tuple[str, ...]) -> Had | None:
        try:
            return make()
        except Lacking as error:
            reasons.update(dict.fromkeys(kinds, str(error)))
            return None

    disk = had(lambda: Disk(place / "d"), _NEED[Disk])
    if disk is not None:
        stack.callback(disk.unmount)
    groups = had(lambda: Groups(f"chaos-{os.getpid()}"), _NEED[Groups])
    if groups is not None:
        stack.callback(groups.remove)
    clock = had(lambda: WallClock(place), _NEED[WallClock])
    (place / "d").mkdir(exist_ok=True)
    victim = Victim(place, place / "d", groups, clock, options.planted)
    print("Making a ladder and its bots.", flush=True)
    more = [_CPP] if options.matches >= 200 and shutil.which("g++") else []
    token = victim.make(level, options.seed, place / "bots", more)
    far = stack.enter_context(Far(victim.gateway, victim.keys.roots, dict.fromkeys(REMOTE, token)))
    return World(victim, far, disk, groups, clock), reasons


class Log:
    """What was done, a line each with the second since the beginning."""

    def __init__(self, path: Path) -> None:
        """Write to this file."""
        self.path = path
        self._began = time.monotonic()

    def write(self, text: str) -> None:
        """Write a line."""
        with self.path.open("a") as file:
            file.write(f"{time.monotonic() - self._began:8.2f}  {text}\n")


class Progress:
    """Shows how far it is: in place on a terminal, else a line now and then."""

    def __init__(self) -> None:
        """Have shown nothing yet."""
        self._shown = -_SHOWN_EVERY_S

    def show(self, text: str) -> None:
        """Show it, unless something was shown just now."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{text}\x1b[K")
        elif time.monotonic() - self._shown >= _SHOWN_EVERY_S:
            self._shown = time.monotonic()
            sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def _verdict(
    trial: Trial, options: argparse.Namespace, log: Log, victim: Victim, seconds: float
) -> int:
    """Say what was found; return the exit status."""
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    print(f"{trial.acts} faults and {victim.over():,} matches in {seconds:.0f} s.")
    if not trial.broken:
        print(f"Seed {options.seed}: all is as if nothing had happened.")
        return 0
    kept = Path(tempfile.mkdtemp(prefix=f"courtyard-chaos-{options.seed}-"))
    for path in (log.path, victim.told):
        shutil.copy(path, kept)
    shutil.copytree(victim.home.path, kept / "ladder")
    for line, times in Counter(trial.broken).items():
        print(f"BROKEN: {line}" + (f" ({times} times)" if times > 1 else ""))
    print(f"The last of what was done, in seconds since the beginning ({kept}/log.txt):")
    print("\n".join(log.path.read_text().splitlines()[-_LAST_LINES:]))
    print(f"{len(trial.broken)} found broken. To repeat it: {_again(options)}")
    print(f"The log, what the runs printed, and the ladder are in {kept}.")
    return 1


if __name__ == "__main__":
    main()
