"""Duels: one command makes, plays, continues and shows one."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.console import WorkersOption
from ladder.cli.contest import (
    GameOption,
    SandboxOption,
    SeatsOption,
    SettingsOption,
    StandingOption,
    Wanted,
)
from ladder.cli.seeds import ReproducibleOption, SeedOption


def duel(
    a: Annotated[
        str,
        typer.Argument(
            metavar="A",
            help="Of whom is asked whether it is better: a folder with a bot.toml, or a bot of a "
            "standing ladder, such as counter or counter@2.",
        ),
    ],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one, named in the same way.")],
    effect: Annotated[
        float,
        typer.Option(help="How much better is worth knowing: A's mean score exceeds 1/2 by that."),
    ] = 0.03,
    alpha: Annotated[float, typer.Option(help="How often an equal may be called better.")] = 0.05,
    beta: Annotated[
        float, typer.Option(help="How often one that much better may be missed.")
    ] = 0.05,
    most: Annotated[
        int, typer.Option(min=4, help="Matches, after which there is no decision.")
    ] = 4000,
    third: Annotated[
        str | None,
        typer.Option(
            metavar="BOT",
            help="At a table of three or five, who has the seat that is left over. "
            "Default: the stand-in, which plays at random.",
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
            help="Its folder: a ladder of its own, made if need be. Default: duels/A-B in the "
            "standing ladder's, or duel-A-B here.",
        ),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the outcome there.")
    ] = None,
    workers: WorkersOption = None,
    ladder: StandingOption = None,
    *,
    reproducible: ReproducibleOption = False,
) -> None:
    """Find out whether A is better than B, with as few matches as that takes.

    They play mirrored pairs of matches until a sequential test decides. The same command goes on
    with a duel that was interrupted. Its matches are kept in a folder of their own, and change no
    ratings elsewhere.
    """
    from ladder.cli import duel_run
    from ladder.submission import entrants

    test = duel_run.terms(effect, alpha, beta, most)
    named = entrants.find([a, b] if third is None else [a, b, third], ladder)
    wanted = Wanted(game, seats, seed, reproducible, settings, sandbox)
    duel_run.hold(named, test, wanted, folder, json, workers)
