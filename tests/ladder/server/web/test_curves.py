"""Curves are the past rating of record, and end with the present one."""

import shutil
from pathlib import Path

from ladder.model.settings import RatedBy
from ladder.results.evidence import Evidence, may_have_played
from ladder.server.public.curves import Looks, curves
from ladder.server.public.reader import Source
from ladder.server.public.snapshot import Snapshot
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder


def test_a_curve_ends_where_the_rating_is(snapshot: Snapshot) -> None:
    """A curve ends at the one rating, after all matches of its version."""
    for tally in snapshot.tallies:
        points = snapshot.curves[tally.version.id].points
        now = snapshot.strengths[tally.version.id]
        assert (points[-1].matches, points[-1].mu, points[-1].sigma) == (
            tally.matches,
            now.mu,
            now.sigma,
        )
        assert [p.matches for p in points] == sorted({p.matches for p in points})


def test_a_point_is_what_a_look_then_would_have_shown(courtisans: Path, tmp_path: Path) -> None:
    """A point keeps its rating whatever rounds follow."""
    shutil.copytree(courtisans, tmp_path / "ladder")
    with Ladder.open(Home(tmp_path / "ladder")) as ladder, ladder.database.read() as tx:
        looks = Looks().through(tx, ladder.settings, 12)
        evidence = Evidence(may_have_played(tx), ladder.settings)
        evidence.read(tx, looks[-2].round)
        mu, sigma = evidence.ranking(()).ratings()

    assert [look.round for look in looks[:8]] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert looks[-1].round <= 12
    for version, rating in looks[-2].ratings.items():
        i = [v.id for v in evidence.versions].index(version)
        assert rating == (mu[i], sigma[i])


def test_going_on_is_the_same_as_beginning_anew(courtisans: Path) -> None:
    """Rounds read in two goes give the same curves as in one."""
    with Ladder.open(Home(courtisans)) as ladder, ladder.database.read() as tx:
        goes, once = Looks(), Looks()
        goes.through(tx, ladder.settings, 3)

        assert goes.through(tx, ladder.settings, 9) == once.through(tx, ladder.settings, 9)
        assert goes.through(tx, ladder.settings, 2) == once.through(tx, ladder.settings, 2)
        assert len(once.through(tx, ladder.settings, 0)) == 0


def test_who_has_played_nothing_has_no_curve(snapshot: Snapshot) -> None:
    """A rating before the first match is no point of a curve."""
    assert curves((), (), snapshot.strengths) == {}


def test_other_rules_begin_anew(courtisans: Path, tmp_path: Path) -> None:
    """Once only places count, a server that reads on shows curves by places."""
    shutil.copytree(courtisans, tmp_path / "ladder")
    home = Home(tmp_path / "ladder")
    with Ladder.open(home) as served, Ladder.open(home) as owned:
        source = Source(served)
        before = source.snapshot()
        owned.change({"rated_by": RatedBy.PLACES})
        after = source.snapshot()

    assert (before.rated_by, after.rated_by) == (RatedBy.POINTS, RatedBy.PLACES)
    for version, curve in before.curves.items():
        assert curve.points != after.curves[version].points
        assert after.curves[version].points[-1].mu == after.strengths[version].mu
