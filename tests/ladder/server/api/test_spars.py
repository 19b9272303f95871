"""Authors ask for spars, and only they see them."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from ladder.model.bots import Entry, ValidationResult
from ladder.model.spars import MATCHES_A_DAY, tables
from ladder.storage import tokens
from ladder.storage.db.server import Server
from ladder.storage.ladder import Ladder
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, spars
from referee.view.frames import film_of_record, view
from tests.ladder.server.api.matches import BLOCK, finish, finish_spar, planned_block, some_record
from tests.support.api_server import Answer, Visitor, serving

SEATS = 3


@pytest.fixture
def club(tmp_path: Path, server: Server | None) -> Iterator[Ladder]:
    """Open a ladder with bots of ann, bob and the owner."""
    home = planned_block(tmp_path / "club", "courtisans", SEATS, ("ann", "bob", None), server)
    with Ladder.open(home) as ladder:
        yield ladder


@pytest.fixture
def address(club: Ladder) -> Iterator[str]:
    """Serve it."""
    with serving([club]) as at:
        yield at


@pytest.fixture
def ann(club: Ladder, address: str) -> Visitor:
    """An author with a bot of her name."""
    return Visitor(address, tokens.create(club, "ann"))


@pytest.fixture
def bob(club: Ladder, address: str) -> Visitor:
    """Another one."""
    return Visitor(address, tokens.create(club, "bob"))


def asked(who: Visitor, *opponents: str, bot: str = "ann", matches: int = 3) -> Answer:
    """Ask for a spar."""
    body = {"bot": bot, "opponents": opponents, "matches": matches}
    return who.ask("POST", "/spars", json.dumps(body).encode())


def changed(who: Visitor, path: str, **what: Any) -> Answer:
    """Change a spar or a bot."""
    return who.ask("PATCH", path, json.dumps(what).encode())


def planned(ladder: Ladder) -> list[str]:
    """Return the ids of the matches to be played, in order."""
    with ladder.database.read() as tx:
        return [match.match_id for match in spars.open_matches(tx)]


@pytest.mark.costly
@pytest.mark.both_engines
def test_an_author_reads_the_results_and_the_own_seat(club: Ladder, ann: Visitor) -> None:
    """A table by opponent, each match's places, and what the own seat was told and printed."""
    assert asked(ann, "bob", "owned-2").status == 201
    for match_id in planned(club)[:2]:
        finish_spar(club, match_id, some_record("courtisans", SEATS))
    found = ann.get("/spars/1").json
    played = ann.get("/spars/1/matches").json
    log = ann.get(f"/spars/1/matches/{played[1]['match_id']}").json
    replay = ann.get(f"/spars/1/matches/{played[1]['match_id']}/replay").json

    assert (found["played"], found["waiting"], found["void"]) == (2, 1, 0)
    assert [pair["opponent"] for pair in found["pairs"]] == ["bob", "owned-2"]
    for pair in found["pairs"]:
        assert pair["matches"] == pair["ahead"] + pair["even"] + pair["behind"] == 2
        assert 0 <= pair["low"] <= pair["score"] <= pair["high"] <= 1
    assert [seat["own"] for seat in played[1]["seats"]] == [False, True, False]
    assert {match["public"] for match in played} == {False}
    assert (log["seat"], log["printed"]) == (1, "seat 1")
    told = view(film_of_record(some_record("courtisans", SEATS)), 1)
    assert replay == told | {"match": log["match"]["match_id"]}


def test_nothing_of_a_spar_shows_elsewhere(club: Ladder, ann: Visitor, bob: Visitor) -> None:
    """Neither its opponent's author nor the lists of matches know of it."""
    asked(ann, "bob")
    ids = planned(club)
    finish_spar(club, ids[0], some_record("courtisans", SEATS))
    told = [
        who.get(path)
        for who in (ann, bob)
        for path in ("/matches?limit=1000", f"/bots/{who.get('/ladder').json['author']}/logs")
    ]
    for who in (ann, bob):
        for path in (f"/matches/{ids[0]}", f"/matches/{ids[0]}/record"):
            assert who.get(path).reason == "UNKNOWN_MATCH"

    assert bob.get("/spars").json == []
    assert bob.get("/spars/1").reason == "UNKNOWN_SPAR"
    assert not any(match_id.encode() in each.body for each in told for match_id in ids)


