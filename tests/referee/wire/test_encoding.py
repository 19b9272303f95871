"""Fields written by joining bytes are the bytes that the protobuf library writes."""

import pytest
from courtyard.v1 import courtisans_pb2, record_pb2, referee_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.wire.encoding import Memo, field, packed, present_uint, sint, text, uint, varint

POWERS = [2**bits for bits in range(65)]
EDGES = sorted({0, *POWERS[:-1], *(power - 1 for power in POWERS)})
"""Every number below 2^64 at which a varint may grow longer, and those beside it."""

uint32s = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("number", EDGES)
def test_varints_at_the_edges(number: int) -> None:
    """A varint is right where its length changes, from 0 to 2^64 - 1."""
    assert uint(3, number) == record_pb2.RecordDecision(elapsed_us=number).SerializeToString()
    assert varint(number) == b"\0" if not number else uint(3, number)[1:]


@settings(derandomize=True)
@given(st.integers(0, 2**64 - 1))
def test_unsigned_fields(number: int) -> None:
    """An unsigned field is left out at 0 and right elsewhere."""
    assert uint(4, number) == record_pb2.RecordDecision(bank_left_us=number).SerializeToString()


@settings(derandomize=True)
@given(st.integers(-(2**31), 2**31 - 1))
def test_signed_fields(number: int) -> None:
    """A sint32 field is right, below zero too."""
    assert sint(2, number) == referee_pb2.SeatOutcome(points=number).SerializeToString()


@settings(derandomize=True)
@given(uint32s)
def test_fields_with_presence(number: int) -> None:
    """An optional field is written also at 0."""
    message = courtisans_pb2.CourtisansEliminated(domain=number)
    assert present_uint(2, number) == message.SerializeToString()


@settings(derandomize=True)
@given(st.text())
def test_texts(value: str) -> None:
    """A string is written in UTF-8 and left out when it is empty."""
    assert text(2, value) == referee_pb2.Hello(name=value).SerializeToString()


@settings(derandomize=True)
@given(st.lists(uint32s))
def test_packed_lists(numbers: list[int]) -> None:
    """A list of numbers is one packed field, left out when it is empty."""
    message = courtisans_pb2.CourtisansTargets(turns=numbers)
    assert packed(1, tuple(numbers)) == message.SerializeToString()


@pytest.mark.parametrize("length", [0, 1, 127, 128, 16_383, 16_384, 70_000])
def test_messages_inside_messages(length: int) -> None:
    """A message inside another is written with its length, also when it is empty."""
    inner = text(1, "x" * length)
    message = record_pb2.Record(seats=[record_pb2.RecordSeat(name="x" * length)])
    assert field(8, inner) == message.SerializeToString()


def test_a_memo_encodes_each_value_once() -> None:
    """What was encoded before is not encoded again."""
    asked: list[int] = []

    def encode(number: int) -> bytes:
        asked.append(number)
        return varint(number)

    memo = Memo[int](encode)
    assert list(map(memo.__getitem__, (1, 300, 1))) == [b"\x01", b"\xac\x02", b"\x01"]
    assert asked == [1, 300]
