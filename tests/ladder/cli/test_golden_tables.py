"""What terminals of 80 and 120 columns show, line by line, as it was looked at and liked.

To look at it anew, delete the files in `golden`, run this test, and read what it has written.
"""

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from ladder.cli import tables
from ladder.cli.doctor import Finding
from ladder.cli.tournament_text import print_tournament
from ladder.model.bots import Version
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.model.tournaments import Kind
from ladder.results.standings import Standing, ranked
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.scheduling.tournament.summary import summarize
from referee.core.console import SafeConsole
from tests.ladder.scheduling.test_directing import played

GOLDEN = Path(__file__).with_name("golden")
STRENGTHS = {
    "constantinople": (31.4, 0.9, 0.0),
    "iron-mask": (27.2, 1.1, 0.0),
    "colbert": (26.9, 1.0, 0.025),
    "newcomer": (22.0, 4.0, 0.0),
}
ENTRANTS = (
    *("constantinople", "iron-mask", "colbert", "newcomer", "jean-baptiste-poquelin-l-moliere"),
    *(f"lackey-{number}" for number in range(11)),
)
Places = list[tuple[str | None, int, int]]
"""Bots with places and points; the stand-in has no name."""
MATCHES: list[tuple[str, Places]] = [
    ("6fd353b7e783", [("iron-mask", 1, 17), ("colbert", 2, 16), ("newcomer", 3, 6), (None, 4, 4)]),
    ("0fee0ddc8ca3", [("constantinople", 1, 23), ("iron-mask", 1, 23), ("colbert", 3, 3)]),
]
FINDINGS = [
    Finding("cores", good=True, found="2; one match at a time on each"),
    Finding(
        "own files",
        good=False,
        found="no image of the system has been made (bots cannot pass messages through files)",
        remedy="make an image, as root on Linux 6.12 or newer with erofs-utils: ladder image",
    ),
]


def version(bot: str) -> Version:
    """Return the first version of a bot."""
    return Version(1, bot, 1, "9" * 64, ("python",), active=True, submitted_at="2026-01-01")


def standing(bot: str) -> Standing:
    """Return a line of the standings."""
    mu, sigma, faults = STRENGTHS[bot]
    new = bot == "newcomer"
    return Standing(
        rank=0,
        bot=bot,
        version=3,
        mu=mu,
        sigma=sigma,
        conservative=mu - 3 * sigma,
        average_points=9.9,
        rank_low=None if new else 1,
        rank_high=None if new else 2,
        better_than_next=None if new else 0.93,
        matches_to_separate=None if new else 152,
        matches=1_204,
        win_share=0.3,
        fault_rate=faults,
        provisional=new,
        blocks=1 if new else 99,
        attempt=6,
        tries=20 if bot == "colbert" else 1,
    )


def match(match_id: str, places: Places) -> MatchLine:
    """Return a finished match; the stand-in forfeits."""
    seats = tuple(
        SeatLine(version(bot) if bot else None, SeatResult(rank, points, None if bot else "CRASH"))
        for bot, rank, points in places
    )
    return MatchLine(match_id, 9, 0, MatchState.DONE, 1, None, 28, "2026-01-01", seats)


@pytest.mark.parametrize("width", [80, 120])
def test_tables_are_as_they_were_liked(width: int) -> None:
    """Own bots, leaders and faults are set off by signs; a wide terminal draws the intervals."""
    out = StringIO()
    console = SafeConsole(file=out, width=width, force_terminal=True, color_system=None)
    rows = ranked(map(standing, STRENGTHS))
    tables.print_standings(console, rows, own={"iron-mask"})
    for table in (
        tables.matches_table([match(*each) for each in MATCHES]),
        tables.bots_table([version(bot) for bot in STRENGTHS]),
        tables.findings_table(FINDINGS),
    ):
        console.print()
        tables.print_table(console, table)
    compare(out.getvalue(), f"{width}.txt")


@pytest.mark.sweep
@pytest.mark.parametrize("width", [80, 120])
def test_brackets_are_as_they_were_liked(width: int) -> None:
    """Names and stages stay whole; columns and rounds that do not fit are left out."""
    out = StringIO()
    console = SafeConsole(file=out, width=width, force_terminal=True, color_system=None)
    names = {n: replace(version(name), bot=name) for n, name in enumerate(ENTRANTS)}
    for kind, entrants in ((Kind.KNOCKOUT, range(16)), (Kind.DOUBLE_ELIMINATION, range(8))):
        plan = TournamentPlan(kind, tuple(entrants))
        _, rounds = played(plan, 2, most=3)
        print_tournament(
            console, summarize(plan, 2, names, rounds, ()), "", "Courtisans", everything=False
        )
        console.print()
    assert max(map(len, out.getvalue().splitlines())) <= width
    compare(out.getvalue(), f"brackets-{width}.txt")


def compare(printed: str, name: str) -> None:
    """Check that this was printed before, or write it down to be looked at."""
    shown = "".join(f"{line.rstrip()}\n" for line in printed.splitlines())
    golden = GOLDEN / name
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(shown)
        pytest.fail(f"look at {golden}, which was missing")
    assert shown == golden.read_text()
