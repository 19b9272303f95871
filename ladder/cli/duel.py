"""The command `ladder duel`, which creates, plays, continues and shows a duel."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.console import WorkersOption
from ladder.cli.contest import (
    GameOption,
    OutcomeOption,
    SandboxOption,
    SeatsOption,
    SettingsOption,
    StandingOption,
)
from ladder.cli.seeds import ReproducibleOption, SeedOption
from referee.cli.settings import game_settings


def duel(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="The bot that may be better: a folder with a bot.toml, a bot of a standing "
            "ladder, such as counter or counter@2, or a sample bot by name.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="Its opponent, named in the same way.")],
    effect: Annotated[
        float,
        typer.Option(help="The smallest advantage to detect: A's mean score minus 1/2."),
    ] = 0.03,
    alpha: Annotated[
        float, typer.Option(help="The probability of calling an equal bot better.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option(help="The probability of missing an advantage of --effect.")
    ] = 0.05,
    most: Annotated[
        int, typer.Option(min=4, help="The maximum number of matches before giving up undecided.")
    ] = 4000,
    third: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            help="At a table of three or five, the bot on the seat left over. "
            "Default: a stand-in, which plays at random.",
        ),
    ] = None,
    game: GameOption = None,
    seats: SeatsOption = None,
    seed: SeedOption = None,
    settings: SettingsOption = None,
    sandbox: SandboxOption = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--in",
            metavar="DIR",
            help="The duel's folder, a ladder of its own; created if missing. Default: duels/A-B "
            "in the standing ladder's folder, or duel-A-B here.",
        ),
    ] = None,
    json: OutcomeOption = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
) -> None:
    """Find out whether A is better than B, in as few matches as possible.

    The bots play mirrored pairs of matches until a sequential test decides. The same command
    continues an interrupted duel. The matches are stored in the duel's own folder and change no
    ratings elsewhere.
    """
    from ladder.cli import duel_run
    from ladder.submission import entrants
    from ladder.submission.contests import Wanted

    test = duel_run.terms(effect, alpha, beta, most)
    named = entrants.find([a, b] if third is None else [a, b, third], ladder, game)
    wanted = Wanted(game, seats, seed, partial(game_settings, texts=settings or ()), sandbox)
    duel_run.hold(named, test, wanted, folder, json, workers, reproducible=reproducible)
