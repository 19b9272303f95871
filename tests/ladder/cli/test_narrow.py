"""Tables on a narrow terminal: no word breaks while it fits."""

from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from ladder.cli import tables
from ladder.model.matches import DecisionTime, PlannedMatch, Played, SeatLog
from ladder.model.moments import when
from ladder.results import queries
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

WIDTH = 40


@pytest.fixture
def printed(ladder: Ladder, played: Callable[..., Played]) -> dict[str, str]:
    """The printed tables of a ladder with a match, by name."""
    with ladder.database.write() as tx:
        match = PlannedMatch("a" * 32, 1, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.finish(tx, played(match, 1, 2, 3, 4, forfeits=(3,)))
    (line,) = queries.latest(ladder, 1)
    made = {
        "bots": tables.bots_table([tally.version for tally in queries.tallies(ladder)]),
        "matches": tables.matches_table([line]),
        "seats": tables.seats_table(line, {3: "no answer within 5000 ms"}),
    }
    texts = {}
    for name, table in made.items():
        out = StringIO()
        console = Console(file=out, width=WIDTH, force_terminal=True, color_system=None)
        tables.print_table(console, table)
        texts[name] = out.getvalue()
    return texts


def test_tables_fit(printed: dict[str, str]) -> None:
    """No line is wider than the terminal."""
    lines = [line for text in printed.values() for line in text.splitlines()]

    assert max(map(len, lines)) <= WIDTH


def test_no_word_is_broken(ladder: Ladder, printed: dict[str, str]) -> None:
    """Names, times and ids stay whole; a table too wide gets a line for each cell."""
    (version, *_) = [tally.version for tally in queries.tallies(ladder)]
    words = {
        "bots": [when(version.submitted_at).split()[0], "ann", "plays"],
        "seats": ["TIMEOUT:", "forfeited by"],
        "matches": ["a" * tables.ID_SHOWN, "done", "ann"],
    }

    assert [w for name in words for w in words[name] if w not in printed[name]] == []
    assert printed["bots"].splitlines()[0].split() == ["bot", "ann"]


def test_a_log_fits_80_columns(ladder: Ladder, played: Callable[..., Played]) -> None:
    """A bot's matches are one line each on a usual terminal, whatever its times."""
    with ladder.database.write() as tx:
        match = PlannedMatch("a" * 32, 1, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.finish(tx, played(match, 1, 2, 3, 4))
    (line,) = queries.latest(ladder, 1)
    taken = line.seats[0]
    assert taken.version
    assert taken.result
    slow = DecisionTime(1, 999_900, 999_900, 999_900, 999_900, 999_900)
    log = SeatLog(line, 0, taken.version, taken.result, [slow] * 28, None, "printed")

    out = StringIO()
    console = Console(file=out, width=80, force_terminal=True, color_system=None)
    tables.print_table(console, tables.logs_table([log, log]))

    heads, *_, first, second = out.getvalue().splitlines()
    assert first == second
    assert first.split()[0] == "a" * tables.ID_SHOWN
    assert first.split()[-1] == "yes"
    assert "forfeited by" not in heads
