"""Sites and datasets of two worlds that a seat cannot tell apart are equal, byte for byte."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from itertools import count, cycle
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from ladder.model.bots import Entry, ValidationResult
from ladder.model.errors import UnknownMatchError
from ladder.model.matches import PlannedMatch
from ladder.model.pairing import rotations
from ladder.model.tournaments import Kind
from ladder.scheduling import contest
from ladder.scheduling.duel import planner as duel
from ladder.scheduling.duel.sequential import SequentialTest
from ladder.scheduling.planner import planned_matches
from ladder.scheduling.tournament import planner as tournament
from ladder.server.api.answers import Answers
from ladder.server.public import dataset
from ladder.server.public.reader import PublicReader
from ladder.server.web.export import MEMORY, export
from ladder.server.web.match_page import seat_page, seat_path
from ladder.server.web.site import Site
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.conformance.testing import play, sends
from referee.games import game_named
from referee.games.randomness import Stream
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.security.leaks.elsewhere import rebuilt
from tests.security.leaks.harness import random_match, redrawn
from tests.security.leaks.secrets_of_games import TRIED
from tests.support.games import GAMES
from tests.support.new_ladder import new_ladder

SEATS = 3
TOURNAMENT = tournament.TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3))
DUEL = duel.DuelPlan(a=1, b=2, third=3, test=SequentialTest())
Plan = tournament.TournamentPlan | duel.DuelPlan | None
"""A ladder's purpose; None: nothing in particular."""
PAGES: Sequence[tuple[Plan, set[str]]] = (
    (None, set()),
    (TOURNAMENT, {"tournament.html"}),
    (DUEL, {"duel.html"}),
)
"""A ladder's purpose, with its own page."""
MOMENT = "2026-11-21T12:00:00+00:00"
BOTS = ("ann", "bob", "cid")
OCCUPANTS = [SeatInfo(name, "1") for name in BOTS]

