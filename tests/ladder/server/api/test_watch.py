"""Watching a ladder: its state, then the news that a watcher may see."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ladder.server.api import routes
from ladder.server.api.context import ApiSettings
from ladder.server.api.rate_limits import RateLimits
from ladder.server.public import follower
from ladder.storage import tokens
from ladder.storage.db.server import Server
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.matches import BLOCK, finish, planned_block, some_record, start
from tests.support.api_server import Visitor, serving
from tests.support.waiting import until

pytestmark = pytest.mark.both_engines

SEATS = 2


@pytest.fixture
def block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server | None
) -> Iterator[Ladder]:
    """Open a ladder with two matches of one deal to play, polled often."""
    monkeypatch.setattr(follower, "_LOOK_EVERY_S", 0.01)
    home = planned_block(tmp_path / "block", "courtisans", SEATS, ("ann", None), server)
    with Ladder.open(home) as ladder:
        yield ladder


class Watching:
    """A stream of news."""

    def __init__(self, stack: ExitStack, visitor: Visitor) -> None:
        """Begin to watch."""
        self._answer = stack.enter_context(visitor.opened("GET", "/watch"))
        assert self._answer.status == 200

    def next(self) -> tuple[str, Any]:
        """Return the next event's name and data; raise `EOFError` at the end."""
        name = ""
        for line in self._answer:
            key, _, value = line.decode().strip().partition(": ")
            if key == "event":
                name = value
            elif key == "data":
                return name, json.loads(value)
        raise EOFError

    def next_match(self) -> Any:
        """Return the next match."""
        name, data = self.next()
        while name != "match":
            name, data = self.next()
        return data


def test_what_happens_is_told(block: Ladder) -> None:
    """A watcher gets standings, each match's begin, and its result once its deal is retired."""
    token = tokens.create(block, "ann")
    with serving([block]) as address, ExitStack() as stack:
        watching = Watching(stack, Visitor(address, token))
        name, first = watching.next()
        assert name == "standings"
        assert [(row["bot"], row["matches"]) for row in first["standings"]] == [
            ("ann", 0),
            ("owned-1", 0),
        ]

        start(block, BLOCK[0])
        begun = watching.next_match()
        assert (begun["match_id"], begun["state"]) == (BLOCK[0], "running")
        assert [seat["outcome"] for seat in begun["seats"]] == [None, None]

        finish(block, BLOCK[0], some_record("courtisans", SEATS))
        start(block, BLOCK[1])
        assert watching.next_match()["match_id"] == BLOCK[1]

        later = Watching(stack, Visitor(address, token))
        assert later.next_match()["match_id"] == BLOCK[1]
        assert [row["matches"] for row in later.next()[1]["standings"]] == [0, 0]

        finish(block, BLOCK[1], some_record("courtisans", SEATS))
        done = [watching.next_match(), watching.next_match()]
        assert [(each["match_id"], each["public"]) for each in done] == [
            (id_, True) for id_ in BLOCK
        ]
        assert all(seat["outcome"] for each in done for seat in each["seats"])
        assert [row["matches"] for row in watching.next()[1]["standings"]] == [2, 2]


def test_news_come_at_once_though_compressed(block: Ladder) -> None:
    """Who accepts gzip waits for no full buffer: news and logs are sent as they come."""
    visitor = Visitor("", "")
    with serving([block]) as address:
        visitor = Visitor(address, tokens.create(block, "ann"))
        with visitor.opened("GET", "/watch", headers={"Accept-Encoding": "gzip"}) as answer:
            assert answer.readline() == b"event: standings\n"
            assert answer.getheader("Content-Encoding") is None


def test_a_token_that_is_revoked_watches_no_more(
    block: Ladder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream ends, even if nothing happens."""
    monkeypatch.setattr(routes, "_TOKEN_CHECK_S", 0.05)
    with serving([block]) as address, ExitStack() as stack:
        watching = Watching(stack, Visitor(address, tokens.create(block, "ann")))
        assert watching.next()[0] == "standings"
        tokens.revoke(block, 1)
        name, found = watching.next()

    assert (name, found["reason"], found["status"]) == ("problem", "BAD_TOKEN", 401)


def test_watchers_are_told_when_the_ladder_stops(block: Ladder) -> None:
    """Watchers' streams end at once, and the server waits for none."""
    with ExitStack() as stack:
        with serving([block]) as address:
            watching = Watching(stack, Visitor(address, tokens.create(block, "ann")))
            assert watching.next()[0] == "standings"
        name, found = watching.next()
        with pytest.raises(EOFError):
            watching.next()

    assert (name, found["reason"]) == ("problem", "LADDER_STOPPING")


def test_watchers_at_once(block: Ladder) -> None:
    """Each author has few; leaving frees a place."""
    settings = ApiSettings(limits=RateLimits(watchers_an_author=2, requests=10_000))
    with serving([block], settings) as address, ExitStack() as stack:
        ann = Visitor(address, tokens.create(block, "ann"))
        with ExitStack() as leaving:
            first, second = Watching(leaving, ann), Watching(stack, ann)
            assert first.next()[0] == second.next()[0] == "standings"
            found = ann.get("/watch")
        start(block, BLOCK[0])  # what is sent to the one that has left tells the server so

        def admitted() -> bool:
            with ann.opened("GET", "/watch") as answer:
                return answer.status == 200

        until(admitted)

    assert (found.status, found.reason) == (429, "TOO_MANY_WATCHERS")
    assert found.json["metadata"] == {"limit": "2"}
    assert int(found.headers["retry-after"]) > 0
