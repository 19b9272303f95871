"""Finding a ladder, and locking it."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from ladder.model.errors import LockedError, NoLadderError
from ladder.storage.files.folder import Home, find_home


def test_given_folder(home: Home, tmp_path: Path) -> None:
    """A named folder is the ladder, from anywhere."""
    assert find_home(home.path, tmp_path) == home


def test_nearest_folder(home: Home) -> None:
    """Without a name, the nearest ladder is the current folder or one above it."""
    deep = home.path / "some" / "where"
    deep.mkdir(parents=True)

    assert find_home(None, home.path) == home
    assert find_home(None, deep) == home


def test_nothing_there(tmp_path: Path) -> None:
    """Without a ladder, the message says what to do."""
    with pytest.raises(NoLadderError, match="ladder init DIR"):
        find_home(None, tmp_path)
    with pytest.raises(NoLadderError, match="there is no ladder in this folder"):
        find_home(tmp_path, tmp_path)


def test_impossible_path(tmp_path: Path) -> None:
    """A path that the system refuses fails with its reason."""
    with pytest.raises(NoLadderError, match="File name too long"):
        find_home(tmp_path / ("x" * 300), tmp_path)


def test_a_closed_ladder_is_not_passed_over(home: Home) -> None:
    """A ladder that the system does not show is an error, not a reason to take the one above it."""
    inner = home.path / "inner"
    inner.mkdir()
    (inner / "ladder.db").symlink_to("ladder.db")

    with pytest.raises(NoLadderError, match=r"inner/ladder\.db: Too many levels of symbolic links"):
        find_home(None, inner)


def test_lock_that_cannot_be_opened(home: Home) -> None:
    """A lock that cannot be opened says why."""
    (home.path / "run.lock").mkdir()

    with pytest.raises(LockedError, match=r"run\.lock: Is a directory"), home.locked():
        pass


def test_one_at_a_time(home: Home) -> None:
    """Only one process may hold the lock; the next is told its holder."""
    with (
        home.locked(),
        pytest.raises(LockedError, match=f"process {os.getpid()} is at work"),
        home.locked(),
    ):
        pass


def test_lock_is_given_back(home: Home) -> None:
    """The lock is released at the end, even after an error."""
    with pytest.raises(ZeroDivisionError), home.locked():
        raise ZeroDivisionError

    with home.locked():
        pass


def test_the_process_that_has_waited_is_next(home: Home) -> None:
    """The process that waits is told so, and gets the next free place.

    It does even if the first asks for a place again at once.
    """
    order: list[str] = []
    waits = Event()

    def second() -> None:
        with home.submitting(lambda _: waits.set(), places=1):
            order.append("second")

    with ThreadPoolExecutor() as other:
        with home.submitting(order.append, places=1):
            ended = other.submit(second)
            assert waits.wait(60)
            order.append("first")
        with home.submitting(lambda _: None, places=1):
            order.append("first again")
        ended.result(60)

    assert order == ["first", "second", "first again"]
