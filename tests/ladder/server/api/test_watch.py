"""Watching a ladder: its state, then the news that a watcher may see."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from courtyard.v1 import ladder_pb2 as pb

from ladder.server.api import rpc
from ladder.server.api.rate_limits import RateLimits
from ladder.server.public import follower
from ladder.storage import tokens
from ladder.storage.db.server import Server
from ladder.storage.ladder import Ladder
from tests.ladder.server.api.conftest import SETTINGS, Visit, opened, refusal
from tests.ladder.server.api.matches import BLOCK, finish, planned_block, some_record, start

pytestmark = pytest.mark.both_engines

SEATS = 2
WATCH = pb.WatchRequest()


@pytest.fixture
def block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server | None
) -> Iterator[Ladder]:
    """Open a ladder with two matches of one deal to play, polled often."""
    monkeypatch.setattr(follower, "_LOOK_EVERY_S", 0.01)
    home = planned_block(tmp_path / "block", "courtisans", SEATS, ("ann", None), server)
    with Ladder.open(home) as ladder:
        yield ladder


def next_match(watching: Any) -> pb.Match:
    """Return the next match on the stream."""
    found: pb.Match = next(each.match for each in watching if each.WhichOneof("body") == "match")
    return found


def test_what_happens_is_told(block: Ladder, visit: Visit) -> None:
    """A watcher gets standings, each match's begin, and its result once its deal is retired."""
    token = tokens.create(block, "ann")
    with opened([block]) as api:
        watching = visit(api.address, token).call("Watch", WATCH)
        first = next(watching).standings.standings
        assert [(row.bot, row.matches) for row in first] == [("ann", 0), ("owned-1", 0)]

        start(block, BLOCK[0])
        begun = next_match(watching)
        assert (begun.match_id, begun.state) == (BLOCK[0], pb.MATCH_STATE_RUNNING)
        assert [seat.HasField("outcome") for seat in begun.seats] == [False, False]

        finish(block, BLOCK[0], some_record("courtisans", SEATS))
        start(block, BLOCK[1])
        assert next_match(watching).match_id == BLOCK[1]

        later = visit(api.address, token).call("Watch", WATCH)
        assert next_match(later).match_id == BLOCK[1]
        assert [row.matches for row in next(later).standings.standings] == [0, 0]

        finish(block, BLOCK[1], some_record("courtisans", SEATS))
        done = [next_match(watching), next_match(watching)]
        assert [(each.match_id, each.public) for each in done] == [(id_, True) for id_ in BLOCK]
        assert all(seat.HasField("outcome") for each in done for seat in each.seats)
        told = next(watching).standings.standings
        assert [row.matches for row in told] == [2, 2]
        watching.cancel()
        later.cancel()


def test_a_token_that_is_revoked_watches_no_more(
    block: Ladder, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream ends, even if nothing happens."""
    monkeypatch.setattr(rpc, "_TOKEN_CHECK_S", 0.05)
    with opened([block]) as api:
        watching = visit(api.address, tokens.create(block, "ann")).call("Watch", WATCH)
        assert next(watching).HasField("standings")
        tokens.revoke(block, 1)
        found = refusal(lambda: watching)

    assert (found.code, found.reason) == (grpc.StatusCode.UNAUTHENTICATED, "BAD_TOKEN")


def test_watchers_are_told_when_the_ladder_stops(block: Ladder, visit: Visit) -> None:
    """Watchers' streams end at once, and the API waits for none."""
    with opened([block]) as api:
        watching = visit(api.address, tokens.create(block, "ann")).call("Watch", WATCH)
        assert next(watching).HasField("standings")
    found = refusal(lambda: watching)

    assert (found.code, found.reason) == (grpc.StatusCode.UNAVAILABLE, "LADDER_STOPPING")


def test_watchers_at_once(block: Ladder, visit: Visit) -> None:
    """Each author has few; leaving frees a stream."""
    with opened([block], replace(SETTINGS, limits=RateLimits(watchers_an_author=2))) as api:
        ann = visit(api.address, tokens.create(block, "ann"))
        calls = [ann.call("Watch", WATCH) for _ in range(2)]
        assert all(next(call).HasField("standings") for call in calls)
        found = refusal(lambda: ann.call("Watch", WATCH))
        calls[0].cancel()
        for _ in range(1000):  # the ladder learns later that one has left
            watching = ann.call("Watch", WATCH)
            try:
                assert next(watching).HasField("standings")
                break
            except grpc.RpcError:
                continue
        else:
            pytest.fail("a place was not given back")
        for call in (watching, calls[1]):
            call.cancel()

    assert (found.reason, found.metadata) == ("TOO_MANY_WATCHERS", {"limit": "2"})
