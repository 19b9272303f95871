"""Settings for the points that no rulebook settles, and the data set."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from referee.games.base import ConfigError
from referee.games.miracles.data import BoardData
from referee.games.miracles.reading import data_from, standard_data

_MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of one game of La Cour des Miracles. Public."""

    data: BoardData = field(default_factory=standard_data)
    """The print on the board, the tokens and the cards."""
    max_rounds: int = 40
    """Full rounds, 1 to 1000, after which the game ends as if the King had arrived."""
    king_ends_at_once: bool = True
    """Whether the game ends when the King arrives; if not, after that turn and its standoffs."""
    move_may_stay: bool = False
    """Whether a rogue moved for want of one at hand may return to the spot that it left."""
    income_without_action: bool = False
    """Whether a seat may call an impossible action, for the controller's income."""
    wrath_on_empty: bool = False
    """Whether a seat may choose an empty neighbourhood for a Wrath, which then does nothing."""
    controller_places_again: bool = False
    """Whether a controller who wins the neighbourhood puts one more token on it."""
    nearest_swordsman_first: bool = False
    """Whether Swordsmen get paid from the crown outwards; if not, towards it."""
    courtesan_frees_contested: bool = False
    """Whether a Courtesan's token sent elsewhere still ends the contested place's control."""
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