World = tuple[dict[str, bytes], dict[int, bytes]]
"""The files of a site and of a dataset, and what each seat's author sees."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., World]:
    """Make a ladder with one deal, some of whose matches are over, with these records in turn."""
    for module in ("ladder.storage.tables.matches", "ladder.storage.tables.bots"):
        monkeypatch.setattr(f"{module}.now", lambda: MOMENT)

    def make(name: str, plan: Plan, records: Sequence[Any], over: int) -> World:
        game = records[0].game
        home = new_ladder(tmp_path / name, "two worlds", game=game, seats=SEATS, title="A world")
        with Ladder.open(home) as ladder:
            planned = _play(ladder, plan, records, over)
            source = PublicReader(ladder)
            site = Site([(source.snapshot(), source)], live=False)
            export(site, tmp_path / f"{name}-site", 1, lambda: None)
            dataset.write(source, tmp_path / f"{name}-data", parquet=False, advance=lambda: None)
            own = {}
            for seat, bot in enumerate(BOTS):
                answers = Answers(Mock(ladder=ladder, source=source), Mock(), bot)
                with suppress(UnknownMatchError):
                    found = answers.seat(planned[0].match_id, seat)
                    path = seat_path(planned[0].match_id, seat)
                    own[seat] = seat_page(site.parts[0].frame, *found, seat, path)
        data = {f"data/{path}": body for path, body in _files(tmp_path / f"{name}-data").items()}
        return _files(tmp_path / f"{name}-site") | data, own

    return make


def _play(ladder: Ladder, plan: Plan, records: Sequence[Any], over: int) -> list[PlannedMatch]:
    with ladder.database.write() as tx:
        for i, name in enumerate(BOTS):
            entry = Entry(name, f"{i:064x}", ("./play",), "grpc", (), author=name)
            bots.enter(tx, entry, ValidationResult(rejected=None))
    if plan is not None:
        contest.begin(ladder, plan)
    planner = contest.planner_of(ladder)
    with ladder.database.write() as tx:
        blocks = [rotations((1, 2, 3))] if planner is None else planner.plan(tx) or ()
        planned = planned_matches(ladder.settings, 1, blocks, bots.all_versions(tx))
        matches.add(tx, planned)
        for match, record in zip(planned[:over], cycle(records), strict=False):
            record.match_id = match.match_id
            matches.finish(
                tx, pack(record, {}, MatchSpec(match.match_id, record.game, (None,) * SEATS, ""))
            )
    return planned


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MEMORY
    }


@cache
def _two_worlds(game: str) -> tuple[int, Any, Any]:
    """A seat, and two records that differ only in what it cannot know."""
    secrets = TRIED[game].secrets
    all_matches = (random_match(secrets, SEATS, {}, f"sites {number}") for number in count())
    here = next(one for one in all_matches if not any(d.stand_in for d in one.decisions))
    actions = [decided.action for decided in here.decisions]
    told = next(told for told in here.told if told.body == "end")
    other = redrawn(here, told, Stream("sites"))
    one, two = (
        record_of(rebuilt(here, deal, done, len(actions), "seed"), OCCUPANTS)
        for deal, done in ((here.deal, actions), (other.deal, [*other.actions]))
    )
    return told.seat, one, two


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("game", "plan"),
    [
        *(pytest.param(game, None, id=game) for game in GAMES),
        pytest.param("courtisans", TOURNAMENT, id="tournament"),
        pytest.param("courtisans", DUEL, id="duel", marks=pytest.mark.proof),
    ],
)
def test_worlds_that_a_seat_cannot_tell_apart_have_the_same_pages(
    game: str, plan: Plan, world: Callable[..., World]
) -> None:
    """While a deal is in play no file differs, nor what the seat's author sees; others' views do.

    Once it is over, of the public files only the replays for the audience differ, the dataset, and
    the bots' pages where a game measures luck.
    """
    seat, here, elsewhere = _two_worlds(game)
    (site, own), (other_site, other_own) = (
        world("here", plan, [here], 1),
        world("elsewhere", plan, [elsewhere], 1),
    )
    assert site == other_site
    assert own[seat] == other_own[seat]
    assert own != other_own
    assert not any(name.startswith("matches/") for name in site)
    (site, own), (other_site, other_own) = (
        world("here 2", plan, [here], _matches_a_deal(plan)),
        world("elsewhere 2", plan, [elsewhere], _matches_a_deal(plan)),
    )
    assert own[seat] == other_own[seat]
    replays = {name for name in site if name.startswith("matches/")}
    assert len(replays) == _matches_a_deal(plan)
    of_bots = {f"bots/{bot}.html" for bot in BOTS}
    lucky = set() if game_named(game).luck is None else {*of_bots, "report.html"}
    data = {f"data/{name}" for name in ("decisions.jsonl.gz", "datapackage.json", "README.md")}
    differing = {name for name in site if site[name] != other_site[name]}
    assert differing >= data
    assert replays == differing - lucky - data


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(("plan", "pages"), PAGES, ids=["standing", "tournament", "duel"])
def test_how_matches_went_is_on_no_page_before_their_deal_is_over(
    plan: Plan, pages: set[str], world: Callable[..., World]
) -> None:
    """Until then unrelated matches make the same pages; afterwards their pages differ."""
    one, other = _two_matches()
    one_site, other_site = (
        world(name, plan, records, _matches_a_deal(plan) - 1)[0]
        for name, records in (("one", one), ("other", other))
    )
    assert one_site == other_site
    one_site, other_site = (
        world(name, plan, records, _matches_a_deal(plan))[0]
        for name, records in (("one 2", one), ("other 2", other))
    )
    differing = {name for name in one_site if one_site[name] != other_site[name]}
    told = {"rounds/index.html", "rounds/1.html", "index.html", "bots/ann.html"}
    assert differing >= told | pages | {"data/seats.jsonl.gz"}


def _matches_a_deal(plan: Plan) -> int:
    return 2 if isinstance(plan, duel.DuelPlan) else SEATS


def _two_matches() -> tuple[list[Any], list[Any]]:
    """Records that differ in all visible things: in one a seat forfeits."""
    matches = [Match(MatchSetup("a match", "courtisans", SEATS, seed)) for seed in ("1", "2")]
    play(matches[0])
    play(matches[1], {0: {2: sends(b"rubbish")}})
    one, other = (record_of(match, OCCUPANTS) for match in matches)
    return [one], [other, one]
