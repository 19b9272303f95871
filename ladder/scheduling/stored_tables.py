"""Holds the stored tables of a tournament or duel against those that are due.

Only results are stored of a contest; who met whom and why follows from its plan. Were a stored
match taken for another table's, its result would go to bots that did not play it.
"""

from collections.abc import Sequence
from itertools import zip_longest

from ladder.model.errors import StoreError
from ladder.model.matches import MatchLine
from ladder.model.pairing import Block, Seating


def check_tables(where: str, stored: Sequence[Sequence[MatchLine]], due: Sequence[Block]) -> None:
    """Raise `StoreError` if the stored deals, each with its matches, are not the blocks due."""
    tables = [tuple(match.seating for match in deal) for deal in stored]
    for i, (found, wanted) in enumerate(zip_longest(tables, [block.tables for block in due])):
        if found != wanted:
            raise StoreError(
                f"{where}, deal {i + 1}: the stored matches are not those that follow from the "
                f"plan, the results and the decisions: stored {_told(found)}, due "
                f"{_told(wanted)}. The database was changed, or another version of Courtyard "
                "planned this: restore a backup, or use the Courtyard that began it"
            )


def _told(tables: Sequence[Seating] | None) -> str:
    """Return who sits at a deal's tables, by the versions' numbers in the database."""
    return " and ".join(map(_seats, tables or ())) or "none"


def _seats(table: Seating) -> str:
    return "(" + ", ".join("stand-in" if v is None else str(v) for v in table) + ")"
