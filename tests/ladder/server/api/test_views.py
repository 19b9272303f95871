"""Authors see all of a public match, and before that only the own seat."""

import json
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import grpc
import pytest
from courtyard.v1 import ladder_pb2 as pb
from sqlalchemy import update

from ladder.cli.remote.client import RemoteLadder
from ladder.model.directives import Directive, DirectiveKind
from ladder.model.incidents import STORED, IncidentKind
from ladder.model.matches import MatchState
from ladder.results import incidents, queries
from ladder.storage import tokens
from ladder.storage.db.schema import matches
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import directives
from ladder.storage.tables import incidents as stored_incidents
from ladder.storage.tables import matches as stored_matches
from referee.games.randomness import Stream
from referee.match.record import SeatInfo, record_of
from tests.ladder.server.api.conftest import Refused, Visit, Visitor, opened, refusal
from tests.ladder.server.api.matches import BLOCK, finish, planned_block, some_record
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES

pytestmark = pytest.mark.both_engines

SEATS = 3
AUTHORS = ("ann", "bob", "cat")


@pytest.fixture
def block(tmp_path: Path, server: Server | None) -> Iterator[Ladder]:
    """Open a ladder where ann, bob and cat have played one of the two matches of a deal."""
    home = planned_block(tmp_path / "block", "courtisans", SEATS, AUTHORS, server)
    with Ladder.open(home) as ladder:
        finish(ladder, BLOCK[0], some_record("courtisans", SEATS, fault_of=1))
        yield ladder


@pytest.fixture
def authors(block: Ladder, visit: Visit) -> Iterator[list[Visitor]]:
    """Connect ann, bob, cat, and dan, who has no bot there."""
    with opened([block]) as api:
        yield [visit(api.address, tokens.create(block, name)) for name in (*AUTHORS, "dan")]


def refused(visitor: Visitor, method: str, request: Any) -> Refused:
    """Return how a call is refused."""
    return refusal(lambda: visitor.call(method, request))


def test_before_the_deal_is_played_out(authors: list[Visitor]) -> None:
    """An author sees the own seat's result and knowledge, and nothing else of the match."""
    ann, _, _, dan = authors

    match = ann.call("GetMatch", pb.GetMatchRequest(match_id=BLOCK[0])).match
    assert (match.state, match.public) == (pb.MATCH_STATE_DONE, False)
    assert [seat.bot for seat in match.seats] == [*AUTHORS]
    assert [seat.HasField("outcome") for seat in match.seats] == [True, False, False]
    assert (match.decisions, match.HasField("finished_at")) == (0, False)
    own = pb.GetReplayRequest(match_id=BLOCK[0], seat=0)
    assert json.loads(ann.call("GetReplay", own).frames)["viewer"] == 0
    for method, request in (
        ("GetReplay", pb.GetReplayRequest(match_id=BLOCK[0])),
        ("GetReplay", pb.GetReplayRequest(match_id=BLOCK[0], seat=1)),
        ("GetRecord", pb.GetRecordRequest(match_id=BLOCK[0])),
    ):
        found = refused(ann, method, request)
        assert (found.code, found.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION,
            "DEAL_IN_PLAY",
        )
        assert found.message.endswith("all seats; your seats, till then: 0")
    assert refused(dan, "GetMatch", pb.GetMatchRequest(match_id=BLOCK[0])).reason == "DEAL_IN_PLAY"
    assert not ann.call("ListMatches", pb.ListMatchesRequest()).matches
    assert [
        row.matches for row in ann.call("ListStandings", pb.ListStandingsRequest()).standings
    ] == [0] * SEATS


def test_a_match_that_was_taken_out_stays_secret_while_its_deal_is_played(
    block: Ladder, authors: list[Visitor]
) -> None:
    """A voided match's record tells of the deal: an author gets only the own seat's view."""
    with block.database.write() as tx:
        stored_matches.take_out(tx, BLOCK[0], "played with the wrong files")
    ann, *_, dan = authors

    own = ann.call("GetReplay", pb.GetReplayRequest(match_id=BLOCK[0], seat=0))
    assert json.loads(own.frames)["viewer"] == 0
    audience = pb.GetReplayRequest(match_id=BLOCK[0])
    whole = pb.GetRecordRequest(match_id=BLOCK[0])
    for author in (ann, dan):
        assert refused(author, "GetReplay", audience).reason == "DEAL_IN_PLAY"
        assert refused(author, "GetRecord", whole).reason == "DEAL_IN_PLAY"
    finish(block, BLOCK[1], some_record("courtisans", SEATS))
    assert dan.call("GetRecord", whole).record.match_id == BLOCK[0]


