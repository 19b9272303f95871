"""The progress of a run: a bar on a terminal, and lines elsewhere."""

import io
import time

import pytest
from rich.console import Console

from ladder.cli.progress import BarProgress, shown
from ladder.runner.line_progress import LineProgress


def test_a_second_run_counts_its_own_matches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lines of a run say nothing of the run before."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = LineProgress()
    for matches in (9, 2):
        progress.begin()
        progress.expect(matches, None)
        for _ in range(matches):
            now += 10
            progress.advance(30)

    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("2 of 2 matches, 0:00 left, 0.1 matches/s")


def test_a_second_run_fills_the_bar_anew() -> None:
    """The bar says nothing of the run before."""
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    with shown(console) as progress:
        for matches in (9, 2):
            progress.begin()
            progress.expect(matches, None)
            for _ in range(matches):
                progress.advance(30)

    assert "2/2" in out.getvalue()
    assert "11/" not in out.getvalue()


def test_a_narrow_terminal_keeps_the_time_left() -> None:
    """What a bar has no room for is cut at its end: the speed."""
    out = io.StringIO()
    console = Console(file=out, width=60, force_terminal=True, color_system=None)
    with shown(console) as progress:
        progress.expect(None, 600)
        progress.tell("P 0.96")
        for _ in range(20):
            progress.advance(30)

    assert "at most 10:00 left; P 0.96" in out.getvalue()
    assert "decisions/s" not in out.getvalue()


def test_the_table_below_the_bar_moves() -> None:
    """On a terminal the table of a contest is worked out anew as matches end."""
    out, scores = io.StringIO(), iter(("ada 0.50", "ada 0.75"))
    console = Console(file=out, width=60, force_terminal=True, color_system=None)
    with shown(console, lambda: [next(scores)]) as progress:
        progress.expect(40, None)
        progress.advance(30)
        assert isinstance(progress, BarProgress)
        progress.show_table()

    assert "ada 0.75" in out.getvalue()
