"""The time account of a seat, and what its bot is told of it."""

from collections.abc import Callable

import pytest
from courtyard.v1 import referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.conformance.testing import SeatRequest, play
from referee.core.clock import Clock, ClockConfig
from referee.core.errors import UsageError
from referee.match.match import Match

MS = 1_000


def test_a_decision_may_take_its_limit() -> None:
    """While the bank holds more than the limit, the limit counts."""
    clock = Clock(ClockConfig(decision_limit_ms=500, bank_ms=2_000, increment_ms=0))

    assert clock.grant() == 500 * MS


def test_a_decision_may_take_no_more_than_the_bank_holds() -> None:
    """What is left counts when it is less than the limit."""
    clock = Clock(ClockConfig(decision_limit_ms=500, bank_ms=600, increment_ms=0))
    clock.grant()
    clock.charge(400 * MS)

    assert clock.grant() == 200 * MS


def test_every_decision_but_the_first_adds_the_increment() -> None:
    """The bank of the first decision is the bank that was configured."""
    clock = Clock(ClockConfig(decision_limit_ms=1_000, bank_ms=100, increment_ms=30))

    assert [clock.grant() for _ in range(3)] == [100 * MS, 130 * MS, 160 * MS]


def test_the_bank_never_holds_less_than_nothing() -> None:
    """Who takes longer than the bank holds owes nothing, and lives on the increment."""
    clock = Clock(ClockConfig(decision_limit_ms=1_000, bank_ms=100, increment_ms=30))
    clock.grant()
    clock.charge(5_000 * MS)

    assert clock.bank_us == 0
    assert clock.grant() == 30 * MS


@given(
    limit=st.integers(1, 9_000),
    bank=st.integers(1, 9_000),
    increment=st.integers(0, 900),
    shares=st.lists(st.floats(0, 1), max_size=12),
)
def test_the_bank_is_what_was_given_less_what_was_taken(
    limit: int, bank: int, increment: int, shares: list[float]
) -> None:
    """For decisions that keep to what they may take, the account is a plain sum."""
    clock = Clock(ClockConfig(1, limit, bank, increment))
    taken = 0
    for share in shares:
        allowed = clock.grant()
        elapsed = int(share * allowed)
        clock.charge(elapsed)
        taken += elapsed

    given_ms = bank + increment * max(0, len(shares) - 1)
    assert clock.bank_us == given_ms * MS - taken


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("startup_ms", 0, "startup is 0 s: it must be from 0.001 to 86400 s"),
        ("decision_limit_ms", 0, "decision limit is 0 s: it must be from 0.001"),
        ("bank_ms", -1, "bank is -0.001 s"),
        ("increment_ms", -1, "increment is -0.001 s: it must be from 0 to"),
        ("bank_ms", 24 * 60 * 60 * 1000 + 1, "bank is 86400.001 s"),
        ("bank_ms", 10**303, r"bank is 1e\+300 s"),
    ],
)
def test_a_time_that_no_clock_can_hold_is_refused(field: str, value: int, said: str) -> None:
    """The error names the field and the values that it may have, in seconds and in short."""
    with pytest.raises(UsageError, match=f"the clock's {said}"):
        ClockConfig(**{field: value})


def test_a_bot_is_told_what_is_left_and_the_record_keeps_it(
    new_match: Callable[..., Match],
) -> None:
    """Requests tell time and bank before a decision, the record what it took and what was left."""
    config = ClockConfig(decision_limit_ms=3_000, bank_ms=5_000, increment_ms=100)
    match = new_match(2, clock=config)
    told: list[tuple[int, int]] = []

    def think(asked: SeatRequest) -> bytes:
        message = referee_pb2.RefereeMessage.FromString(asked.due.payload)
        told.append((message.request.time_ms, message.request.bank_ms))
        asked.clock.advance(1_200_500)
        return asked.legal_answer()

    play(match, {1: dict.fromkeys(range(1, 11), think)})
    decided = [(one.elapsed_us, one.bank_left_us) for one in match.decisions if one.seat == 1]

    assert told == [(3_000, 5_000), (3_000, 3_899), (2_799, 2_799), (1_698, 1_698), (598, 598)]
    assert decided[:5] == [
        (1_200_500, 3_799_500),
        (1_200_500, 2_699_000),
        (1_200_500, 1_598_500),
        (1_200_500, 498_000),
        (1_200_500, 0),
    ]
    assert decided[5:] == [(0, 0)] * 5
    assert match.decisions[-1].fault is None


def test_only_a_seats_own_decisions_cost_it_time(new_match: Callable[..., Match]) -> None:
    """However long the others think, a seat that answers at once keeps its bank."""
    match = new_match(2, clock=ClockConfig(increment_ms=0))

    def at_once(asked: SeatRequest) -> bytes:
        return asked.legal_answer()

    def slowly(asked: SeatRequest) -> bytes:
        asked.clock.advance(2_000_000)
        return asked.legal_answer()

    numbers = range(1, 11)
    play(match, {0: dict.fromkeys(numbers, at_once), 1: dict.fromkeys(numbers, slowly)})
    banks = [one.bank_left_us for one in match.decisions if one.seat == 0]

    assert banks == [30_000_000] * 10
