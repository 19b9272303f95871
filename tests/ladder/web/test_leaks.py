"""Whole sites of two worlds that a seat cannot tell apart: they are the same, byte for byte."""

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ladder.ladder import Ladder, create
from ladder.models import Entry, PlannedMatch, Trial
from ladder.records import pack
from ladder.store import bots, matches, ratings
from ladder.web.data import Source
from ladder.web.export import MEMORY, export
from ladder.web.match_page import seat_page
from ladder.web.site import Site
from referee.clock import ClockConfig
from referee.games import GAMES
from referee.games.randomness import Stream
from referee.host import MatchSpec
from referee.record import Occupant, record_of
from referee.sandbox.program import Level
from tests.referee.leaks.elsewhere import rebuilt
from tests.referee.leaks.harness import random_match
from tests.referee.leaks.secrets_of_games import TRIED

SEATS = 3
IDS = [f"{number:032x}" for number in (1, 2)]
MOMENT = "2026-11-21T12:00:00+00:00"
BOTS = ("ann", "bob", "cid")

World = tuple[dict[str, bytes], dict[int, bytes]]
"""The files of a site, and for each seat what its author is shown."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., World]:
    """Make a ladder with a block of two matches, of which some are over with this record."""
    for module in ("ladder.store.matches", "ladder.store.bots"):
        monkeypatch.setattr(f"{module}.now", lambda: MOMENT)

    def make(name: str, record: Any, over: int) -> World:
        home = create(
            tmp_path / name,
            game=record.game,
            seats=SEATS,
            config={},
            clock=ClockConfig(),
            seed="two worlds",
            sandbox=Level.TRUSTED,
        )
        with Ladder.open(home) as ladder:
            _play(ladder, record, over)
            source = Source(ladder)
            site = Site([(source.snapshot(), source.record)], live=False)
            export(site, tmp_path / f"{name}-site", 1, lambda: None)
            own = {}
            for seat, bot in enumerate(BOTS):
                found = source.kept_match(IDS[0], seat, bot)
                if found:
                    part = site.parts[0]
                    own[seat] = seat_page(part.frame, part.slug, *found, seat)
        return _files(tmp_path / f"{name}-site"), own

    return make


def _play(ladder: Ladder, record: Any, over: int) -> None:
    with ladder.database.write() as tx:
        for i, name in enumerate(BOTS):
            entry = Entry(name, f"{i:064x}", ("./play",), "grpc", (), author=name)
            bots.enter(tx, entry, Trial(rejected=None))
        seats = tuple(bots.active(tx))
        planned = [PlannedMatch(id_, 1, i, seats, deal="a deal") for i, id_ in enumerate(IDS)]
        matches.add(tx, planned)
        for match in planned[:over]:
            record.match_id = match.match_id
            matches.finish(
                tx, pack(record, {}, MatchSpec(match.match_id, record.game, (None,) * SEATS, ""))
            )
        ratings.fold(tx, ladder.rater)


def _files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != MEMORY
    }


def _two_worlds(game: str) -> tuple[int, Any, Any]:
    """A seat, and two records that differ only in what this seat cannot know."""
    secrets = TRIED[game].secrets
    all_matches = (random_match(secrets, SEATS, {}, f"sites {number}") for number in count())
    here = next(one for one in all_matches if not any(d.stand_in for d in one.decisions))
    actions = [decided.action for decided in here.decisions]
    told = next(told for told in here.told if told.body == "end")
    other = secrets.redraw(here.deal, here.decisions, told, Stream("sites"))
    occupants = [Occupant(name, "1") for name in BOTS]
    one, two = (
        record_of(rebuilt(here, deal, done, len(actions), "seed"), occupants)
        for deal, done in ((here.deal, actions), (other.deal, [*other.actions]))
    )
    return told.seat, one, two


@pytest.mark.parametrize("game", GAMES)
def test_worlds_that_a_seat_cannot_tell_apart_have_the_same_pages(
    game: str, world: Callable[..., World]
) -> None:
    """While a deal is in play no file differs, nor what the seat's author is shown; others' do.

    Once it is over, the replays for the audience differ, and still nothing else does.
    """
    seat, here, elsewhere = _two_worlds(game)
    (site, own), (other_site, other_own) = (
        world("here", here, 1),
        world("elsewhere", elsewhere, 1),
    )
    assert site == other_site
    assert own[seat] == other_own[seat]
    assert own != other_own
    assert not any(name.startswith("matches/") for name in site)
    (site, own), (other_site, _) = world("here 2", here, 2), world("elsewhere 2", elsewhere, 2)
    assert own == {}
    differing = {name for name in site if site[name] != other_site[name]}
    assert differing == {f"matches/{id_}.html" for id_ in IDS}
