"""The games, their texts and their scenes, by the game's name."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.base import Game, Text
from referee.games.courtisans import text as courtisans_text
from referee.games.courtisans.game import Courtisans
from referee.games.courtisans.scene import CourtisansScene
from referee.games.miracles import text as miracles_text
from referee.games.miracles.game import Miracles
from referee.games.miracles.scene import MiraclesScene
from referee.games.stage import Names, Scene

GAMES: dict[str, Game] = {game.name: game for game in (Courtisans(), Miracles())}

TEXTS: Mapping[str, Text] = {Courtisans.name: courtisans_text, Miracles.name: miracles_text}

SCENES: Mapping[str, Callable[[Any, Names], Scene]] = {
    Courtisans.name: CourtisansScene,
    Miracles.name: MiraclesScene,
}
"""The scene class of each game, called with the first state and the seats' names."""
