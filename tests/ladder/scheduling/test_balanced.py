"""The promises of balanced rounds."""

import itertools
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.model.history import History
from ladder.scheduling.ladder.balanced import Table, plan_round
from referee.games.randomness import Stream

entrants = st.integers(1, 14)
seat_counts = st.integers(2, 5)
seeds = st.text(max_size=8)


def played_rounds(
    versions: list[int], seats: int, rounds: int, seed: str, history: History
) -> list[list[Table]]:
    """Return a number of rounds in a row, and add them to the history."""
    result = []
    for number in range(rounds):
        tables = plan_round(versions, seats, history, Stream(seed, "scheduling", str(number)))
        for table in tables:
            history.add(table)
        result.append(tables)
    return result


@given(entrants, seat_counts, st.integers(1, 20), seeds)
def test_everybody_plays_equally_often(n: int, seats: int, rounds: int, seed: str) -> None:
    """After any round the entrants' numbers of matches differ by at most one."""
    versions, history = list(range(1, n + 1)), History()

    for _ in range(rounds):
        played_rounds(versions, seats, 1, seed, history)
        counts = [history.played(version) for version in versions]

        assert max(counts) - min(counts) <= 1


@given(entrants, seat_counts, st.integers(1, 8), seeds)
def test_tables_are_lawful(n: int, seats: int, rounds: int, seed: str) -> None:
    """Every table is full, without repeats, and each version plays once or twice a round."""
    versions = list(range(1, n + 1))

    for tables in played_rounds(versions, seats, rounds, seed, History()):
        appearances = Counter(v for table in tables for v in table if v is not None)

        assert set(appearances) == set(versions)
        assert set(appearances.values()) <= {1, 2}
        for table in tables:
            taken = [version for version in table if version is not None]
            assert len(table) == seats
            assert len(taken) == len(set(taken)) == min(n, seats)


@given(entrants, seat_counts, seeds)
def test_rounds_repeat(n: int, seats: int, seed: str) -> None:
    """The same history and seed give the same round, whatever the order of the versions."""
    versions, history = list(range(1, n + 1)), History()
    played_rounds(versions, seats, 3, seed, history)

    first = plan_round(versions, seats, history, Stream(seed, "x"))

    assert first == plan_round(versions[::-1], seats, history, Stream(seed, "x"))


@pytest.mark.parametrize(("n", "seats"), [(6, 2), (9, 3), (8, 4), (12, 4), (14, 5)])
def test_opponents_are_spread(n: int, seats: int) -> None:
    """After 30 rounds pairs' meetings are even; by chance the spread would be 8 to 12."""
    versions = list(range(1, n + 1))
    differences = []
    for seed in map(str, range(10)):
        history = History()
        played_rounds(versions, seats, 30, seed, history)
        meetings = [history.met(a, b) for a, b in combinations(versions, 2)]
        differences.append(max(meetings) - min(meetings))

    assert sum(differences) / len(differences) <= 6


def widest(n: int, seats: int, seed: str) -> int:
    """Return by how much a version's counts of seats differ at most, after 30 rounds."""
    versions, history = list(range(1, n + 1)), History()
    played_rounds(versions, seats, 30, seed, history)
    counts = [[history.sat(version, seat) for seat in range(seats)] for version in versions]
    return max(max(count) - min(count) for count in counts)


@pytest.mark.parametrize("seats", range(2, 6))
def test_seats_are_rotated(seats: int) -> None:
    """A version's counts of seats differ by at most two."""
    assert max(widest(n, seats, seed) for n in range(1, 15) for seed in "01") <= 2


@pytest.mark.proof
def test_seats_are_rotated_in_nearly_every_field(proof_cases: Callable[[int], int]) -> None:
    """Three is the most, in at most one field of a thousand."""
    cases = proof_cases(20_000)
    sizes = itertools.islice(itertools.cycle(itertools.product(range(1, 15), range(2, 6))), cases)
    found = Counter(widest(n, k, str(seed)) for seed, (n, k) in enumerate(sizes))

    assert max(found) <= 3
    assert found[3] <= max(1, cases / 1000)


@given(st.integers(4, 12), seeds)
def test_late_entrant_does_not_take_over(n: int, seed: str) -> None:
    """A newcomer plays at most twice a round, like all others."""
    versions, history = list(range(1, n + 1)), History()
    played_rounds(versions, 4, 20, seed, history)
    before = history.played(1)

    played_rounds([*versions, 99], 4, 10, seed, history)

    assert 10 <= history.played(99) <= 20
    assert history.played(1) - before >= 10


def test_history_counts() -> None:
    """Matches, meetings and seats are counted, without the stand-in."""
    history = History([(1, None, 2), (2, 1, None)])

    assert (history.played(1), history.played(2), history.played(3)) == (2, 2, 0)
    assert (history.met(1, 2), history.met(2, 1), history.met(1, 3)) == (2, 2, 0)
    assert (history.sat(1, 0), history.sat(1, 1), history.sat(1, 2)) == (1, 1, 0)
