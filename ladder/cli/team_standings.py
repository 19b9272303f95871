"""What `ladder standings --by` prints: the standings of a tournament's authors or teams."""

from rich.table import Table
from rich.text import Text

from ladder.cli import tables
from ladder.cli.console import console, say_heading, say_plainly
from ladder.cli.until_round import summary_of
from ladder.model.errors import SettingsError
from ladder.scheduling import contest
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.scheduling.tournament.team_standings import By, TeamStandings, team_standings
from ladder.storage.ladder import Ladder
from referee.core.plain import plain


def standings_of(ladder: Ladder, by: By) -> TeamStandings:
    """Return the standings of authors or teams; raise `SettingsError` if there are none."""
    plan = contest.read(ladder)
    if not isinstance(plan, TournamentPlan):
        raise SettingsError(f"--by {by}: {ladder.home.path} holds no tournament")
    return team_standings(summary_of(ladder, plan), by)


def print_teams(shown: TeamStandings, heading: str) -> None:
    """Print the standings of authors or teams."""
    say_heading(heading)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("#", shown.by.value, "places", "bots"):
        right = name in ("#", "places")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for line in shown.lines:
        row = (str(line.place), Text(plain(line.name)), str(line.total), Text(line.bots()))
        table.add_row(*row)
    tables.print_table(console, table)
    for note in shown.notes():
        say_plainly(note)
