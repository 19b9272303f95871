"""The command `ladder`: which commands there are."""

from typing import NoReturn

import typer

from ladder.commands import (
    authors,
    duels,
    entrants,
    looking,
    playing,
    reports,
    settings,
    tokens,
    tournaments,
    upkeep,
    web,
)
from referee.terminal import run as run_command

app = typer.Typer(
    help="Rank bots: they play match after match, each in a process of its own.",
    epilog="Try it: ladder demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

app.command(epilog="Example: ladder init my-ladder --game courtisans --seats 4")(entrants.init)
app.command(epilog="Example: ladder settings --aim top")(settings.settings)
app.command(epilog="Example: ladder submit bots/first bots/second")(entrants.submit)
app.command()(entrants.bots)
app.command()(entrants.retire)
app.command(epilog="Example: ladder run --rounds 20")(playing.run)
app.command(epilog="Example: ladder tournament swiss cup bots/* --seats 2 --rounds 5")(
    tournaments.tournament
)
app.command(epilog="Example: ladder duel bots/new bots/old --effect 0.05")(duels.duel)
app.command()(looking.standings)
app.command(epilog="Example: ladder report --html report.html")(reports.report)
app.command()(looking.show)
app.command()(looking.matches)
app.command(epilog="Example: ladder match 3f9a --json > match.json; referee verify match.json")(
    looking.match
)
app.command(epilog="Example: ladder replay 3f9a --seat 2")(looking.replay)
app.command(epilog="Example: ladder serve --port 8000")(web.serve)
app.command(epilog="Example: ladder export site")(web.export)
app.command()(upkeep.verify)
app.command()(upkeep.rerate)
app.command(epilog="Example: ladder backup /backups/club")(upkeep.backup)
app.command()(playing.demo)
app.command(epilog="Example: ladder new-bot my-bot --language rust")(authors.new_bot)
app.command(epilog="Example: ladder log my-bot 3f9a")(authors.log)
app.command(epilog="Example: ladder repro 3f9a --seat 1 -- python3 -m pdb bot.py")(authors.repro)
app.command()(upkeep.doctor)
app.add_typer(tokens.app, name="token")


def main() -> NoReturn:
    """Run the command `ladder`."""
    run_command(app)
