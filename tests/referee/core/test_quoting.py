"""What a bot sent is shown so that it harms no reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.core.plain import quoted


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"ready\n", r"'ready\n'"),
        (b"", "''"),
        (b"\x1b[2J\x00", r"'\x1b[2J\x00'"),
        ("ä".encode(), r"'\xc3\xa4'"),
        (b"\xff\xfe", r"'\xff\xfe'"),
        (rb"a\xff", r"'a\\xff'"),
        (b"x" * 48, f"'{'x' * 48}'"),
        (b"x" * 49, f"'{'x' * 48}'…"),
    ],
)
def test_bytes_are_shown_as_programmers_write_them(data: bytes, shown: str) -> None:
    """Text as text, everything else as escapes, cut where it is long."""
    assert quoted(data) == shown


@given(st.binary(max_size=100_000))
def test_what_is_shown_is_short_and_printable(data: bytes) -> None:
    """Whatever it was."""
    assert quoted(data).isprintable()
    assert len(quoted(data)) < 500
