"""The games that the referee knows, and how each is shown, by the game's name."""

from collections.abc import Mapping

from referee.games.base import Game, Text
from referee.games.courtisans import text as courtisans_text
from referee.games.courtisans.game import Courtisans
from referee.games.miracles import text as miracles_text
from referee.games.miracles.game import Miracles

GAMES: dict[str, Game] = {game.name: game for game in (Courtisans(), Miracles())}

TEXTS: Mapping[str, Text] = {Courtisans.name: courtisans_text, Miracles.name: miracles_text}
