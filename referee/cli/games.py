"""The command `games` of both programs."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from referee.core.console import SafeConsole
from referee.games.base import ConfigError
from referee.games.registry import InstalledGame, installed_games, is_family, load

_COLUMNS = ("Game", "Title", "Seats", "Rules", "Distribution")


def games() -> None:
    """List the installed games, each with the distribution that brings it."""
    console = SafeConsole(highlight=False)
    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(column, overflow="fold")
    problems = []
    for one in installed_games():
        try:
            cells = _described(one)
        except ConfigError as error:
            cells = (one.name, "cannot be loaded", "", "")
            problems.append(str(error))
        table.add_row(*map(escape, (*cells, one.origin)))
    console.print(table)
    for problem in problems:
        console.print(f"[red]{escape(problem)}[/]", soft_wrap=True)


def _described(one: InstalledGame) -> Sequence[str]:
    game = load(one)
    if is_family(game):
        first, _, _ = (game.__doc__ or "").partition("\n")
        return f"{one.name}:NAME", first, "", ""
    return one.name, game.title, f"{game.seats[0]}-{game.seats[-1]}", game.rules_version
