"""Authors see all of a public match, and before that only the own seat."""

import shutil
from base64 import b64decode
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from ladder.cli.remote.client import RemoteLadder
from ladder.model.directives import Directive, DirectiveKind
from ladder.model.incidents import STORED, IncidentKind
from ladder.model.matches import MatchState
from ladder.results import incidents, queries
from ladder.server.api.context import ApiSettings
from ladder.server.api.rate_limits import RateLimits
from ladder.storage import tokens
from ladder.storage.db.schema import matches
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import directives
from ladder.storage.tables import incidents as stored_incidents
from ladder.storage.tables import matches as stored_matches
from referee.games.randomness import Stream
from referee.match.record import SeatInfo, record_from_json, record_of
from tests.ladder.server.api.matches import BLOCK, finish, planned_block, some_record
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.api_server import Answer, Visitor, serving
from tests.support.games import GAMES

pytestmark = pytest.mark.both_engines

SEATS = 3
AUTHORS = ("ann", "bob", "cat")
FIRST = f"/matches/{BLOCK[0]}"


def generous() -> ApiSettings:
    """Let authors ask as often as they like."""
    return ApiSettings(limits=RateLimits(requests=10_000))


@pytest.fixture
def block(tmp_path: Path, server: Server | None) -> Iterator[Ladder]:
    """Open a ladder where ann, bob and cat have played one of the two matches of a deal."""
    home = planned_block(tmp_path / "block", "courtisans", SEATS, AUTHORS, server)
    with Ladder.open(home) as ladder:
        finish(ladder, BLOCK[0], some_record("courtisans", SEATS, fault_of=1))
        yield ladder


@pytest.fixture
def authors(block: Ladder) -> Iterator[list[Visitor]]:
    """Let ann, bob, cat, and dan, who has no bot there, reach the ladder."""
    with serving([block], generous()) as address:
        yield [Visitor(address, tokens.create(block, name)) for name in (*AUTHORS, "dan")]


@pytest.mark.costly
def test_before_the_deal_is_played_out(authors: list[Visitor]) -> None:
    """An author sees the own seat's result and knowledge, and nothing else of the match."""
    ann, _, _, dan = authors

    match = ann.get(FIRST).json
    assert (match["state"], match["public"]) == ("done", False)
    assert [seat["bot"] for seat in match["seats"]] == [*AUTHORS]
    assert [seat["outcome"] is not None for seat in match["seats"]] == [True, False, False]
    assert (match["decisions"], match["finished_at"]) == (None, None)
    assert ann.get(f"{FIRST}/replay?seat=0").json["viewer"] == 0
    for path in (f"{FIRST}/replay", f"{FIRST}/replay?seat=1", f"{FIRST}/record"):
        found = ann.get(path)
        assert (found.status, found.reason) == (409, "DEAL_IN_PLAY")
        assert found.json["detail"].endswith("all seats; your seats, till then: 0")
    assert dan.get(FIRST).reason == "DEAL_IN_PLAY"
    assert ann.get("/matches").json == []
    assert [row["matches"] for row in ann.get("/standings").json["standings"]] == [0] * SEATS


def test_a_match_that_was_taken_out_stays_secret_while_its_deal_is_played(
    block: Ladder, authors: list[Visitor]
) -> None:
    """A voided match's record tells of the deal: an author gets only the own seat's view."""
    with block.database.write() as tx:
        stored_matches.take_out(tx, BLOCK[0], "played with the wrong files")
    ann, *_, dan = authors

    assert ann.get(f"{FIRST}/replay?seat=0").json["viewer"] == 0
    for author in (ann, dan):
        assert author.get(f"{FIRST}/replay").reason == "DEAL_IN_PLAY"
        assert author.get(f"{FIRST}/record").reason == "DEAL_IN_PLAY"
    finish(block, BLOCK[1], some_record("courtisans", SEATS))
    assert dan.get(f"{FIRST}/record").json["match_id"] == BLOCK[0]


