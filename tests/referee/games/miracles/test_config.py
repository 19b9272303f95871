"""The configuration: defaults, and one clear line for whatever is wrong."""

from typing import Any

import pytest

from referee.games.base import ConfigError
from referee.games.miracles.config import Config, config_from
from referee.games.miracles.reading import standard_data


def test_defaults() -> None:
    """The standard data, 40 rounds, and the choices of the rules page."""
    assert config_from({}) == Config()
    assert Config().data == standard_data()
    assert (Config().max_rounds, Config().king_ends_at_once) == (40, True)


def test_fields_are_set() -> None:
    """Those that are named."""
    config = config_from({"max_rounds": 3, "wrath_on_empty": True})
    assert (config.max_rounds, config.wrath_on_empty, config.move_may_stay) == (3, True, False)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rounds": 3}, "miracles has no setting 'rounds'; it has data, max_rounds, king_ends"),
        ({"max_rounds": 0}, "max_rounds must be 1 to 1000, not 0"),
        ({"max_rounds": 1001}, "max_rounds must be 1 to 1000, not 1001"),
        ({"max_rounds": "3"}, "max_rounds must be a number, not '3'"),
        ({"max_rounds": True}, "max_rounds must be a number, not True"),
        ({"move_may_stay": 1}, "move_may_stay must be true or false, not 1"),
        ({"data": "my-board.toml"}, "data must be a data set, not 'my-board.toml'"),
        ({"data": {}}, "name: this entry is missing"),
    ],
)
def test_bad_configurations(fields: dict[str, Any], message: str) -> None:
    """Unknown fields, wrong types, values out of range."""
    with pytest.raises(ConfigError, match=message):
        config_from(fields)
