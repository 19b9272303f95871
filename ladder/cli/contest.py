"""The parts that tournaments and duels share: folders, options, entering bots, and exports."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from ladder.cli.console import command_line, console, say
from ladder.cli.seeds import chosen_secret
from ladder.model import ids
from ladder.model.errors import SettingsError
from ladder.model.settings import BuildNetwork, Deals
from ladder.storage.files.folder import Home
from referee.cli.settings import game_settings
from referee.cli.terminal import complete_game
from referee.core.clock import ClockConfig
from referee.games import DEFAULT_GAME, game_named
from referee.games.base import usual_seats
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from ladder.storage.ladder import Ladder
    from ladder.submission.entrants import Entrants

GameOption = Annotated[
    str | None,
    typer.Option(
        help="The game; `ladder games` lists them. "
        f"Default: the standing ladder's game, or {DEFAULT_GAME}.",
        autocompletion=complete_game,
    ),
]
SeatsOption = Annotated[
    int | None,
    typer.Option(
        help="Seats at each table. Default: as in the standing ladder, or 4 or the nearest."
    ),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the game's configuration."),
]
SandboxOption = Annotated[
    Level | None,
    typer.Option(help="The sandbox level. Default: the strongest that the machine offers."),
]

StandingOption = Annotated[
    Path | None,
    typer.Option(
        "--ladder",
        metavar="DIR",
        envvar="COURTYARD_LADDER",
        help="The standing ladder in which to find bots by name. Default: the nearest one.",
    ),
]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of the command line; None takes the standing ladder's value."""

    game: str | None
    seats: int | None
    seed: str | None
    reproducible: bool
    """Whether the seed alone decides every deal."""
    settings: Sequence[str] | None
    sandbox: Level | None
    title: str | None = None


def make(folder: Path, wanted: Wanted, contenders: "Entrants") -> Home:
    """Create a contest's ladder, by default with the standing ladder's rules."""
    from ladder.storage.ladder import create

    like: Any = contenders.standing
    game = wanted.game or (like.game if like else DEFAULT_GAME)
    same_game = like is not None and like.game == game
    config = game_settings(game, wanted.settings or [])
    return create(
        folder,
        game=game,
        seats=wanted.seats or (like.seats if same_game else usual_seats(game_named(game).seats)),
        config={**like.config, **config} if same_game else config,
        clock=like.clock if like else ClockConfig(),
        secret=chosen_secret(wanted.seed, reproducible=wanted.reproducible),
        sandbox=wanted.sandbox or (like.sandbox if like else None),
        build_network=like.build_network if like else BuildNetwork.OWNER,
        deals=Deals.DUPLICATE,
        title=wanted.title,
        request_step_ms=like.request_step_ms if like else 0,
    )


def check_same(ladder: "Ladder", wanted: Wanted) -> None:
    """Raise `SettingsError` if the options contradict the ladder's settings."""
    settings = ladder.settings
    now = {
        "game": (wanted.game, settings.game),
        "seats": (wanted.seats, settings.seats),
        "sandbox": (wanted.sandbox, settings.sandbox),
        "title": (wanted.title, settings.title),
    }
    for name, (asked, made) in now.items():
        if asked is not None and asked != made:
            raise _begun_otherwise(ladder, f"--{name} {str(made)!r}")
    if wanted.seed is not None and not ids.is_of_seed(settings.secret, wanted.seed):
        raise _begun_otherwise(ladder, "another --seed")
    game = game_named(settings.game)
    asked_config = {**settings.config, **game_settings(settings.game, wanted.settings or [])}
    if game.config(asked_config) != game.config(settings.config):
        raise SettingsError(
            f"{ladder.home.path}: this contest has other settings than --set asks for; "
            "omit the option to continue, or name another folder"
        )


def _begun_otherwise(ladder: "Ladder", how: str) -> SettingsError:
    return SettingsError(
        f"{ladder.home.path}: this contest was begun with {how}; "
        "omit the option to continue, or name another folder"
    )


def write(file: Path, text: str) -> None:
    """Write an export; raise `SettingsError` if it cannot be written."""
    try:
        file.write_text(text)
    except OSError as error:
        raise SettingsError(f"{error.filename or file}: {error.strerror}") from error
    say(f"Written: {file}")


def tell_topics(lines: Mapping[str, str]) -> None:
    """Print texts, each after its topic."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for topic, text in lines.items():
        table.add_row(topic, Text(text))
    console.print(table)


def tell_more(ladder: "Ladder", first: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print the commands that show more about a contest; `first` come before those of all."""
    commands = {
        **first,
        "report": "how strong the bots are, how sure that is, and why",
        "matches": "every match; `ladder replay` shows one turn by turn",
        "verify": "replay and check every match",
    }
    lines = {command_line(words, ladder.home): what for words, what in commands.items()}
    width = max(map(len, lines))
    say("\nTo see more:")
    for line, what in lines.items():
        say(f"  {line:{width}}  {what}")
