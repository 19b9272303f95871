"""The current folder, which may be gone or closed; only relative paths need it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def is_lost() -> bool:
    """Return whether the current folder has been deleted."""
    try:
        os.getcwd()  # noqa: PTH109 -- pathlib asks the same
    except FileNotFoundError:
        return True
    return False


@contextmanager
def reachable() -> Iterator[None]:
    """Be in a folder to which a child process can change by its name; elsewhere in this block.

    The folder may have been deleted, or lie in the private home of the user who called `sudo`.
    """
    try:
        os.chdir(os.getcwd())  # noqa: PTH109
    except OSError:
        with _elsewhere():
            yield
    else:
        yield


@contextmanager
def _elsewhere() -> Iterator[None]:
    here = -1
    with suppress(PermissionError):  # then no relative path leads anywhere, and none is missed
        here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    try:
        os.chdir(os.sep)
        yield
        if here >= 0:
            os.fchdir(here)
    finally:
        if here >= 0:
            os.close(here)