def test_once_the_deal_is_played_out(block: Ladder) -> None:
    """Everybody sees the whole match and its stored record."""
    record = some_record("courtisans", SEATS)
    finish(block, BLOCK[1], record)
    with serving([block]) as address:
        dan = Visitor(address, tokens.create(block, "dan"))

        listed = dan.get("/matches?limit=1").json
        of_bob = dan.get("/matches?bot=bob").json
        match = dan.get(f"/matches/{BLOCK[1][:6]}").json
        stored = dan.get(f"/matches/{BLOCK[1]}/record").body.decode()
        audience = dan.get(f"/matches/{BLOCK[1]}/replay").json

    assert [each["match_id"] for each in of_bob] == [BLOCK[1], BLOCK[0]]
    assert listed == [match]
    assert match["public"]
    ranks = [seat["outcome"]["rank"] for seat in match["seats"]]
    assert ranks == [o.rank for o in record.outcomes]
    assert match["decisions"] == len(record.decisions)
    assert record_from_json(stored) == record
    assert audience["viewer"] is None


def test_what_is_asked_for_has_to_be_there(authors: list[Visitor]) -> None:
    """Unknown matches and seats, and too large a limit, are refused."""
    ann = authors[0]
    wrong = {
        "UNKNOWN_MATCH": ["/matches/f00", f"/matches/{BLOCK[1]}/record", "/bots/ann/logs/f00"],
        "UNKNOWN_BOT": [
            *("/versions?bot=nobody", "/bots/nobody", "/matches?bot=nobody"),
            "/bots/ann/versions/2",
        ],
        "BAD_REQUEST": [
            *(f"{FIRST}/replay?seat=3", f"{FIRST}/replay?seat=-1", "/matches?limit=1001"),
            *("/matches?limit=x", "/bots/ann/logs?limit=101", "/bots/ann/versions/x"),
        ],
        "NOT_YOUR_BOT": ["/bots/bob/logs", f"/bots/bob/logs/{BLOCK[0]}", "/bots/bob/versions/1"],
    }
    for reason, paths in wrong.items():
        assert {ann.get(path).reason for path in paths} == {reason}


def test_logs_are_for_the_author(authors: list[Visitor]) -> None:
    """An author sees the own times and fault, and the bot's output."""
    _, bob, *_ = authors

    listed = next(log for log in bob.get("/bots/bob/logs").json if log["seat"] is not None)
    log = bob.get(f"/bots/bob/logs/{BLOCK[0][:4]}").json

    assert (listed["seat"], listed["has_printed"], listed["printed"]) == (1, True, None)
    assert (log["seat"], log["printed"], log["match"]["match_id"]) == (1, "mine", BLOCK[0])
    assert [decision["number"] for decision in log["decisions"]] == [1, 2]
    assert b64decode(log["fault"]["received"]) == b"rubbish"
    assert log["decisions"] == listed["decisions"]


def test_values_come_over_the_wire_as_they_are(block: Ladder) -> None:
    """A client receives the values that the ladder itself returns."""
    from ladder.results import author_log  # noqa: PLC0415 - two modules of one name would meet here

    finish(block, BLOCK[1], some_record("courtisans", SEATS, fault_of=0))
    with serving([block]) as api, RemoteLadder(api, tokens.create(block, "ann")) as remote:
        _, _, seat_log = remote.log("ann", BLOCK[1])
        found = remote.matches(None, 5)
        (row, *_) = [row for row in remote.standings()[0] if row.bot == "ann"]
        record = remote.record(BLOCK[1])

    here = author_log.seat_log(block, queries.match(block, BLOCK[1]), "ann")
    assert seat_log
    assert here
    assert (seat_log.decisions, seat_log.fault, seat_log.printed) == (
        here.decisions,
        here.fault,
        "mine",
    )
    assert [(each.match_id, each.state) for each in found] == [
        (BLOCK[1], MatchState.DONE),
        (BLOCK[0], MatchState.DONE),
    ]
    assert [seat.result for seat in found[0].seats] == [s.result for s in here.match.seats]
    assert found[0].finished_at == here.match.finished_at
    assert (row.matches, row.fault_rate) == (2, 0.5)
    assert record.master_seed


