"""A ladder of the sample bots for each game, made and played by one command."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import LadderError
from ladder.home import Home
from ladder.ladder import create
from referee.clock import ClockConfig
from referee.games import GAMES

ROUNDS = 150
"""How many rounds a demo plays of each game: enough for a clear order of the sample bots."""
BOTS = ("random", "greedy", "counter")
_SAMPLES = Path(__file__).parents[1] / "sample_bots" / "python"


@dataclass(frozen=True, slots=True)
class Demonstration:
    """What is to be played of one game."""

    title: str
    """The game's, for people."""
    game: str
    folder: Path
    """Of the ladder."""
    bots: tuple[Path, ...]

    def home(self) -> Home:
        """Return the ladder, made now if there is none in the folder."""
        home = Home(self.folder)
        if home.database.is_file():
            return home
        clock = ClockConfig()
        return create(self.folder, game=self.game, seats=4, config={}, clock=clock, seed=None)


def demonstrations(folder: Path) -> list[Demonstration]:
    """Return what to play, a ladder a game; raise `LadderError` without the sample bots."""
    return [
        Demonstration(game.title, name, folder / name, tuple(_sample_bots(name)))
        for name, game in GAMES.items()
    ]


def _sample_bots(game: str) -> Iterator[Path]:
    for name in BOTS:
        folder = _SAMPLES / game / name
        if not folder.is_dir():
            raise LadderError(
                f"{folder}: the sample bot is not here; run the demo from Courtyard's source tree"
            )
        yield folder
