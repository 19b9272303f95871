"""A stored record is read only as it was packed."""

import zlib
from typing import Any

import pytest

from ladder.model.errors import StoreError
from ladder.storage.tables.records import unpack
from referee.conformance.testing import random_record

FORMAT_AGAIN = b"\x08\x02"
"""The field `format` with its value, the start of every record."""


@pytest.fixture(scope="module")
def record() -> Any:
    """A record of a short match."""
    return random_record("courtisans", 2, "stored")


def test_a_record_is_read_as_it_was_packed(record: Any) -> None:
    """Unpacking inverts packing."""
    assert unpack(zlib.compress(record.SerializeToString(deterministic=True))) == record


@pytest.mark.parametrize("level", [0, 9])
def test_how_well_it_is_packed_does_not_matter(record: Any, level: int) -> None:
    """The record's encoding counts, not its compression."""
    encoded = record.SerializeToString(deterministic=True)
    assert unpack(zlib.compress(encoded, level)) == record


def test_a_record_in_another_encoding_is_damaged(record: Any) -> None:
    """`unpack` refuses other bytes of the same record: a second value, a longer number."""
    encoded = record.SerializeToString(deterministic=True)
    assert encoded.startswith(FORMAT_AGAIN)
    for other in (
        encoded + FORMAT_AGAIN,
        FORMAT_AGAIN + encoded,
        b"\x08\x82\x00" + encoded[len(FORMAT_AGAIN) :],
        encoded[len(FORMAT_AGAIN) :] + FORMAT_AGAIN,
    ):
        assert type(record).FromString(other) == record
        with pytest.raises(StoreError, match="damaged: it is not in its canonical encoding"):
            unpack(zlib.compress(other))


@pytest.mark.parametrize("more", [b"junk", zlib.compress(b"")])
def test_what_stands_after_a_record_is_damage(record: Any, more: bytes) -> None:
    """`unpack` refuses extra and missing bytes."""
    packed = zlib.compress(record.SerializeToString(deterministic=True))
    for other in (packed + more, packed[:-1], packed[: len(packed) // 2]):
        with pytest.raises(StoreError, match="the stored record is damaged: "):
            unpack(other)
