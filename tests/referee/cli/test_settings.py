"""Settings as they are typed in commands."""

import pytest

from referee.cli.settings import game_settings, milliseconds
from referee.core.errors import UsageError
from referee.games.base import ConfigError


def test_values_are_truths_and_numbers() -> None:
    """`true`, `false` and integers become what the game's configuration wants."""
    texts = ["reveal_eliminated_spies=true", "noble_weight_in_missions=1"]

    assert game_settings("courtisans", texts) == {
        "reveal_eliminated_spies": True,
        "noble_weight_in_missions": 1,
    }


def test_the_last_of_two_values_counts() -> None:
    """A setting that is given twice has its last value."""
    texts = ["reveal_eliminated_spies=true", "reveal_eliminated_spies=false"]

    assert game_settings("courtisans", texts) == {"reveal_eliminated_spies": False}


@pytest.mark.parametrize("text", ["reveal_eliminated_spies", "=true", ""])
def test_a_setting_needs_key_and_value(text: str) -> None:
    """The error shows what was given and how to write it."""
    with pytest.raises(UsageError, match="is not a setting: write KEY=VALUE"):
        game_settings("courtisans", [text])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("jokers=2", "courtisans has no setting 'jokers'"),
        ("noble_weight_in_missions=3", "must be 1 or 2, not 3"),
        ("noble_weight_in_missions=true", "must be 1 or 2, not True"),
        ("noble_weight_in_missions=two", "must be 1 or 2, not 'two'"),
        ("reveal_eliminated_spies=1", "must be true or false, not 1"),
        pytest.param("noble_weight_in_missions=" + "9" * 5_000, "must be 1 or 2", id="too long"),
    ],
)
def test_the_game_checks_its_settings(text: str, problem: str) -> None:
    """A key or a value that the game does not have is refused before a match begins."""
    with pytest.raises(ConfigError, match=problem):
        game_settings("courtisans", [text])


def test_seconds_become_whole_milliseconds() -> None:
    """Halves of a millisecond are rounded."""
    assert [milliseconds(seconds) for seconds in (0, 0.25, 1.0004, 1.0006)] == [
        0,
        250,
        1_000,
        1_001,
    ]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -float("inf"), 1e306])
def test_what_is_no_time_is_refused(seconds: float) -> None:
    """Neither what is no number nor what is too large for one is a time."""
    with pytest.raises(UsageError, match="is not a time in seconds"):
        milliseconds(seconds)
