"""Curves are the past rating of record, and end with the present one."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

import ladder.server.public.curves as curves_module
from ladder.model.settings import RatedBy
from ladder.results.evidence import Evidence, may_have_played
from ladder.results.older import key_of
from ladder.server.public.curves import Looks, curves
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.storage.files.folder import Home
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
        looks = Looks(ladder).through(tx, ladder.settings, 12)
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
        goes, once = Looks(ladder), Looks(ladder)
        goes.through(tx, ladder.settings, 3)

        assert goes.through(tx, ladder.settings, 9) == once.through(tx, ladder.settings, 9)
        assert goes.through(tx, ladder.settings, 2) == once.through(tx, ladder.settings, 2)
        assert len(once.through(tx, ladder.settings, 0)) == 0


@pytest.mark.parametrize("change", ["", "other results", "another time", "damaged"])
def test_long_looks_are_remembered(
    courtisans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """Another server begins with the same looks, unless results have changed since."""
    shutil.copytree(courtisans, tmp_path / "ladder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(curves_module, "_WORTH_S", -1.0)
    with Ladder.open(Home(tmp_path / "ladder")) as ladder:
        with ladder.database.read() as tx:
            before = Looks(ladder).through(tx, ladder.settings, 9)
        (file,) = (tmp_path / "state" / "courtyard" / "curves").iterdir()
        with ladder.database.write() as tx:
            if change == "another time":
                tx.execute(text("update matches set finished_at = '2030-01-01T00:00:00+00:00'"))
            elif change == "damaged":
                file.write_text('{"key": 1}')
            elif change:
                tx.execute(text("update ladder set generation = 7"))
        with ladder.database.read() as tx:
            known = Looks(ladder)._remembered(tx, key_of(tx, ladder.settings).hex())

    assert list(known) == (list(before) if not change else [])


@pytest.mark.costly
def test_curves_grow_while_pages_are_shown(
    courtisans: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A snapshot without patience has some looks; the next ones have the others."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # where nothing is remembered
    with Ladder.open(Home(courtisans)) as ladder:
        source, patient = PublicReader(ladder), PublicReader(ladder)
        grown = [source.snapshot(0.0).curves]
        while source.behind:
            grown.append(source.snapshot(0.0).curves)
        whole = patient.snapshot().curves

    assert len(grown) > 2
    assert not patient.behind
    assert grown[-1] == whole
    assert {version: curve.points[-1] for version, curve in grown[0].items()} == {
        version: curve.points[-1] for version, curve in whole.items()
    }


def test_who_has_played_nothing_has_no_curve(snapshot: Snapshot) -> None:
    """A rating before the first match is no point of a curve."""
    assert curves((), (), snapshot.strengths) == {}


@pytest.mark.costly
def test_other_rules_begin_anew(courtisans: Path, tmp_path: Path) -> None:
    """Once only places count, a server that reads on shows curves by places."""
    shutil.copytree(courtisans, tmp_path / "ladder")
    home = Home(tmp_path / "ladder")
    with Ladder.open(home) as served, Ladder.open(home) as owned:
        source = PublicReader(served)
        before = source.snapshot()
        owned.change({"rated_by": RatedBy.PLACES})
        after = source.snapshot()

    assert (before.rated_by, after.rated_by) == (RatedBy.POINTS, RatedBy.PLACES)
    for version, curve in before.curves.items():
        assert curve.points != after.curves[version].points
        assert after.curves[version].points[-1].mu == after.strengths[version].mu
