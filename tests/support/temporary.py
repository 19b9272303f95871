"""Finds a folder for temporary files in which programs run, and with room for those of the tests.

Hardened machines mount /tmp without the right to run programs, and one in memory may be small.
"""

import os
import tempfile
from pathlib import Path

import pytest

_NEEDED_MIB = 1024
_OTHERS = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 -- what is made in them is private
_LONGEST = 20
"""A socket's path has at most 103 bytes, of which macOS's folder takes half."""


def settle() -> str:
    """Have this process and those it starts use a fit folder; return why not the usual one.

    Ends pytest if there is none.
    """
    usual = tempfile.gettempdir()
    if not (unfit := _unfit(usual)):
        if len(usual) > _LONGEST:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", "/tmp")  # noqa: S108 -- as above
        return ""
    for folder in _OTHERS:
        if Path(folder).is_dir() and not _unfit(folder):
            os.environ["TMPDIR"] = tempfile.tempdir = folder
            return f"temporary files are in {folder}: {usual} {unfit}"
    pytest.exit(f"{usual} {unfit}: set TMPDIR to another folder for temporary files", returncode=1)


def _unfit(folder: str) -> str:
    """Return why tests cannot use a folder, in words that follow its name; empty if they can."""
    if not hasattr(os, "statvfs"):  # as on Windows
        return ""
    found = os.statvfs(folder)
    if found.f_flag & getattr(os, "ST_NOEXEC", 0):
        return "lets no program run"
    free_mib = found.f_bavail * found.f_frsize >> 20
    return f"has {free_mib} of {_NEEDED_MIB} MiB free" if free_mib < _NEEDED_MIB else ""
