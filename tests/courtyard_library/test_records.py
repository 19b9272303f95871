"""Records and ladders as rows, files and pages."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import courtyard
import pytest

from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder


@pytest.fixture(scope="module")
def record() -> courtyard.Record:
    """A random match."""
    return courtyard.play("courtisans", [None, None, None], seed="rows")


def test_a_record_comes_back_from_its_file(record: courtyard.Record, tmp_path: Path) -> None:
    """The same, to the byte."""
    record.save(tmp_path / "match.json")
    again = courtyard.load_record(tmp_path / "match.json")
    assert again.message == record.message
    assert again.seed == "rows"
    with pytest.raises(courtyard.UsageError, match=r"none\.json"):
        courtyard.load_record(tmp_path / "none.json")


def test_rows_tell_how_each_seat_came_out_and_each_decision(record: courtyard.Record) -> None:
    """Plain values only."""
    results, decisions = record.results(), record.decisions()
    assert [row["points"] for row in results] == record.points
    assert [row["place"] for row in results] == record.places
    assert len(decisions) == len(record.message.decisions) == 24
    assert {row["stand_in"] for row in decisions} == {True}
    assert json.loads(decisions[0]["facts"])["seat"] == decisions[0]["seat"]
    assert "give seat" in decisions[0]["action"]
    assert json.dumps([*results, *decisions])


def test_a_notebook_shows_a_replay_that_needs_nothing_else(record: courtyard.Record) -> None:
    """In a frame that may run its own scripts alone; the result, where pages are not installed."""
    shown = record._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts"')
    page = record.to_html()
    assert "src=" not in page.replace('src="data:', "")
    assert '<link rel="stylesheet"' not in page
    assert "replay-packed" in page


@pytest.mark.costly
def test_a_page_says_what_the_decisions_of_a_seat_cost() -> None:
    """Only if that is asked for: it takes a while."""
    record = courtyard.play("courtisans", [lambda _: 0, None], seed="a page")
    assert len(record.to_html(review=0)) > len(record.to_html())


def test_without_pages_a_notebook_shows_the_result(
    record: courtyard.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a table."""
    monkeypatch.setitem(sys.modules, "ladder.server.web.replay.file", None)
    assert record._repr_html_().startswith("<table>")


def test_rows_become_a_frame_of_what_is_installed(
    record: courtyard.Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pandas first, then polars; without both, the error says what to do."""
    monkeypatch.setitem(
        sys.modules, "pandas", SimpleNamespace(DataFrame=lambda rows: ("pandas", rows))
    )
    monkeypatch.setitem(
        sys.modules, "polars", SimpleNamespace(DataFrame=lambda rows: ("polars", rows))
    )
    assert courtyard.frame(record.results()) == ("pandas", record.results())
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match="neither pandas nor polars"):
        courtyard.frame([])


def test_a_ladder_shows_what_is_public(ladder: Path) -> None:
    """A row for each seat of each finished match, and its record."""
    rows = courtyard.ladder_matches(ladder)
    with Ladder.open(Home(ladder)) as opened:
        lines = [line for line in queries.latest(opened, 100) if line.state == "done"]
    assert len(rows) == sum(len(line.seats) for line in lines) > 0
    record = courtyard.ladder_record(ladder, rows[0]["match_id"][:12])
    assert record.match_id == rows[0]["match_id"]
    own = [row for row in rows if row["match_id"] == record.match_id]
    assert [row["points"] for row in own] == record.points


def test_a_match_whose_deal_is_in_play_is_not_shown(
    ladder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither its result nor its record."""
    rows = courtyard.ladder_matches(ladder)
    secret = rows[0]["deal"]
    in_play = frozenset({secret})
    monkeypatch.setattr("ladder.storage.tables.matches.deals_in_play", lambda _: in_play)
    shown = courtyard.ladder_matches(ladder)
    assert [row for row in rows if row["deal"] != secret] == shown
    with pytest.raises(courtyard.CourtyardError, match="kept secret"):
        courtyard.ladder_record(ladder, rows[0]["match_id"])