def test_once_the_deal_is_played_out(block: Ladder, visit: Visit) -> None:
    """Everybody sees the whole match and its stored record."""
    record = some_record("courtisans", SEATS)
    finish(block, BLOCK[1], record)
    with opened([block]) as api:
        dan = visit(api.address, tokens.create(block, "dan"))

        listed = dan.call("ListMatches", pb.ListMatchesRequest(limit=1)).matches
        of_bob = dan.call("ListMatches", pb.ListMatchesRequest(bot="bob")).matches
        match = dan.call("GetMatch", pb.GetMatchRequest(match_id=BLOCK[1][:6])).match
        stored = dan.call("GetRecord", pb.GetRecordRequest(match_id=BLOCK[1])).record
        audience = dan.call("GetReplay", pb.GetReplayRequest(match_id=BLOCK[1])).frames

    assert [each.match_id for each in of_bob] == [BLOCK[1], BLOCK[0]]
    assert [*listed] == [match]
    assert match.public
    assert [seat.outcome.rank for seat in match.seats] == [o.rank for o in record.outcomes]
    assert match.decisions == len(record.decisions)
    assert stored == record
    assert json.loads(audience)["viewer"] is None


def test_what_is_asked_for_has_to_be_there(authors: list[Visitor]) -> None:
    """Unknown matches and seats, and too large a limit, are refused."""
    ann = authors[0]
    wrong = {
        "UNKNOWN_MATCH": [
            ("GetMatch", pb.GetMatchRequest(match_id="f00")),
            ("GetMatch", pb.GetMatchRequest()),
            ("GetRecord", pb.GetRecordRequest(match_id=BLOCK[1])),
            ("GetLog", pb.GetLogRequest(bot="ann", match_id="f00")),
        ],
        "UNKNOWN_BOT": [
            ("ListVersions", pb.ListVersionsRequest(bot="nobody")),
            ("ListMatches", pb.ListMatchesRequest(bot="nobody")),
            ("GetTrial", pb.GetTrialRequest(bot="ann", version=2)),
        ],
        "BAD_REQUEST": [
            ("GetReplay", pb.GetReplayRequest(match_id=BLOCK[0], seat=3)),
            ("ListMatches", pb.ListMatchesRequest(limit=1001)),
            ("ListLogs", pb.ListLogsRequest(bot="ann", limit=101)),
        ],
        "NOT_YOUR_BOT": [
            ("ListLogs", pb.ListLogsRequest(bot="bob")),
            ("GetLog", pb.GetLogRequest(bot="bob", match_id=BLOCK[0])),
            ("GetTrial", pb.GetTrialRequest(bot="bob")),
        ],
    }
    for reason, calls in wrong.items():
        assert {refused(ann, *call).reason for call in calls} == {reason}


def test_logs_are_for_the_author(authors: list[Visitor], block: Ladder) -> None:
    """An author sees the own times and fault, and the bot's output."""
    _, bob, *_ = authors

    (listed,) = bob.call("ListLogs", pb.ListLogsRequest(bot="bob")).logs
    log = bob.call("GetLog", pb.GetLogRequest(bot="bob", match_id=BLOCK[0][:4])).log

    assert (listed.seat, listed.has_printed, listed.printed) == (1, True, "")
    assert (log.seat, log.printed, log.match.match_id) == (1, "mine", BLOCK[0])
    assert [thought.number for thought in log.thoughts] == [1, 2]
    assert log.fault.received == b"rubbish"
    assert log.thoughts == listed.thoughts


