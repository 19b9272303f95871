"""The command `ladder ablate`, which compares a change with a copy's noise."""

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


def ablate(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="The bot as it is: a folder with a bot.toml, a bot of a standing ladder, such as "
            "counter or counter@2, or a sample bot by name.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The changed bot, named in the same way.")],
    pairs: Annotated[
        int, typer.Option(min=2, max=100_000, help="Mirrored pairs to play of B, and of the copy.")
    ] = 200,
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
            help="The folder of both duels; created if missing. Default: ablation-A-B here.",
        ),
    ] = None,
    json: OutcomeOption = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
) -> None:
    """Find out what a change is worth, and say no more than the data allow.

    B and a copy of A under another name each play A in mirrored pairs of matches, on the same deals
    and seats. What the copy gains or loses is noise, which the change has to beat. The same command
    continues an interrupted ablation. Nothing changes ratings elsewhere.
    """
    from ladder.cli.ablate_run import hold
    from ladder.submission import entrants
    from ladder.submission.contests import Wanted

    named = entrants.find([a, b], ladder, game)
    wanted = Wanted(game, seats, seed, partial(game_settings, texts=settings or ()), sandbox)
    hold(named, pairs, wanted, folder, json, workers, reproducible=reproducible)
