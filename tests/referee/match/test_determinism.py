"""One seed, one record: a match depends only on its setup and its answers."""

from collections.abc import Callable

import pytest

from referee.conformance.testing import random_record

GAMES = 10_000
SHARE = 500
"""Games of one test case, so that processes can share the proof."""


def twice_the_same(seats: int, seeds: range) -> None:
    """Play a random game of each seed twice and compare the records, byte for byte."""
    for seed in seeds:
        first, second = (
            random_record("courtisans", seats, str(seed)).SerializeToString(deterministic=True)
            for _ in range(2)
        )
        assert first == second, f"seed {seed}, {seats} seats"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_two_runs_of_one_seed_give_the_same_record(seats: int) -> None:
    """A few seeds for each number of seats."""
    twice_the_same(seats, range(10))


@pytest.mark.proof
@pytest.mark.parametrize("share", range(GAMES // SHARE))
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_two_runs_of_ten_thousand_seeds_give_the_same_records(
    seats: int, share: int, proof_cases: Callable[[int], int]
) -> None:
    """Ten thousand seeds for each number of seats, shared among the cases."""
    first = share * SHARE
    twice_the_same(seats, range(first, first + proof_cases(SHARE)))
