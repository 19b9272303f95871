"""Tables of up to ten seats are seated as evenly as small ones."""

from collections import Counter
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.history import History
from ladder.scheduling.ladder.balanced import seated
from ladder.scheduling.tournament.formats import circles
from referee.games.randomness import Stream

SIZES = range(2, 7)


@pytest.mark.parametrize("seats", range(2, 11))
def test_each_entrant_follows_each_other(seats: int) -> None:
    """Over the circles of a meeting's deals every ordered pair is adjacent, none much oftener."""
    entrants = tuple(range(seats))
    count = next(n for n in range(1, 20) if circles.of_deal(entrants, n) == entrants)
    adjacent = Counter(
        pair
        for deal in range(count)
        for pair in circles.neighbours(circles.of_deal(entrants, deal))
    )

    assert len(adjacent) == seats * (seats - 1)
    assert max(adjacent.values()) <= 2 * min(adjacent.values())


@given(st.data())
def test_a_circle_is_the_best_of_all(data: st.DataObject) -> None:
    """It is the one that a trial of all circles finds."""
    entrants = tuple(range(data.draw(st.sampled_from(SIZES))))
    before = Counter({pair: data.draw(st.integers(0, 3)) for pair in permutations(entrants, 2)})

    def cost(order: tuple[int, ...]) -> tuple[int, int]:
        pairs = list(pairwise((0, *order, 0)))
        return sum(before[a, b] - before[b, a] for a, b in pairs), sum(before[p] for p in pairs)

    best = (0, *min(permutations(entrants[1:]), key=cost))

    assert circles.seated(entrants, Counter(before)) == best


@given(st.lists(st.permutations(range(6)), max_size=8))
def test_each_sits_where_it_has_sat_least(past: list[list[int]]) -> None:
    """No other arrangement has been taken less."""
    history = History(map(tuple, past))
    table = seated(range(6), 6, history, History(), Stream("s"))

    def taken(order: tuple[int, ...]) -> int:
        return sum(history.sat(version, seat) for seat, version in enumerate(order))

    assert taken(tuple(v for v in table if v is not None)) == min(
        map(taken, permutations(range(6)))
    )
