"""The ladders of `ladder demo`: one for each game, with its sample bots."""

from dataclasses import dataclass
from pathlib import Path

from ladder.model import ids
from ladder.storage.files.folder import Home
from ladder.storage.ladder import create
from ladder.submission.starter_kits import sample_bot
from referee.core.clock import ClockConfig
from referee.games import GAMES

ROUNDS = 40
"""Rounds of each game: enough for a clear order of the sample bots."""
BOTS = ("random", "greedy", "counter")


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One game's part of the demo."""

    title: str
    """The game's title."""
    game: str
    folder: Path
    """The ladder's folder."""
    bots: tuple[Path, ...]

    def home(self) -> Home:
        """Return the ladder, after creating it if the folder has none."""
        home = Home(self.folder)
        if home.holds_ladder:
            return home
        clock = ClockConfig()
        secret = ids.new_secret()
        return create(self.folder, game=self.game, seats=4, config={}, clock=clock, secret=secret)


def demonstrations(folder: Path) -> list[Demonstration]:
    """Return one demonstration per game; raise `LadderError` without the sample bots."""
    return [
        Demonstration(
            title=game.title,
            game=name,
            folder=folder / name,
            bots=tuple(sample_bot(f"python/{name}/{bot}") for bot in BOTS),
        )
        for name, game in GAMES.items()
    ]