@pytest.mark.parametrize(
    ("opponents", "more", "reason", "told"),
    [
        ((), {}, "CANNOT_SPAR", "at least one"),
        (("ann",), {}, "CANNOT_SPAR", "its own opponent"),
        (("bob", "bob"), {}, "CANNOT_SPAR", "named twice"),
        (("nobody",), {}, "UNKNOWN_BOT", "nobody"),
        (("ann",), {"bot": "bob"}, "NOT_YOUR_BOT", "one of your own"),
        (("bob",), {"matches": 0}, "BAD_REQUEST", "matches"),
        (("bob",), {"matches": MATCHES_A_DAY + 1}, "SPAR_BUDGET", f"{MATCHES_A_DAY} more"),
        (("gone",), {}, "CANNOT_SPAR", "is retired"),
        (("bad",), {}, "CANNOT_SPAR", "no version of it was accepted"),
        (("afar",), {}, "CANNOT_SPAR", "its author would see"),
    ],
)
def test_what_cannot_be_asked_for(
    club: Ladder, ann: Visitor, opponents: tuple[str, ...], more: Any, reason: str, told: str
) -> None:
    """A spar that cannot be played is refused in one line."""
    with club.database.write() as tx:
        for name, transport, rejected in (
            ("gone", "grpc", None),
            ("bad", "grpc", "it crashed"),
            ("afar", "remote", None),
        ):
            entry = Entry(name, f"{name.encode().hex():0>64}", ("x",), transport, (), "bob")
            bots.enter(tx, entry, ValidationResult(rejected=rejected))
        bots.retire(tx, "gone")
    answer = asked(ann, *opponents, **more)

    assert (answer.reason, planned(club)) == (reason, [])
    assert told in answer.json["detail"]
    assert "\n" not in answer.json["detail"]


@pytest.mark.both_engines
def test_the_budget_of_a_day(club: Ladder, ann: Visitor, bob: Visitor) -> None:
    """Each author has as many matches a day as the owner allows; withdrawing gives none back."""
    club.change({"spar_matches_a_day": 5})
    assert asked(ann, "bob", matches=4).status == 201
    changed(ann, "/spars/1", withdrawn=True)
    refused = asked(ann, "bob", matches=2)

    assert (refused.status, refused.reason) == (429, "SPAR_BUDGET")
    assert 0 < int(refused.headers["retry-after"]) <= 24 * 3600
    assert ann.get("/ladder").json["spar_matches_left"] == 1
    assert asked(bob, "ann", bot="bob", matches=5).status == 201
    with club.database.write() as tx:
        tx.execute(text("update spars set asked_at = '2020-01-01T00:00:00+00:00'"))
    assert asked(ann, "bob", matches=5).status == 201
    club.change({"spar_matches_a_day": 0})
    assert asked(ann, "bob").reason == "CANNOT_SPAR"


def test_an_author_decides_who_spars_with_a_bot(ann: Visitor, bob: Visitor) -> None:
    """By default all may; then only its own author's bots."""
    assert ann.get("/bots/bob").json["open_to_spars"]
    assert changed(ann, "/bots/bob", open_to_spars=False).reason == "NOT_YOUR_BOT"
    assert not changed(bob, "/bots/bob", open_to_spars=False).json["open_to_spars"]
    refused = asked(ann, "bob")

    assert refused.reason == "CANNOT_SPAR"
    assert "does not let others" in refused.json["detail"]
    assert asked(bob, "ann", bot="bob").status == 201


def test_withdrawn_matches_are_void(club: Ladder, ann: Visitor) -> None:
    """What was played stays; a result that comes too late is not stored."""
    asked(ann, "bob")
    ids = planned(club)
    finish_spar(club, ids[0], some_record("courtisans", SEATS))
    found = changed(ann, "/spars/1", withdrawn=True).json

    assert (found["played"], found["waiting"], found["void"]) == (1, 0, 2)
    with pytest.raises(AssertionError):
        finish_spar(club, ids[1], some_record("courtisans", SEATS))


@pytest.mark.both_engines
def test_a_waiting_spar_keeps_the_files_of_its_bots(club: Ladder, ann: Visitor) -> None:
    """A build stays while a spar waits for it, though its bot has retired since."""
    for match_id in BLOCK:
        finish(club, match_id, some_record("courtisans", SEATS))
    asked(ann, "bob")
    built = club.home.bots / f"{1:064}.build"
    built.mkdir()
    club.retire("bob")
    sweep(club)
    assert built.exists()

    changed(ann, "/spars/1", withdrawn=True)
    sweep(club)
    assert not built.exists()


def test_opponents_take_turns() -> None:
    """The bot has each seat equally often, and each opponent as many as any other."""
    found = tables(1, [2, 3, 4, 5], 12, 4)

    assert [table.index(1) for table in found] == [0, 1, 2, 3] * 3
    assert [sum(table.count(other) for table in found) for other in (2, 3, 4, 5)] == [9] * 4
    assert tables(1, [2], 2, 3) == [[1, 2, 2], [2, 1, 2]]


def test_the_day_is_of_utc(club: Ladder, ann: Visitor) -> None:
    """The refusal says when the next day begins."""
    refused = asked(ann, "bob", matches=MATCHES_A_DAY + 1)
    now = datetime.now(UTC)
    at_most = (24 - now.hour) * 3600

    assert int(refused.headers["retry-after"]) <= at_most
    assert "00:00 UTC" in refused.json["detail"]
