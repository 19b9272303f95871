"""The configuration."""

from typing import Any

import pytest

from referee.games import game_named
from referee.games.base import ConfigError
from referee.games.courtisans.config import Config


def test_the_defaults_are_those_of_the_rules() -> None:
    """Nothing set: eliminated spies stay hidden, a noble counts as two in missions."""
    assert game_named("courtisans").config({}) == Config(
        reveal_eliminated_spies=False, noble_weight_in_missions=2
    )


def test_fields_are_taken_over() -> None:
    """What is set is set."""
    fields = {"reveal_eliminated_spies": True, "noble_weight_in_missions": 1}
    config = game_named("courtisans").config(fields)
    assert (config.reveal_eliminated_spies, config.noble_weight_in_missions) == (True, 1)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"jokers": 2}, "no setting 'jokers'; it has reveal_eliminated_spies, noble_weight"),
        ({"reveal_eliminated_spies": 1}, "must be true or false, not 1"),
        ({"noble_weight_in_missions": 3}, "must be 1 or 2, not 3"),
        ({"noble_weight_in_missions": 0}, "must be 1 or 2, not 0"),
        ({"noble_weight_in_missions": True}, "must be 1 or 2, not True"),
        ({"noble_weight_in_missions": 2.0}, "must be 1 or 2, not 2.0"),
        ({"noble_weight_in_missions": "2"}, "must be 1 or 2, not '2'"),
    ],
)
def test_bad_fields_are_refused(fields: dict[str, Any], reason: str) -> None:
    """An unknown field, a wrong type and a value out of range are each named."""
    with pytest.raises(ConfigError, match=reason):
        game_named("courtisans").config(fields)
