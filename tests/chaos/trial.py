"""A ladder under the monkey, from its making to the check of what is left of it.

The ladder is played by one run after another: whatever ended the one before, the next goes on. When
enough matches are done the monkey is called off, what is left over is played in peace, and then
everything must be as if nothing had happened.
"""

import os
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress

from referee.cli.terminal import INTERRUPTED
from tests.chaos import adopted, invariants
from tests.chaos.actions import AT_ONCE, DEADLY, ENDING, FAULTS, World, lacking
from tests.chaos.monkey import Act, Step

_SECONDS_TO_END = 180.0
"""A run that was told to end, or has nothing more to play, is over by then."""
_SECONDS_WITHOUT_A_MATCH = 300.0
_RUNS_IN_PEACE = 3
_SECONDS_TO_BEGIN = 30.0
_SECONDS_UNTIL_PATIENT = 45.0
"""So long after the last match a run is left in peace until one is over, on a busy machine."""
_GIVES_UP: Mapping[str, str] = {
    "fill the disk": "No space left on device|database or disk is full|disk I/O error",
    "freeze the disk": "database is locked",
    "kill -9 a worker": "the gateway cannot be opened: the gateway was ended by SIGKILL"
    "|attempts in a row were void",
}
"""After which kinds a run may give up, and what it says then; it must go on when it is run again.

A disk that is full or frozen cannot keep results; a run whose workers or gateway are killed before
they play has nowhere to play.
"""
_OF_A_SIGNAL = 128
"""What shells add to the number of a signal to tell by a status that it ended a program."""
_LOOK_EVERY_S = 0.05

Say = Callable[[str], None]


