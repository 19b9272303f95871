"""The ladders of `ladder demo`: one for each game, with its sample bots or some random ones."""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.cli.cluster import certificates_in
from ladder.model import ids
from ladder.model.errors import LadderError
from ladder.storage.files.folder import Home
from ladder.storage.ladder import create
from referee.cli.new_game import RANDOM_BOT
from referee.core.clock import ClockConfig
from referee.core.safe_path import python
from referee.games import DEFAULT_GAME, game_named, game_names
from referee.games.base import usual_seats
from referee.hosting.sample_bots import has_sample_bots, sample_bot, with_budget

if TYPE_CHECKING:
    from ladder.runner.cluster.reach import Cluster

_NAMES = "ares", "hera"
"""The workers, of which each plays one match at a time."""
_SECONDS_TO_END = 10.0


@contextmanager
def demo_cluster() -> Iterator["Cluster"]:
    """Start a scheduler and two workers, with certificates of their own; end them at the end."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="courtyard-")))
        made = certificates_in(folder / "certificates")
        made.make()
        from ladder.runner.cluster.reach import Cluster

        def start(*words: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                python("-m", "ladder", *words, "--certificates", str(made.folder)),
                stdout=subprocess.PIPE,
                text=True,
            )
            stack.callback(_end, process)
            return process

        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0")
        address = _address(scheduler)
        for name in _NAMES:
            store = str(folder / name)
            start("worker", address, "--cores", "1", "--name", name, "--store", store)
        yield Cluster(address, made)


def _address(scheduler: subprocess.Popen[str]) -> str:
    """Return the address in a scheduler's first line."""
    line = scheduler.stdout.readline() if scheduler.stdout is not None else ""
    found = [word for word in line.replace(";", " ").split() if word.startswith("tls://")]
    if not found:
        raise LadderError(f"the scheduler does not start: {line.strip() or 'it prints nothing'}")
    return found[0]


def _end(process: subprocess.Popen[str]) -> None:
    """End a process, which may have got Ctrl-C with this one."""
    process.terminate()
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


ROUNDS = 40
"""Rounds of each game: enough for a clear order of the sample bots."""
BOTS = ("random", "greedy", "counter")
NODES = 100
"""The budget of the bot that searches, which plays the default game, too: 20 ms a decision."""
RANDOM_BOTS = ("random-1", "random-2", "random-3")
"""The bots of a game without sample bots."""


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
        seats = usual_seats(game_named(self.game).seats)
        return create(
            self.folder, game=self.game, seats=seats, config={}, clock=clock, secret=secret
        )


def demonstrations(folder: Path, games: Sequence[str] = ()) -> list[Demonstration]:
    """Return a demonstration of each of these games, by default of all with sample bots.

    Raise `UsageError` if sample bots are missing, `ConfigError` on an unknown game, `LadderError`
    if the folder takes no bots.
    """
    with_bots = [name for name in game_names() if has_sample_bots(name)]
    with _writing(folder):
        return [
            Demonstration(
                title=game_named(name).title,
                game=name,
                folder=folder / name.replace(":", "-"),
                bots=_sample_bots(name) if name in with_bots or not games else _random_bots(folder),
            )
            for name in games or with_bots or [DEFAULT_GAME]
        ]


def with_search(shown: Demonstration) -> Demonstration:
    """Add the bot that searches to a demonstration of the default game.

    Raise `UsageError` if it is missing, `LadderError` if the folder takes no copy of it.
    """
    if shown.game != DEFAULT_GAME:
        return shown
    folder = shown.folder.parent / "bots"
    with _writing(folder):
        searcher = with_budget(sample_bot(f"python/{shown.game}/searcher"), NODES, folder)
    return replace(shown, bots=(*shown.bots, searcher))


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    """Say in one line what cannot be written."""
    try:
        yield
    except OSError as error:
        raise LadderError(f"{error.filename or folder}: {error.strerror or error}") from error


def _sample_bots(game: str) -> tuple[Path, ...]:
    return tuple(sample_bot(f"python/{game}/{bot}") for bot in BOTS)


def _random_bots(folder: Path) -> tuple[Path, ...]:
    """Make the random bots, which play any game, in a folder beside the ladders."""
    made = tuple(folder / "bots" / name for name in RANDOM_BOTS)
    for bot in made:
        bot.mkdir(parents=True, exist_ok=True)
        for file in RANDOM_BOT.glob("bot.*"):
            text = file.read_text("utf-8").replace('"random"', f'"{bot.name}"')
            (bot / file.name).write_text(text, "utf-8")
    return made
