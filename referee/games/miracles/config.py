"""The points of the rules that no rulebook settles, and the data set, as configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from referee.games.base import ConfigError
from referee.games.miracles.data import BoardData
from referee.games.miracles.reading import data_from, standard_data

_MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Config:
    """How one game of La Cour des Miracles is configured. Public."""

    data: BoardData = field(default_factory=standard_data)
    """What is printed on the board, the tokens and the cards."""
    max_rounds: int = 40
    """After so many full rounds the game ends as if the King had arrived: 1 to 1000."""
    king_ends_at_once: bool = True
    """Whether the game ends when the King arrives, or else after that turn and its standoffs."""
    move_may_stay: bool = False
    """Whether who moves for want of a rogue at hand may put it back on the spot that it left."""
    income_without_action: bool = False
    """Whether an action that cannot be performed may be called, for the controller's income."""
    wrath_on_empty: bool = False
    """Whether a neighbourhood without rogues may be chosen for a Wrath, which then does nothing."""
    controller_places_again: bool = False
    """Whether who wins a neighbourhood that they control puts one more token on it."""
    nearest_swordsman_first: bool = False
    """Whether Swordsmen are paid from the crown outwards, or else towards it."""
    courtesan_frees_contested: bool = False
    """Whether a token that a Courtesan sends elsewhere still ends the contested one's control."""
    plots_at_any_time: bool = True
    """Whether a Plot card may also come before the spot's effect, a sinking or a discard."""

    def __post_init__(self) -> None:
        """Raise `ConfigError` on a value of the wrong type or out of its range."""
        rounds = self.max_rounds
        if not isinstance(self.data, BoardData):
            raise ConfigError(f"data must be a data set, not {self.data!r}")
        if isinstance(rounds, bool) or not isinstance(rounds, int):
            raise ConfigError(f"max_rounds must be a number, not {rounds!r}")
        if not 1 <= rounds <= _MOST_ROUNDS:
            raise ConfigError(f"max_rounds must be 1 to {_MOST_ROUNDS}, not {rounds}")
        for name in (one.name for one in fields(self)[2:]):
            if not isinstance(getattr(self, name), bool):
                raise ConfigError(f"{name} must be true or false, not {getattr(self, name)!r}")


def config_from(mapping: Mapping[str, Any]) -> Config:
    """Return the configuration with these fields set and the others at their defaults.

    `data` may be a mapping, as a TOML file gives it. Raises `ConfigError` on an unknown field, a
    wrong type, a value out of range or a bad data set.
    """
    known = [one.name for one in fields(Config)]
    for name in mapping:
        if name not in known:
            raise ConfigError(f"miracles has no setting {name!r}; it has {', '.join(known)}")
    data = mapping.get("data")
    if isinstance(data, Mapping):
        mapping = {**mapping, "data": data_from(data)}
    return Config(**mapping)
