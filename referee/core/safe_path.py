"""Keeps Courtyard's processes from looking for code and programs in the current folder.

That may be a stranger's, such as the folder of a bot that somebody received and submits. A Python
that is started with -c or -m imports from it before its own library, and a PATH with an empty entry
or a dot finds programs there. Compilers read settings in it, which may name what they run: rustup a
toolchain, Maven an agent of its JVM. `referee.core.spawning` is for multiprocessing, which uses -c.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import CompletedProcess

_VARIABLE = "PYTHONSAFEPATH"
_SECONDS_TO_SAY = 20.0


def guard() -> None:
    """Keep this process and its children from looking into the current folder, for good.

    Bots get an environment of their own, in which nothing of this is.
    """
    os.environ[_VARIABLE] = "1"
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = os.pathsep.join(place for place in places if Path(place).is_absolute())
    os.environ["PATH"] = absolute or os.defpath  # an empty PATH is the current folder


def python(*arguments: str) -> list[str]:
    """Return the command that starts this Python with these arguments."""
    return [sys.executable, "-P", *arguments]


def ask(command: Sequence[str]) -> "CompletedProcess[str] | None":
    """Return an installed program's report on itself; None if it fails or takes 20 s."""
    import subprocess  # noqa: PLC0415 -- takes long, and most commands need none

    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS_TO_SAY, check=True, cwd=os.sep
        )
    except (OSError, subprocess.SubprocessError):
        return None


@contextmanager
def guarding() -> Iterator[None]:
    """Keep Python processes that are started in this block from importing from their folder."""
    before = os.environ.get(_VARIABLE)
    os.environ[_VARIABLE] = "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(_VARIABLE, None)  # another thread may have been as fast


def unguarded() -> dict[str, str]:
    """Return this process's environment for a bot, whose folder is its own."""
    return {name: value for name, value in os.environ.items() if name != _VARIABLE}
