"""An author API on the loopback, and its authors."""

from collections.abc import Callable, Iterator

import pytest

from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission import process
from tests.support.api_server import Visitor, serving
from tests.support.trying_host import try_bots


@pytest.fixture(autouse=True)
def without_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the validation matches of submissions need no bots."""
    monkeypatch.setattr(process, "work", try_bots)


@pytest.fixture
def api(ladder: Ladder) -> Iterator[str]:
    """Serve a ladder with four bots of its owner; this is HOST:PORT."""
    with serving([ladder]) as address:
        yield address


@pytest.fixture
def token(ladder: Ladder) -> str:
    """Give the author ann a token."""
    return tokens.create(ladder, "ann")


@pytest.fixture
def ann(api: str, token: str) -> Visitor:
    """Let ann reach the author API."""
    return Visitor(api, token)


@pytest.fixture
def uploads(home: Home) -> Callable[[], list[str]]:
    """List the folder of uploads."""
    return lambda: sorted(path.name for path in home.uploads.iterdir())
