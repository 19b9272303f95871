"""A ladder of the sample bots for each game, made and played by one command."""

from dataclasses import dataclass
from pathlib import Path

from ladder.model import ids
from ladder.storage.folder import Home
from ladder.storage.ladder import create
from ladder.submission.starter_kits import sample_bot
from referee.core.clock import ClockConfig
from referee.games import GAMES

ROUNDS = 40
"""How many rounds a demo plays of each game: enough for a clear order of the sample bots."""
BOTS = ("random", "greedy", "counter")


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
        secret = ids.new_secret()
        return create(self.folder, game=self.game, seats=4, config={}, clock=clock, secret=secret)


def demonstrations(folder: Path) -> list[Demonstration]:
    """Return what to play, a ladder a game; raise `LadderError` without the sample bots."""
    return [
        Demonstration(
            title=game.title,
            game=name,
            folder=folder / name,
            bots=tuple(sample_bot(f"python/{name}/{bot}") for bot in BOTS),
        )
        for name, game in GAMES.items()
    ]
