"""What a client sends is split into frames, however it comes."""

from collections.abc import Iterable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from referee.transports.seat_frames import (
    DATA,
    HEAD,
    OTHER,
    WINDOW_UPDATE,
    FrameSplitter,
    data_frame,
    increment_of,
    window_update,
)
from tests.support.http2_client import frame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PADDED = 8

PLAIN = st.builds(
    lambda kind, stream, payload: frame(kind, 0, stream, payload),
    st.sampled_from([DATA, WINDOW_UPDATE]),
    st.integers(0, 2**31 - 1),
    st.binary(max_size=300),
)
SPECIAL = st.builds(
    frame, st.integers(0, 10), st.integers(1, 255), st.integers(0, 9), st.binary(max_size=40)
)
FRAMES = st.lists(st.one_of(PLAIN, SPECIAL), max_size=20)


def split(parts: Iterable[bytes]) -> list[tuple[int, int, bytes]]:
    """Return what a splitter makes of these parts."""
    splitter = FrameSplitter()
    return [found for part in parts for found in splitter.split(part)]


@given(FRAMES, st.lists(st.integers(0, 7_000), max_size=30))
def test_no_byte_is_lost_however_the_stream_is_divided(
    frames: list[bytes], cuts: list[int]
) -> None:
    """All bytes come in their order, and each plain frame is a whole one that was sent."""
    sent = PREFACE + b"".join(frames)
    bounds = sorted({min(cut, len(sent)) for cut in cuts} | {0, len(sent)})
    parts = [sent[a:b] for a, b in pairwise(bounds)]
    found = split(parts)
    assert b"".join(part for _, _, part in found) == sent
    plain = [(kind, stream, part) for kind, stream, part in found if kind != OTHER]
    left = iter(frames)
    for kind, stream, part in plain:
        assert part in left  # in their order
        assert (kind, stream) == (part[3], int.from_bytes(part[5:HEAD]) & (2**31 - 1))


@given(st.lists(PLAIN, max_size=20), st.lists(SPECIAL, max_size=3))
def test_whole_frames_without_flags_are_plain(plain: list[bytes], special: list[bytes]) -> None:
    """If all comes at once, h2 reads nothing else."""
    found = split([PREFACE + b"".join((*special, *plain))])
    assert [part for kind, _, part in found if kind != OTHER] == plain


def test_frames_are_those_of_http2() -> None:
    """What is written is what others write."""
    payload = bytes(range(256)) * 50
    assert data_frame(5, payload) == frame(DATA, 0, 5, payload)
    assert window_update(0, 40_000) == frame(WINDOW_UPDATE, 0, 0, (40_000).to_bytes(4))
    assert increment_of(window_update(3, 2**31 - 1)) == 2**31 - 1
    assert increment_of(frame(WINDOW_UPDATE, 0, 3, bytes(4))) == 0
    assert increment_of(frame(WINDOW_UPDATE, 0, 3, b"\1\2\3")) == 0
