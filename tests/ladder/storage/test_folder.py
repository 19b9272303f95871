"""Finding a ladder, and keeping others from it."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from ladder.model.errors import LockedError, NoLadderError
from ladder.storage.folder import Home, find_home


def test_given_folder(home: Home, tmp_path: Path) -> None:
    """A folder that is named is the one, wherever one is."""
    assert find_home(home.path, tmp_path) == home


def test_nearest_folder(home: Home) -> None:
    """Without a name it is the current folder or the nearest above it that holds a ladder."""
    deep = home.path / "some" / "where"
    deep.mkdir(parents=True)

    assert find_home(None, home.path) == home
    assert find_home(None, deep) == home


def test_nothing_there(tmp_path: Path) -> None:
    """Where there is no ladder, the message says what to do."""
    with pytest.raises(NoLadderError, match="ladder init DIR"):
        find_home(None, tmp_path)
    with pytest.raises(NoLadderError, match="there is no ladder in this folder"):
        find_home(tmp_path, tmp_path)


def test_impossible_path(tmp_path: Path) -> None:
    """A path that the system refuses is refused with its reason."""
    with pytest.raises(NoLadderError, match="File name too long"):
        find_home(tmp_path / ("x" * 300), tmp_path)


def test_lock_that_cannot_be_opened(home: Home) -> None:
    """Where there is something else in place of the lock, that is said."""
    (home.path / "run.lock").mkdir()

    with pytest.raises(LockedError, match=r"run\.lock: Is a directory"), home.locked():
        pass


def test_one_at_a_time(home: Home) -> None:
    """While somebody is at work nobody else may begin, and is told who it is."""
    with (
        home.locked(),
        pytest.raises(LockedError, match=f"process {os.getpid()} is at work"),
        home.locked(),
    ):
        pass


def test_lock_is_given_back(home: Home) -> None:
    """Afterwards somebody else may begin, after an error too."""
    with pytest.raises(ZeroDivisionError), home.locked():
        raise ZeroDivisionError

    with home.locked():
        pass


def test_whoever_has_waited_is_next(home: Home) -> None:
    """Who comes second is told that it waits, and goes on when the first has ended.

    It does so though the first wants the next place at once.
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
