"""Settings for the points that no rulebook settles."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from referee.games.base import ConfigError

_NOBLE_WEIGHTS = (1, 2)


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one game of Courtisans. Public."""

    reveal_eliminated_spies: bool = False
    """Whether the result also names eliminated spies."""
    noble_weight_in_missions: int = 2
    """How many cards a noble counts as in the "fewer" missions and "five below": 1 or 2."""

    def __post_init__(self) -> None:
        """Raise `ConfigError` on a value of the wrong type or out of its range."""
        reveal, weight = self.reveal_eliminated_spies, self.noble_weight_in_missions
        if not isinstance(reveal, bool):
            raise ConfigError(f"reveal_eliminated_spies must be true or false, not {reveal!r}")
        if isinstance(weight, bool) or not isinstance(weight, int) or weight not in _NOBLE_WEIGHTS:
            raise ConfigError(f"noble_weight_in_missions must be 1 or 2, not {weight!r}")


def config_from(mapping: Mapping[str, Any]) -> Config:
    """Return the configuration with these fields set and the others at their defaults.

    Raises `ConfigError` on an unknown field, a wrong type or a value out of range.
    """
    known = [field.name for field in fields(Config)]
    for name in mapping:
        if name not in known:
            raise ConfigError(f"courtisans has no setting {name!r}; it has {', '.join(known)}")
    return Config(**mapping)
