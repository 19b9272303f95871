"""A match's title says who beat whom."""

import pytest

from ladder.model.bots import Version
from ladder.model.matches import SeatLine, SeatResult
from ladder.results.headline import headline

Seat = tuple[str | None, int, int, str | None]
CASES: list[tuple[str, list[Seat]]] = [
    ("ann beats bob 18\N{EN DASH}17", [("bob", 2, 17, None), ("ann", 1, 18, None)]),
    ("ann and bob draw 7\N{EN DASH}7", [("ann", 1, 7, None), ("bob", 1, 7, None)]),
    ("ann beats bob 8 to \N{MINUS SIGN}3", [("ann", 1, 8, None), ("bob", 2, -3, None)]),
    ("ann beats bob by forfeit", [("bob", 2, 30, "TIMEOUT"), ("ann", 1, 5, None)]),
    (
        "cat beats ann, the stand-in and bob 9\N{EN DASH}5\N{EN DASH}4\N{EN DASH}1",
        [("ann", 2, 5, None), ("bob", 4, 1, None), ("cat", 1, 9, None), (None, 3, 4, None)],
    ),
    (
        "ann and cat share first place before bob 9\N{EN DASH}9\N{EN DASH}1",
        [("ann", 1, 9, None), ("bob", 3, 1, None), ("cat", 1, 9, None)],
    ),
    (
        "ann beats bob and cat: 9, 2, \N{MINUS SIGN}1",
        [("ann", 1, 9, None), ("bob", 2, 2, None), ("cat", 3, -1, None)],
    ),
    ("", []),
]


def version_of(bot: str) -> Version:
    """Return a bot's first version."""
    return Version(1, bot, 1, "0" * 64, ("run",), active=True, submitted_at="")


@pytest.mark.parametrize(("said", "seats"), CASES)
def test_it_names_all_by_their_places(said: str, seats: list[Seat]) -> None:
    """Places, ties, forfeits, stand-ins and points below zero are told as people tell them."""
    lines = [
        SeatLine(version_of(bot) if bot else None, SeatResult(rank, points, forfeit))
        for bot, rank, points, forfeit in seats
    ]
    assert headline(lines) == said