class Trial:
    """One ladder under one monkey."""

    def __init__(self, world: World, reasons: Mapping[str, str], log: Say, show: Say) -> None:
        """Write what happens to a log, and show how far it is."""
        self.acts = 0
        self.broken: list[str] = []
        """What was found wrong, a line each."""
        self._world = world
        self._victim = world.victim
        self._reasons = reasons
        self._log = log
        self._show = show
        self._since: list[str] = []
        """The kinds that this run has seen."""
        self._told_before = 0
        self._over = 0
        self._moved = time.monotonic()

    def play(self, wanted: int, seconds: float, steps: Iterator[Step]) -> None:
        """Play some matches, or some seconds, under the monkey, the rest in peace; check all."""
        adopted.begin()
        deadline = time.monotonic() + seconds
        while not self._is_enough(wanted) and time.monotonic() < deadline:
            step, run = next(steps), self._victim.run
            adopted.reap(but=run.pid if run else None)
            if self._ensure_run("--matches", str(wanted - self._over)):
                self._leave_in_peace(step)
            self._take(step)
        self._end_in_peace(wanted)
        self.broken += self._leftovers()
        self.broken += invariants.broken(self._victim)

    def _is_enough(self, wanted: int) -> bool:
        before, self._over = self._over, self._victim.over()
        if self._over > before:
            self._moved = time.monotonic()
        elif time.monotonic() - self._moved > _SECONDS_WITHOUT_A_MATCH:
            self.broken.append(f"stuck: no match was finished in {_SECONDS_WITHOUT_A_MATCH:.0f} s")
            return True
        self._show(f"{self._over:,} of {wanted:,} matches, {self.acts} faults")
        return self._over >= wanted

    def _ensure_run(self, *ends: str) -> bool:
        """Begin a run if there is none, and say so; the one before has to have ended well."""
        run = self._victim.run
        if run is not None and run.poll() is None:
            return False
        if run is not None:
            self._judge(run.returncode)
        self._since.clear()
        self._told_before = self._told()
        self._victim.start(*ends)
        self._log(f"run {' '.join(ends)}")
        return True

    def _told(self) -> int:
        return self._victim.told.stat().st_size if self._victim.told.exists() else 0

    def _lines(self) -> list[str]:
        """Return what this run has printed."""
        with self._victim.told.open("rb") as told:
            told.seek(self._told_before)
            return told.read().decode(errors="replace").strip().splitlines()

    def _leave_in_peace(self, step: Step) -> None:
        """Wait until a run plays that was begun just now, if the step is patient."""
        if time.monotonic() - self._moved > _SECONDS_UNTIL_PATIENT:
            self._wait(lambda: self._victim.over() > self._over, _SECONDS_WITHOUT_A_MATCH)
        elif step.patient:
            self._wait(self._is_playing, _SECONDS_TO_BEGIN)

    def _is_playing(self) -> bool:
        return any(line.startswith("To play: ") for line in self._lines())

    def _wait(self, until: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition holds, the run has ended, or `seconds` are over."""
        run, deadline = self._victim.run, time.monotonic() + seconds
        while run is not None and run.poll() is None and time.monotonic() < deadline:
            if until():
                return
            time.sleep(_LOOK_EVERY_S)

    def _judge(self, status: int) -> None:
        """Take notice of how a run ended."""
        self._log(f"the run ended with status {status}")
        lines = self._lines()
        self.broken += [f"a run showed a traceback: {last}" for last in _tracebacks(lines)]
        if not any(may_end(status, lines, kind) for kind in ("", *self._since)):
            last = lines[-1] if lines else "it said nothing"
            self.broken.append(f"a run ended with status {status}: {last}")

    def _take(self, step: Step) -> None:
        """Do what the monkey wants, unless this machine cannot."""
        time.sleep(step.pause_s)
        with ExitStack() as under_way:
            if self._begin(step.act, under_way):
                time.sleep(step.act.seconds / 2)
            if step.meanwhile is not None:
                with ExitStack() as within:
                    if self._begin(step.meanwhile, within):
                        time.sleep(step.meanwhile.seconds)
            if step.act.kind not in AT_ONCE:
                time.sleep(step.act.seconds / 2)
        self._log("over")
        if set(self._since) & ENDING.keys():
            self._wait_for_the_end()

    def _begin(self, act: Act, under_way: ExitStack) -> bool:
        """Let a fault begin; return whether it lasts."""
        if lacking(act.kind, self._world, self._reasons):
            return False
        self._log(str(act))
        self.acts += 1
        self._since.append(act.kind)
        under_way.enter_context(FAULTS[act.kind](self._world, act))
        return act.kind not in AT_ONCE

    def _wait_for_the_end(self) -> None:
        """Wait until a run is over that was told to end or has nothing more to play."""
        run = self._victim.run
        deadline = time.monotonic() + _SECONDS_TO_END
        while run is not None and run.poll() is None:
            if time.monotonic() > deadline:
                self.broken.append(f"stuck: a run did not end in {_SECONDS_TO_END:.0f} s")
                self.kill()
            time.sleep(_LOOK_EVERY_S)

    def _end_in_peace(self, wanted: int) -> None:
        """Let the last run end, and play what is left over."""
        self._log("no more faults")
        if not ENDING.keys() & self._since and self._victim.over() < wanted:
            self._since.append("Ctrl-C")  # the monkey was called off before its time
            self._victim.signal(signal.SIGINT)
        self._wait_for_the_end()
        for _ in range(_RUNS_IN_PEACE):
            self._ensure_run("--rounds", "0")
            self._wait_for_the_end()
            if not self._victim.left_over():
                break
        if self._victim.run is not None:
            self._judge(self._victim.run.returncode)
        self._show("checking")

    def kill(self) -> None:
        """End the run with all its processes, at once."""
        for pid in self._victim.tree():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._victim.run is not None:
            self._victim.run.wait()

    def _leftovers(self) -> Iterator[str]:
        """Yield the processes, control groups, mounts and files that the runs have left."""
        yield from adopted.left()
        for group in self._world.groups.left() if self._world.groups else ():
            yield f"left behind: control group {group}"
        yield from invariants.left_behind(self._victim)


def may_end(status: int, lines: Sequence[str], kind: str) -> bool:
    """Tell whether a run may end so that has printed these lines and has seen this kind of fault.

    With "" none is blamed: a run that ends by itself has status 0, and says what it has played.
    """
    is_through = any(line.startswith("Played ") for line in lines)
    last = lines[-1] if lines else ""
    if kind == "":
        return status == 0 and is_through
    if kind in DEADLY:
        return status == -ENDING[kind]
    if kind in ENDING:
        # A run that does not listen yet, or no more, ends as the system has it.
        if status == -ENDING[kind]:
            return not lines or is_through or any(_has_given_up(last, one) for one in _GIVES_UP)
        # On stderr, so before what is still to be written of stdout.
        said = any(line.startswith(("Interrupted: ", "interrupted", "ended by ")) for line in lines)
        # Ctrl-C before a command begins its work, or after it, is one of which no more is said.
        said = said or ((not lines or is_through) and kind == "Ctrl-C")
        return status in (INTERRUPTED, _OF_A_SIGNAL + ENDING[kind]) and said
    return status == 1 and _has_given_up(last, kind)


def _has_given_up(line: str, kind: str) -> bool:
    """Tell whether a run says with this line that it gives up because of this kind of fault."""
    why = _GIVES_UP.get(kind)
    return why is not None and re.search(f"error: .*({why})", line) is not None


def _tracebacks(lines: Iterable[str]) -> Iterator[str]:
    """Yield the last line of each traceback."""
    within = False
    for line in lines:
        if line.startswith("Traceback (most recent call last)"):
            within = True
        elif within and line and not line.startswith(" "):
            within = False
            yield line
