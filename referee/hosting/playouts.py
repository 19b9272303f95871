"""Sample bots as players of playouts: in this process, without a clock.

They are Courtyard's own programs, so they need no sandbox.
"""

import importlib.util
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from referee.core.errors import UsageError
from referee.games.base import State
from referee.games.randomness import Stream
from referee.hosting.sample_bots import PLACES

if TYPE_CHECKING:
    from referee.match.review import Player

PLAYOUTS = 400
"""For each decision of a review, unless another number is asked for."""
AT_RANDOM = "random"
PREFERRED = ("searcher", "greedy")
"""Who plays unless another is named, if the game has such a bot; else legal actions at random."""


def player_named(name: str, game: str) -> "Player":
    """Return a player of playouts; raise `UsageError` if no sample bot of the name can be one."""
    if name == AT_RANDOM:
        return _Chooser(lambda state, chances: state.random_action(Stream(chances)))
    path = _programs(game).get(name)
    program: Any = _module(path) if path else None
    if hasattr(program, "PLAYOUTS"):
        player: Player = program.PLAYOUTS
        return player
    if not hasattr(program, "choose"):
        raise UsageError(f"{name} plays no playouts of {game}: name another sample bot, or random")
    view = import_module(f"courtyard_kit.{game}").Position.in_state
    return _Chooser(lambda state, chances: program.choose(view(state, chances)))


def usual_player(game: str) -> str:
    """Return the name of the player of a game's playouts unless another is named."""
    known = _programs(game)
    return next((name for name in PREFERRED if name in known), AT_RANDOM)


def _programs(game: str) -> dict[str, Path]:
    """Return the programs of a game's sample bots in Python by their names."""
    found = (path for place in PLACES for path in place.glob(f"python/{game}/*/bot.py"))
    return {path.parent.name: path for path in found}


def _module(path: Path) -> ModuleType:
    name = "_".join(("playouts", *path.parts[-3:-1]))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RuntimeError(f"{path} is no program in Python")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Chooser:
    """Plays on to the end, decision by decision."""

    def __init__(self, choose: Callable[[State, str], Any]) -> None:
        self.choose = choose

    def worth(self, state: State, action: Any, chances: str) -> float:
        """Return how many rivals the seat to act then beats; a tie counts half."""
        seat, made = state.to_act or 0, 0
        state, _ = state.apply(action)
        while state.to_act is not None:
            made += 1
            state, _ = state.apply(self.choose(state, f"{chances} {made}"))
        ranks = state.ranks()
        own = ranks[seat]
        return sum((own < other) + (own == other) / 2 for other in ranks) - 1 / 2
