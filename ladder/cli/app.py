"""The command `ladder` and its subcommands."""

from collections.abc import Callable
from typing import NoReturn

import typer
from typer.core import TyperCommand

from ladder.cli import (
    ablate,
    agents,
    author,
    bots,
    classes,
    cluster,
    direct,
    duel,
    exploit,
    maintain,
    play,
    report,
    season,
    serve,
    settings,
    show,
    spar,
    tokens,
    tournament,
    trust,
    verify,
)
from ladder.model.errors import MissingPackageError
from referee.cli.games import games
from referee.cli.terminal import VersionOption, fail
from referee.cli.terminal import run as run_command
from referee.cli.unix_command import UnixCommand
from referee.games import DEFAULT_GAME

app = typer.Typer(
    help="Run a ladder: play matches between bots, each in a separate process, and rank the bots.",
    epilog="Try it: ladder demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


@app.callback()
def _options(*, version: VersionOption = False) -> None:
    """Handle the options of `ladder` itself."""


def _add(
    panel: str,
    command: Callable[..., None],
    example: str = "",
    kind: type[TyperCommand] = UnixCommand,
) -> None:
    """Add a command to a panel of the help; of the kind `TyperCommand` it runs on Windows too."""
    epilog = f"Example: {example}" if example else None
    app.command(rich_help_panel=panel, epilog=epilog, cls=kind)(command)


_AUTHORS = "Write a bot"
_add(_AUTHORS, author.new_bot, "ladder new-bot my-bot --language rust", TyperCommand)
_add(_AUTHORS, bots.submit, "ladder submit my-bots/first my-bots/second")
_add(_AUTHORS, author.log, "ladder log my-bot 3f9a")
_add(_AUTHORS, spar.sparring, "ladder sparring my-bot --off")
_add(_AUTHORS, author.repro, "ladder repro 3f9a --seat 1 my-bot")

_PLAY = "Play"
_add(_PLAY, play.demo)
_add(_PLAY, bots.init, f"ladder init my-ladder --game {DEFAULT_GAME} --seats 4")
_add(_PLAY, play.run, "ladder run --rounds 20")
_add(_PLAY, tournament.tournament, "ladder tournament swiss cup my-bots/* --seats 2 --rounds 5")
_add(_PLAY, duel.duel, "ladder duel my-bots/new my-bots/old --effect 0.05")
_add(_PLAY, ablate.ablate, "ladder ablate my-bots/old my-bots/new --pairs 400")
_add(_PLAY, exploit.exploit, "ladder exploit my-bot --budget 30m")

_add(_PLAY, agents.mcp, "ladder mcp --url https://ladder.example.org", TyperCommand)
_add(_PLAY, spar.spar, "ladder spar my-bot greedy counter --matches 40")

app.add_typer(season.app, name="season", rich_help_panel=_PLAY)

_LOOK = "See results"
_add(_LOOK, games)
_add(_LOOK, show.standings)
_add(_LOOK, report.report, "ladder report --html report.html")
_add(_LOOK, bots.bots)
_add(_LOOK, show.show)
_add(_LOOK, show.matches)
_add(_LOOK, show.match, "ladder match 3f9a --json > match.json; referee verify match.json")
_add(_LOOK, show.replay, "ladder replay 3f9a --seat 2")
_add(_LOOK, show.watch, "ladder watch --url https://ladder.example.org", TyperCommand)
_add(_LOOK, spar.spars, "ladder spars 3 --share")
_add(_LOOK, serve.serve, "ladder serve --port 8000")
_add(_LOOK, serve.export, "ladder export site; ladder export --data matches")

_DIRECTORS = "Direct a tournament"
_add(_DIRECTORS, direct.withdraw, "ladder withdraw counter --ladder cup")
_add(_DIRECTORS, direct.disqualify, 'ladder disqualify counter --why "two bots, one author"')
_add(_DIRECTORS, direct.bye, 'ladder bye counter --round 3 --why "its author asked"')
_add(_DIRECTORS, direct.forbid, 'ladder forbid ann bob --why "they share code"')
_add(_DIRECTORS, direct.pause, "ladder pause --ladder cup")
_add(_DIRECTORS, direct.resume, "ladder resume --ladder cup")
_add(_DIRECTORS, direct.start, "ladder start 20:15 --ladder cup")
_add(_DIRECTORS, direct.annul, 'ladder annul 3f9a --why "the machine was overloaded"')
_add(_DIRECTORS, direct.retract, 'ladder retract counter --why "withdrawn by mistake"')

_CLUSTER = "Play on several machines"
_add(_CLUSTER, cluster.certificates)
_add(_CLUSTER, cluster.scheduler)
_add(_CLUSTER, cluster.worker, "ladder worker tls://ares:8786 --cores 4")

_OWNERS = "Maintain a ladder"
_add(_OWNERS, settings.settings, "ladder settings --aim top")
_add(_OWNERS, trust.trust, "ladder trust received-ladder")
_add(_OWNERS, bots.retire)
app.add_typer(tokens.app, name="token", rich_help_panel=_OWNERS)
app.add_typer(classes.app, name="class", rich_help_panel=_OWNERS)
_add(_OWNERS, maintain.backup, "ladder backup /backups/club")
_add(_OWNERS, verify.verify, "ladder verify --continue")
_add(_OWNERS, maintain.void, "ladder void 3f9a")
_add(_OWNERS, maintain.rerate)
_add(_OWNERS, maintain.doctor)
_add(_OWNERS, maintain.image)


OF_LADDERS = frozenset(
    {
        *("alembic", "numpy", "prometheus_client", "pythonjsonlogger"),
        *("scipy", "sqlalchemy", "trueskill", "uvloop"),
    }
)
"""The packages of the extra `ladder`: an author's installation does without."""


def main() -> NoReturn:
    """Run the command `ladder`."""
    try:
        run_command(app)
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in OF_LADDERS:
            raise
        fail(str(MissingPackageError("this command", error.name, "ladder")))
