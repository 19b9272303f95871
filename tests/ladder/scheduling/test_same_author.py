"""Bots of one author do not meet, unless the ladder's owner allows it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.model.errors import NoPlayersError
from ladder.model.settings import SameAuthor
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots

MakeBot = Callable[..., Path]
Enter = Callable[..., object]


@pytest.fixture
def enter_all(make_bot: MakeBot, enter: Enter) -> Callable[..., None]:
    """Submit bots of authors; None is the ladder's owner."""

    def submit(ladder: Ladder, of: dict[str, str | None]) -> None:
        for name, author in of.items():
            enter(ladder, make_bot(name), author=author)

    return submit


def planned(ladder: Ladder, rounds: int = 3) -> list[list[str]]:
    """Return the bots at the tables of the first rounds, without the stand-in."""
    planner = LadderPlanner(ladder, rounds)
    with ladder.database.read() as tx:
        known = bots.all_versions(tx)
        blocks = planner.plan(tx) or ()
    return [[known[v].bot for v in table if v] for block in blocks for table in block.tables]


def alone(tables: Sequence[Sequence[str]], names: str) -> bool:
    """Return whether at most one of these bots sits at each table."""
    return all(sum(name in names for name in table) <= 1 for table in tables)


def test_bots_of_one_author_are_kept_apart(home: Home, enter_all: Callable[..., None]) -> None:
    """The owner's bots may meet; the owner may also let all meet."""
    with Ladder.open(home) as ladder:
        enter_all(ladder, {**dict.fromkeys("ab", "eve"), **dict.fromkeys("cdef", None)})
        tables = planned(ladder)
        assert alone(tables, "ab")
        assert all(len(table) == 4 for table in tables)
        ladder.retire("e")
        ladder.retire("f")
        ladder.change({"same_author": SameAuthor.TOGETHER})

        assert sorted(planned(ladder)[0]) == [*"abcd"]


def test_with_too_few_authors_the_stand_in_sits_down(
    home: Home, enter_all: Callable[..., None], command: Callable[..., Any]
) -> None:
    """With too few authors stand-ins fill the tables, and the run names the setting."""
    with Ladder.open(home) as ladder:
        enter_all(ladder, {**dict.fromkeys("abc", "eve"), **dict.fromkeys("de", "bob")})
        tables = planned(ladder)
        said = LadderPlanner(ladder, 1).notice()

    assert alone(tables, "abc")
    assert alone(tables, "de")
    assert all(len(table) == 2 for table in tables)
    assert "so 2 of the 5 bots can sit at a table for 4" in said
    assert "`ladder settings --same-author together`" in said
    shown = command("settings", "--same-author", "together", "--ladder", home.path)
    assert "may sit at one table" in shown.out
    with Ladder.open(home) as ladder:
        assert LadderPlanner(ladder, 1).notice() == ""


def test_one_author_alone_is_refused(home: Home, enter_all: Callable[..., None]) -> None:
    """A ladder with one author alone is refused, as no bots could be compared."""
    with Ladder.open(home) as ladder:
        enter_all(ladder, dict.fromkeys("abc", "eve"))
        with pytest.raises(
            NoPlayersError, match="all 3 bots that could play are of one author, eve"
        ):
            LadderPlanner(ladder, 1)
