"""The faults that the monkey knows: what befalls processes, the machine and the network."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass

from ladder.model.cores import cores
from tests.chaos.far import Far
from tests.chaos.machine import Disk, Groups, WallClock
from tests.chaos.monkey import Act
from tests.chaos.victim import Victim
from tests.support.processes import family, is_stopped

_BURN = "while 1: pass"
_MOST_BURNERS = 3
_LONGEST_CUT_S = 0.8
"""Of a remote bot's connection: a longer one may be the bot's own loss."""
_FARTHEST_JUMP_S = 30 * 24 * 3600


@dataclass(frozen=True, slots=True)
class World:
    """All that the monkey can get at; what this machine has not is None."""

    victim: Victim
    far: Far
    disk: Disk | None
    groups: Groups | None
    clock: WallClock | None


Fault = Callable[[World, Act], AbstractContextManager[None]]
"""Harms a world as long as it is entered."""


@contextmanager
def _stopped(pids: Callable[[], Sequence[int]]) -> Iterator[None]:
    """Stop these processes and those that they start meanwhile; who was stopped already stays so.

    The referee stops bots that are not to move, and must find them so.
    """
    seen: set[int] = set()
    sent: list[int] = []
    while fresh := [pid for pid in pids() if pid not in seen]:
        seen.update(fresh)
        running = [pid for pid in fresh if not is_stopped(pid)]
        for pid in running:
            _send(pid, signal.SIGSTOP)
        sent += running
    try:
        yield
    finally:
        for pid in reversed(sent):
            _send(pid, signal.SIGCONT)


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _one(pids: Sequence[int], which: float) -> Sequence[int]:
    """Return one of the processes, or none if there is none."""
    return pids[int(which * len(pids)) :][:1]


def _stop_all(world: World, _: Act) -> AbstractContextManager[None]:
    return _stopped(world.victim.tree)


def _stop_parent(world: World, _: Act) -> AbstractContextManager[None]:
    return _stopped(lambda: world.victim.tree()[:1])


def _stop_worker(world: World, act: Act) -> AbstractContextManager[None]:
    worker = _one(world.victim.workers(), act.which)
    return _stopped(lambda: worker)


def _stop_worker_and_bots(world: World, act: Act) -> AbstractContextManager[None]:
    worker = _one(world.victim.workers(), act.which)
    return _stopped(lambda: [pid for one in worker for pid in family(one)])


@contextmanager
def _suspend(world: World, _: Act) -> Iterator[None]:
    world.victim.signal(signal.SIGTSTP)
    try:
        yield
    finally:
        world.victim.signal(signal.SIGCONT)


def _pause(world: World, _: Act) -> AbstractContextManager[None]:
    assert world.groups is not None
    return world.groups.paused()


@contextmanager
def _kill_worker(world: World, act: Act) -> Iterator[None]:
    for pid in _one(world.victim.workers(), act.which):
        _send(pid, signal.SIGKILL)
    yield


@contextmanager
def _kill_parent(world: World, _: Act) -> Iterator[None]:
    for pid in world.victim.tree()[:1]:
        _send(pid, signal.SIGKILL)
    yield


def _signalled(number: signal.Signals) -> Fault:
    @contextmanager
    def fault(world: World, _: Act) -> Iterator[None]:
        world.victim.signal(number)
        yield

    return fault


@contextmanager
def _burn(_: World, act: Act) -> Iterator[None]:
    number = cores() * (1 + int(act.which * _MOST_BURNERS))
    command = [sys.executable, "-I", "-S", "-c", _BURN]
    # In sessions of their own: the kernel may share a core out among sessions.
    burning = [subprocess.Popen(command, start_new_session=True) for _ in range(number)]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
        for process in burning:
            process.wait()


def _thrash(world: World, _: Act) -> AbstractContextManager[None]:
    assert world.groups is not None
    return world.groups.thrashing()


def _freeze_disk(world: World, _: Act) -> AbstractContextManager[None]:
    assert world.disk is not None
    return world.disk.frozen()


def _fill_disk(world: World, _: Act) -> AbstractContextManager[None]:
    assert world.disk is not None
    return world.disk.full()


@contextmanager
def _set_clock(world: World, act: Act) -> Iterator[None]:
    assert world.clock is not None
    world.clock.set_ahead(int((2 * act.which - 1) * _FARTHEST_JUMP_S))
    try:
        yield
    finally:
        world.clock.set_ahead(0)


def _cut(world: World, act: Act) -> AbstractContextManager[None]:
    return world.far.cut(min(act.seconds, _LONGEST_CUT_S))


def _stall(world: World, act: Act) -> AbstractContextManager[None]:
    return world.far.stalled(min(act.seconds, _LONGEST_CUT_S))


FAULTS: Mapping[str, Fault] = {
    "stop all processes": _stop_all,
    "stop the parent": _stop_parent,
    "stop a worker": _stop_worker,
    "stop a worker and its bots": _stop_worker_and_bots,
    "Ctrl-Z and fg": _suspend,
    "pause the container": _pause,
    "kill -9 a worker": _kill_worker,
    "kill -9 the parent": _kill_parent,
    "Ctrl-C": _signalled(signal.SIGINT),
    "SIGTERM to all": _signalled(signal.SIGTERM),
    "SIGHUP to all": _signalled(signal.SIGHUP),
    "burn all cores": _burn,
    "take memory back": _thrash,
    "freeze the disk": _freeze_disk,
    "fill the disk": _fill_disk,
    "set the clock": _set_clock,
    "cut connections": _cut,
    "stall connections": _stall,
}
"""What the monkey can do, by kind."""

ENDING: Mapping[str, signal.Signals] = {
    "kill -9 the parent": signal.SIGKILL,
    "Ctrl-C": signal.SIGINT,
    "SIGTERM to all": signal.SIGTERM,
    "SIGHUP to all": signal.SIGHUP,
}
"""Kinds that end a run, by a signal."""
DEADLY = frozenset(["kill -9 the parent"])
"""Those of them that no run can see to the end; once it plays it does so with the others."""

AT_ONCE = frozenset((*ENDING, "kill -9 a worker"))
"""Kinds that are over at once."""


def lacking(kind: str, world: World, reasons: Mapping[str, str]) -> str:
    """Return why a kind of fault cannot be had here; empty if it can."""
    needed = {
        "pause the container": world.groups,
        "take memory back": world.groups,
        "freeze the disk": world.disk,
        "fill the disk": world.disk,
        "set the clock": world.clock,
    }
    return reasons.get(kind, "") if kind in needed and needed[kind] is None else ""
