"""What the machine lacks, or what fails on it, is told as that, and with the right place."""

import errno
import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ladder.model.errors import BundleError, StoreError
from ladder.storage.files.bundles import store_bundle
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.ladders import Command, MakeBot

TOO_LARGE = os.strerror(errno.EFBIG)
TOO_MANY = os.strerror(errno.EMFILE)


@pytest.fixture(autouse=True)
def no_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no module be compiled into a file that ends where the limit is."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)


@contextmanager
def limited(what: int, number: int) -> Iterator[None]:
    """Let this process have no more of something while the block runs."""
    soft, hard = resource.getrlimit(what)
    resource.setrlimit(what, (number, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (soft, hard))


@pytest.mark.parametrize(
    "words", [("standings",), ("matches",), ("settings",), ("run", "--rounds", "1"), ("verify",)]
)
def test_where_sqlite_cannot_write_the_system_says_why(
    ladder: Ladder, command: Command, words: tuple[str, ...]
) -> None:
    """No file can grow here, as on a full disk, which SQLite calls an I/O error."""
    home = ladder.home
    ladder.database.close()
    with limited(resource.RLIMIT_FSIZE, 4096):
        ended = command(*words, "--ladder", home.path)

    assert ended.status == 1
    assert f"{home.database}: the database cannot be used: {TOO_LARGE}" in ended.err
    assert "I/O error" not in ended.out + ended.err


def test_too_many_open_files_are_told_as_such(ladder: Ladder) -> None:
    """A process that may open no more files cannot open a database; nothing is wrong with it."""
    ladder.database.close()
    used = os.dup(0)
    os.close(used)
    with (
        limited(resource.RLIMIT_NOFILE, used),
        pytest.raises(StoreError, match=TOO_MANY),
        ladder.database.read(),
    ):
        pass


def test_a_backup_without_room_is_told_as_such(
    ladder: Ladder, command: Command, tmp_path: Path
) -> None:
    """It is the copy that finds no room."""
    with limited(resource.RLIMIT_FSIZE, 40_000):
        ended = command("backup", tmp_path / "copy", "--ladder", ladder.home.path)

    assert ended.status == 1
    assert TOO_LARGE in ended.err


@pytest.mark.parametrize("failing", ["fsync", "write"])
def test_a_disk_that_fails_is_named_by_the_file_there(
    home: Home, make_bot: MakeBot, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    """An error in the ladder's folder is not told as one in the author's."""
    folder = make_bot("eve", text="x" * 100_000)
    fail: dict[str, Callable[[], object]] = {
        "fsync": lambda: monkeypatch.setattr(os, "fsync", _fails),
        "write": lambda: None,
    }
    fail[failing]()
    most = 4096 if failing == "write" else resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    with limited(resource.RLIMIT_FSIZE, most), pytest.raises(BundleError) as raised:
        store_bundle(folder, home)

    assert str(raised.value).startswith(f"{home.bots}/")
    assert str(folder) not in str(raised.value)


def _fails(_: int) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))
