"""When `ladder run` ends, and what it then says."""

from collections.abc import Callable
from typing import Any

import pytest

from ladder.results import queries
from ladder.runner.line_progress import time_left
from ladder.runner.report import Report
from ladder.scheduling.planner import RunLimits
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder

Command = Callable[..., Any]


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Callable[[Report], list[RunLimits]]:
    """Let a run end with a report without playing; return its limits."""
    asked: list[RunLimits] = []

    def end_with(report: Report) -> list[RunLimits]:
        def run(*_: object, limits: RunLimits = RunLimits(), **__: object) -> Report:  # noqa: B008
            asked.append(limits)
            return report

        monkeypatch.setattr("ladder.runner.run.run", run)
        return asked

    return end_with


@pytest.mark.costly
@pytest.mark.usefixtures("ladder")
def test_what_will_be_played_is_said(command: Command, home: Home, reports: Any) -> None:
    """`run` first says how many matches it plays; a round is one deal for four bots."""
    asked = reports(Report())
    words = ("run", "--ladder", home.path)
    both = command(*words, "--rounds", 300, "--matches", 500, "--minutes", 1.5)

    assert "To play: 300 rounds of 1 match (300 in all), or 500 matches" in both.out
    assert "or 1.5 minutes, whichever comes first." in both.out
    assert asked == [RunLimits(500, 90.0)]
    assert "To play: 1 round of 1 match." in command(*words).out
    assert "To play: 20 matches." in command(*words, "--matches", 20).out


@pytest.mark.costly
@pytest.mark.usefixtures("ladder")
@pytest.mark.parametrize(
    ("words", "ended", "said"),
    [
        (
            ("--rounds", 300, "--matches", 500, "--minutes", 2),
            Report(matches=100, void=1, left_over=4, seconds=30, interrupted=True),
            "--rounds 300 --matches 399 --minutes 1.5",
        ),
        (
            ("--matches", 500),
            Report(matches=500, left_over=4, limited=True),
            "run --matches 500",
        ),
        (
            ("--until-settled", "--minutes", 1, "--aim", "top"),
            Report(matches=9, left_over=4, seconds=60, limited=True),
            "run --minutes 1 --until-settled --aim top",
        ),
    ],
)
def test_the_last_line_goes_on(
    command: Command, home: Home, reports: Any, words: Any, ended: Report, said: str
) -> None:
    """The last line continues an interrupted run's limits, or repeats a limit that was reached."""
    reports(ended)
    shown = command("run", "--ladder", home.path, *words)

    assert shown.status == (130 if ended.interrupted else 0)
    assert said in shown.out
    assert "4 matches planned but not played" in shown.out
    assert "Settled" not in shown.out


@pytest.mark.usefixtures("ladder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--minutes", 0), "--minutes"),
        (("--minutes", "nan"), "--minutes"),
        (("--forever", "--matches", 3), "--forever excludes --rounds"),
        (("--forever", "--rounds", 3), "--forever excludes --rounds"),
        (("--aim", "top"), "--aim"),
    ],
)
def test_no_such_end(command: Command, home: Home, words: tuple[object, ...], said: str) -> None:
    """`run` refuses invalid and conflicting limits in one line."""
    ended = command("run", "--ladder", home.path, *words)

    assert (ended.status, ended.err.count("\n")) == (1, 1)
    assert said in ended.err


@pytest.mark.costly
@pytest.mark.usefixtures("ladder")
def test_no_time_is_no_match(command: Command, home: Home) -> None:
    """When the time is up `run` begins no match, and loses none."""
    ended = command("run", "--ladder", home.path, "--minutes", 1e-9)

    assert "Played 0 matches" in ended.out
    with Ladder.open(home) as ladder:
        assert queries.latest(ladder, 9) == []


def test_the_time_that_is_left() -> None:
    """Time left is the nearer of estimate and limit; without an estimate, at most the limit."""
    assert time_left(61.2, None) == "1:02 left"
    assert time_left(7200, 600) == "10:00 left"
    assert time_left(None, 3661) == "at most 1:01:01 left"
    assert time_left(None, None) == ""
