"""A ladder's owner decides whether points count besides places."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ladder.model.matches import PlannedMatch, Played
from ladder.model.settings import RatedBy
from ladder.results import queries
from ladder.results.standings import standings
from ladder.results.strengths import rating_of_record
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

Command = Callable[..., Any]
_RANKS = [(1, 2, 3, 4), (2, 1, 3, 4), (1, 3, 2, 4), (1, 2, 4, 3), (2, 1, 3, 4), (1, 2, 3, 4)]


@pytest.fixture
def pointed(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """Matches of four bots: the third is last but one by little, the last by much."""
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        for number, ranks in enumerate(_RANKS * 3):
            match = PlannedMatch(f"{number:032x}", number + 1, 0, four)
            matches.add(tx, [match])
            result = played(match, *ranks)
            points = [12 - 2 * rank if rank < 4 else -30 for rank in ranks]
            seats = [replace(s, points=p) for s, p in zip(result.seats, points, strict=True)]
            matches.finish(tx, replace(result, seats=tuple(seats)))
    return ladder


def ratings(ladder: Ladder) -> dict[str, tuple[float, float]]:
    """Return the standings' ratings, by bot."""
    rows = standings(queries.tallies(ladder), rating_of_record(ladder).strengths)
    return {row.bot: (row.mu, row.sigma) for row in rows}


def test_it_is_said_when_a_ladder_is_made(command: Command, tmp_path: Path) -> None:
    """Points count unless `init` asks for places; settings show which."""
    command("init", tmp_path / "both")
    command("init", tmp_path / "places", "--by", "places")
    with Ladder.open(Home(tmp_path / "both")) as both:
        assert both.settings.rated_by is RatedBy.POINTS
    shown = command("settings", "--ladder", tmp_path / "places").out

    assert re.search(r"^rated by +places alone *$", shown, re.MULTILINE)
    with Ladder.open(Home(tmp_path / "places")) as places:
        assert places.settings.rated_by is RatedBy.PLACES


def test_it_is_changed_at_any_time(command: Command, pointed: Ladder) -> None:
    """All ratings follow at once, and return as before."""
    before = ratings(pointed)
    there = ("--ladder", pointed.home.path)

    said = command("settings", "--by", "places", *there)
    with Ladder.open(pointed.home) as again:
        by_places = ratings(again)
    command("settings", "--by", "points", *there)
    with Ladder.open(pointed.home) as again:
        by_points = ratings(again)

    assert "places alone" in said.out
    assert by_places.keys() == before.keys()
    assert all(by_places[bot] != before[bot] for bot in before)
    assert by_points == before


def test_what_there_is_not(command: Command, pointed: Ladder) -> None:
    """An unknown word is refused, with the known ones."""
    ended = command("settings", "--by", "luck", "--ladder", pointed.home.path)

    assert ended.status == 1
    assert "'luck' is not one of 'points', 'places'" in ended.err
    assert pointed.settings.rated_by is RatedBy.POINTS