def test_an_author_learns_what_happened_to_matches(block: Ladder) -> None:
    """The logs tell every kind of incident as the ladder itself does, also of a void match."""
    with block.database.write() as tx:
        for kind in STORED:
            stored_incidents.add(tx, kind, f"why {kind}", [BLOCK[0]])
        for decided in (DirectiveKind.ANNUL, DirectiveKind.RETRACT):
            directives.add(tx, Directive(decided, 1, "a protest", match_id=BLOCK[0]))
        stored_incidents.add(tx, IncidentKind.RETRIED, "its worker was lost", [BLOCK[1]])
    with serving([block]) as api, RemoteLadder(api, tokens.create(block, "ann")) as remote:
        early = remote.logs("ann", 5)[1]
        with block.database.write() as tx:
            stored_matches.drop(tx, BLOCK[1], "it is over")
        late = remote.logs("ann", 5)[1]
        (_, of_first, seat_log), (line, of_void, none) = (remote.log("ann", name) for name in BLOCK)

    here = [each for _, happened in incidents.of_bot(block, "ann", 5) for each in happened]
    assert {each.kind for each in here} == set(IncidentKind)
    assert [each for each, _ in late] == here
    assert [*of_void, *of_first] == here
    assert (seat_log is None, none, line.state) == (False, None, MatchState.VOID)
    reasons = {each.why for each, _ in early if each.kind in STORED}
    assert reasons == {"the reason is told once its deal is played on all seats"}


def asked_by(author: Visitor, bot: str, seat: int) -> list[bytes]:
    """Return all bytes that an author can get, refusals and headers too."""
    paths = [
        *(FIRST, f"{FIRST}/record", f"{FIRST}/replay"),
        *(f"{FIRST}/replay?seat={n}" for n in range(SEATS)),
        *("/matches", "/standings", "/versions", "/tournament", f"/bots/{bot}"),
        f"/bots/{bot}/logs",
        *(f"/bots/{name}/logs/{BLOCK[0]}" for name in AUTHORS),
    ]
    answers = [author.get(path) for path in paths]
    told = [repr((each.status, _headers(each), each.body)).encode() for each in answers]
    with author.opened("GET", "/watch") as watching:
        told.append(watching.readline() + watching.readline())
    views = [each.json["viewer"] for each in answers if each.body.startswith(b'{"fo')]
    assert seat in views
    return told


def _headers(answer: Answer) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in answer.headers.items() if name != "date")


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_bytes_do_not_depend_on_what_is_hidden(game: str, tmp_path: Path) -> None:
    """Matches that differ only in what a seat cannot know give its author the same bytes.

    They also end at different times, the others think for longer, and the referee pauses.
    """
    secrets = TRIED[game].secrets
    occupants = [SeatInfo(name, "1") for name in AUTHORS]
    tries = (random_match(secrets, SEATS, {}, f"door {number}") for number in count())
    here = next(found for found in tries if not any(d.stand_in for d in found.decisions))
    actions = [decided.action for decided in here.decisions]
    ends = [told for told in here.told if told.body == "end"]
    planned_block(tmp_path / "planned", game, SEATS, AUTHORS)
    worlds = [(here.deal, actions)]
    for told in ends:
        world = redrawn(here, told, Stream(str(told.seat)))
        worlds.append((world.deal, [*world.actions]))
    ladders = []
    for number, (deal, done) in enumerate(worlds):
        shutil.copytree(tmp_path / "planned", tmp_path / str(number))
        ladder = Ladder.open(Home(tmp_path / str(number)))
        ladders.append(ladder)
        record = record_of(rebuilt(here, deal, done, len(actions), "seed"), occupants)
        if number:
            _slow_down(record, but=ends[number - 1].seat)
        finish(ladder, BLOCK[0], record)
        with ladder.database.write() as tx:
            tx.execute(update(matches).values(finished_at=f"2026-01-0{number + 1}T00:00:00+00:00"))

    with serving(ladders, generous()) as api:
        for told, other in zip(ends, ladders[1:], strict=True):
            name = AUTHORS[told.seat]
            one, two = (
                asked_by(Visitor(api, tokens.create(each, name)), name, told.seat)
                for each in (ladders[0], other)
            )
            assert one == two
        for each in ladders:
            finish(each, BLOCK[1], queries.record(each, queries.match(each, BLOCK[0])))
        public = [_public(Visitor(api, tokens.create(each, "dan"))) for each in ladders]
        assert len(set(public)) == len(public)
    for each in ladders:
        each.__exit__(None, None, None)


def _slow_down(record: Any, but: int) -> None:
    """Let the others think for longer, and the referee pause."""
    record.pauses_us.append(2_000_000)
    for decision in record.decisions:
        if decision.seat != but:
            decision.elapsed_us += 1000
            decision.wall_us += 1000


def _public(visitor: Visitor) -> bytes:
    return visitor.get(f"{FIRST}/replay").body
