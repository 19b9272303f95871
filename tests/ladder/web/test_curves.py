"""Curves are the ladder's own fold, step by step."""

from ladder.rating.trueskill import TrueSkill
from ladder.web.curves import Curves
from ladder.web.data import Snapshot


def test_a_curve_ends_where_the_rating_is(snapshot: Snapshot) -> None:
    """A curve has a step for each match, and the last one is the rating that the store holds."""
    for tally in snapshot.tallies:
        curve = snapshot.curves[tally.version.id]
        assert curve.ratings[-1] == tally.rating
        assert len(curve.ratings) == tally.matches


def test_going_on_is_the_same_as_beginning_anew(snapshot: Snapshot) -> None:
    """Matches that are folded in two goes give the curves of one."""
    curves = Curves(TrueSkill())
    curves.follow(snapshot.finished[:100])
    assert curves.follow(snapshot.finished) == snapshot.curves


def test_other_matches_begin_anew(snapshot: Snapshot) -> None:
    """When the matches are not those that were folded, nothing of these is left."""
    curves = Curves(TrueSkill())
    curves.follow(snapshot.finished[5:60])
    assert curves.follow(snapshot.finished) == snapshot.curves
    assert curves.follow([]) == {}