def test_values_come_over_the_wire_as_they_are(block: Ladder) -> None:
    """A client receives the values that the ladder itself returns."""
    from ladder.results import author_log  # noqa: PLC0415 - two modules of one name would meet here

    finish(block, BLOCK[1], some_record("courtisans", SEATS, fault_of=0))
    with opened([block]) as api, RemoteLadder(api.address, tokens.create(block, "ann")) as remote:
        _, _, lived = remote.log("ann", BLOCK[1])
        found = remote.matches(None, 5)
        (row, *_) = [row for row in remote.standings()[0] if row.bot == "ann"]
        record = remote.record(BLOCK[1])

    here = author_log.lived(block, queries.match(block, BLOCK[1]), "ann")
    assert lived
    assert here
    assert (lived.thoughts, lived.fault, lived.printed) == (here.thoughts, here.fault, "mine")
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
    with opened([block]) as api, RemoteLadder(api.address, tokens.create(block, "ann")) as remote:
        early = remote.logs("ann", 5)[1]
        with block.database.write() as tx:
            stored_matches.drop(tx, BLOCK[1], "it is over")
        late = remote.logs("ann", 5)[1]
        (_, of_first, lived), (line, of_void, none) = (remote.log("ann", name) for name in BLOCK)

    here = [each for _, happened in incidents.of_bot(block, "ann", 5) for each in happened]
    assert {each.kind for each in here} == set(IncidentKind)
    assert [each for each, _ in late] == here
    assert [*of_void, *of_first] == here
    assert (lived is None, none, line.state) == (False, None, MatchState.VOID)
    reasons = {each.why for each, _ in early if each.kind in STORED}
    assert reasons == {"the reason is told once its deal is played on all seats"}


def asked_by(author: Visitor, bot: str, seat: int) -> list[bytes]:
    """Return all bytes that an author can get, refusals too."""
    match_id = BLOCK[0]
    calls: list[tuple[str, Any]] = [
        ("GetMatch", pb.GetMatchRequest(match_id=match_id)),
        ("GetRecord", pb.GetRecordRequest(match_id=match_id)),
        ("GetReplay", pb.GetReplayRequest(match_id=match_id)),
        *(("GetReplay", pb.GetReplayRequest(match_id=match_id, seat=n)) for n in range(SEATS)),
        ("ListMatches", pb.ListMatchesRequest()),
        ("ListStandings", pb.ListStandingsRequest()),
        ("ListVersions", pb.ListVersionsRequest()),
        ("ListLogs", pb.ListLogsRequest(bot=bot)),
        ("GetLog", pb.GetLogRequest(bot=bot, match_id=match_id)),
        *(("GetLog", pb.GetLogRequest(bot=name, match_id=match_id)) for name in AUTHORS),
    ]
    told = [_bytes(author, *call) for call in calls]
    watching = author.call("Watch", pb.WatchRequest())
    told.append(next(watching).SerializeToString(deterministic=True))
    watching.cancel()
    assert seat in [json.loads(frames)["viewer"] for frames in told if frames.startswith(b'{"fo')]
    return told


def _bytes(author: Visitor, method: str, request: Any) -> bytes:
    try:
        answer = author.call(method, request)
    except grpc.RpcError as error:
        return repr((error.code(), error.details(), error.trailing_metadata())).encode()
    if method == "GetReplay":
        return bytes(answer.frames)
    return bytes(answer.SerializeToString(deterministic=True))


@pytest.mark.parametrize("game", GAMES)
def test_bytes_do_not_depend_on_what_is_hidden(game: str, tmp_path: Path, visit: Visit) -> None:
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

    with opened(ladders) as api:
        for told, other in zip(ends, ladders[1:], strict=True):
            name = AUTHORS[told.seat]
            one, two = (
                asked_by(visit(api.address, tokens.create(each, name)), name, told.seat)
                for each in (ladders[0], other)
            )
            assert one == two
        for each in ladders:
            finish(each, BLOCK[1], queries.record(each, queries.match(each, BLOCK[0])))
        public = [_public(visit(api.address, tokens.create(each, "dan"))) for each in ladders]
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
    request = pb.GetReplayRequest(match_id=BLOCK[0])
    return bytes(visitor.call("GetReplay", request).frames)
