"""Curves are the ladder's own fold, step by step."""

import shutil
from pathlib import Path

from ladder.home import Home
from ladder.ladder import Ladder
from ladder.rating.trueskill import TrueSkill
from ladder.settings import Tuning
from ladder.web.curves import Curves
from ladder.web.snapshot import Snapshot
from ladder.web.source import Source


def test_a_curve_ends_where_the_rating_is(snapshot: Snapshot) -> None:
    """A curve has a step for each match, and the last one is the rating that the store holds."""
    for tally in snapshot.tallies:
        curve = snapshot.curves[tally.version.id]
        assert curve.ratings[-1] == tally.rating
        assert len(curve.ratings) == tally.matches


def test_going_on_is_the_same_as_beginning_anew(snapshot: Snapshot) -> None:
    """Matches that are folded in two goes give the curves of one."""
    curves = Curves(TrueSkill(Tuning()))
    curves.follow(snapshot.finished[:100])
    assert curves.follow(snapshot.finished) == snapshot.curves


def test_other_matches_begin_anew(snapshot: Snapshot) -> None:
    """When the matches are not those that were folded, nothing of these is left."""
    curves = Curves(TrueSkill(Tuning()))
    curves.follow(snapshot.finished[5:60])
    assert curves.follow(snapshot.finished) == snapshot.curves
    assert curves.follow([]) == {}


def test_another_tuning_begins_anew(courtisans: Path, tmp_path: Path) -> None:
    """Once the owner had the game measured, a server that reads on shows what is stored."""
    shutil.copytree(courtisans, tmp_path / "ladder")
    home = Home(tmp_path / "ladder")
    with Ladder.open(home) as served, Ladder.open(home) as owned:
        source = Source(served)
        before = source.snapshot()
        assert owned.rerate(tune=True)
        after = source.snapshot()

    for old, new in zip(before.tallies, after.tallies, strict=True):
        assert old.rating != new.rating
        assert after.curves[new.version.id].ratings[-1] == new.rating
