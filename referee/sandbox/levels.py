"""The sandbox levels that this machine offers.

Nothing lowers a level silently: a request for an unavailable level raises an error that names what
to install or switch on.
"""

import asyncio
import contextlib
import functools
from collections.abc import Callable
from pathlib import Path

from referee.core.errors import UsageError
from referee.sandbox.cgroups.cgroup_files import Unavailable
from referee.sandbox.contain.strict import Strict
from referee.sandbox.host_checks import (
    Check,
    bubblewrap,
    control_groups,
    find_groups,
    libseccomp,
    linux,
    namespaces,
    own_files,
)
from referee.sandbox.kernel import IS_LINUX, kernel
from referee.sandbox.launch import Launcher
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Program
from referee.sandbox.spawner import in_spawner
from referee.sandbox.trusted import Trusted

STRONGEST_FIRST = (Level.STRICT_CG, Level.STRICT, Level.TRUSTED)
_NEEDS: dict[Level, tuple[Callable[[], Check], ...]] = {
    Level.STRICT_CG: (linux, bubblewrap, libseccomp, namespaces, control_groups),
    Level.STRICT: (linux, bubblewrap, libseccomp, namespaces),
    Level.TRUSTED: (),
}


class Sandbox:
    """Starts programs at one level."""

    def __init__(self, launcher: Launcher) -> None:
        """Use this launcher."""
        self._launcher = launcher
        self.level = launcher.level

    def seen(self, place: Path) -> str:
        """Return the path at which a program sees its place."""
        return self._launcher.seen(place)

    async def start(self, program: Program) -> BotProcess:
        """Start a program.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """
        launching = asyncio.wrap_future(in_spawner(self._launcher.launch, program))
        try:
            launched = await asyncio.shield(launching)
        except asyncio.CancelledError:
            with contextlib.suppress(OSError):
                await BotProcess(await launching).kill()
            raise
        return await BotProcess.start(launched)


def open_sandbox(wanted: Level | None = None) -> Sandbox:
    """Return the sandbox of a level, or of the strongest that this machine offers.

    Raise `UsageError` if the level is unavailable, with the reason and the remedy.
    """
    level = offered()[0] if wanted is None else wanted
    for need in _NEEDS[level]:
        check = need()
        if not check.ok:
            raise UsageError(
                f"bots cannot run at the level {level}: {check.lacking}; {check.advice}"
            )
    return _sandbox(level)


def proven_sandbox(level: Level) -> Sandbox:
    """Return the sandbox of a level that the process which started this one has found available.

    Raise `UsageError` if its control groups cannot be used here.
    """
    try:
        return _sandbox(level)
    except Unavailable as reason:
        raise UsageError(f"bots cannot run at the level {level}: {reason}") from None


def offered() -> list[Level]:
    """Return the levels that this machine offers, the strongest first."""
    return [level for level in STRONGEST_FIRST if all(need().ok for need in _NEEDS[level])]


def survey() -> list[Check]:
    """Return the checks of all requirements, in the order in which to meet them, and what adds."""
    if not IS_LINUX:
        return [linux()]  # all else follows
    return [*(need() for need in _NEEDS[Level.STRICT_CG] if need is not linux), own_files()]


def unwatched() -> tuple[str, ...]:
    """Return what cannot be watched or measured here at the level `trusted`, a sentence each."""
    return kernel.shortcomings()


@functools.cache
def _sandbox(level: Level) -> Sandbox:
    if level is Level.TRUSTED:
        return Sandbox(Trusted())
    return Sandbox(Strict(find_groups() if level is Level.STRICT_CG else None))
