"""A small image of the system, which is enough for bots that need only Python's own library."""

import atexit
import functools
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.sandbox.contain import private_files, system_image
from tests.support.lacking import skip

_PROGRAMS = {"bash", "dash", "env", "linux64", "prlimit", "python3", "setarch", "setpriv"}
_PROGRAMS |= {"sh", "true"}
_NEEDLESS = {"ensurepip", "idlelib", "include", "lib2to3", "share", "site-packages", "test"}
_MOST_OF_A_LIBRARY = 5 << 19


@contextmanager
def small_image(folder: Path) -> Iterator[None]:
    """Let bots have files of their own, from an image in this folder; skip where that cannot be."""
    if reason := private_files.unfit():
        skip(reason, "run this as root, on Linux 6.12 or newer")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(system_image, "is_needed", _is_needed)
        for place in (folder, on_a_disk()):
            patch.setenv(system_image.FOLDER, str(place))
            if not (failure := _failure()):
                break
        else:
            skip(failure, "set TMPDIR to a folder on a disk")
        yield


def _failure() -> str:
    """Make the image; return why that failed, as where temporary files are in memory."""
    try:
        private_files.make_image()
    except UsageError as error:
        return str(error)
    return ""


@functools.cache
def on_a_disk() -> Path:
    """Make a folder that is there as long as this process, which mounts its images in it."""
    folder = tempfile.mkdtemp(dir="/var/tmp")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _is_needed(path: Path) -> bool:
    if not path.is_relative_to("/usr") or str(path).startswith("/usr/lib/python3"):
        return path.name not in _NEEDLESS and path.suffix != ".a" and "toolchains" not in path.parts
    match path.relative_to("/usr").parts:
        case () | ("bin" | "lib" | "lib64",):
            return True
        case ("bin", program):
            return program in _PROGRAMS or program.startswith("python3.")
        case ("lib" | "lib64", *_, name) if path.is_file():
            return ".so" in name and path.stat().st_size < _MOST_OF_A_LIBRARY
        case ("lib", machine):
            return machine.endswith("-linux-gnu")
    return False
