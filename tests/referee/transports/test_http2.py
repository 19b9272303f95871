"""What a client may pass to gRPC, and what ends its connection."""

import pytest

from referee.transports.http2 import MOST_FIELDS, Http2Error, Inspector, check_fields
from tests.support.http2_client import (
    CONTINUATION,
    END_HEADERS,
    HEADERS,
    NEWEST,
    SETTINGS,
    STATIC,
    call,
    field,
    frame,
)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(SETTINGS, 0, 0)
DATA, RST_STREAM, PADDED, PRIORITY = 0, 3, 8, 32
CALL = call("/courtyard.v1.Referee/Play")


def began(number: int = 1, block: bytes = CALL) -> bytes:
    """Return a call's first frame."""
    return frame(HEADERS, END_HEADERS, number, block)


SPLIT = frame(HEADERS, 0, 1, CALL[:50]) + frame(CONTINUATION, END_HEADERS, 1, CALL[50:])
PADDED_CALL = frame(
    HEADERS, END_HEADERS | PADDED | PRIORITY, 1, b"\x03" + bytes(5) + CALL + bytes(3)
)


@pytest.mark.parametrize("size", [1, 2, 9, 10, 1000])
def test_what_clients_send_passes_unchanged(size: int) -> None:
    """Pieces of any size pass."""
    sent = PREFACE + began() + frame(DATA, 0, 1, bytes(40_000)) + frame(RST_STREAM, 0, 1, bytes(4))
    for more in (began(3), SPLIT, PADDED_CALL):
        inspector, whole = Inspector(), sent + more
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        assert b"".join(inspector.feed(piece) for piece in pieces) == whole


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n",
        PREFACE + began(block=CALL + NEWEST * 4000),
        PREFACE + began(block=CALL + STATIC * 4000),
        PREFACE + frame(HEADERS, 0, 1, CALL) + frame(DATA, 0, 1, b"x"),
        PREFACE + frame(HEADERS, 0, 1, CALL) + frame(CONTINUATION, 0, 3, CALL),
        PREFACE + frame(HEADERS, 0, 1) + frame(CONTINUATION, 0, 1) * 10,
        PREFACE + frame(HEADERS, 0, 1, bytes(16_000)) + frame(CONTINUATION, 0, 1, bytes(16_000)),
        PREFACE + frame(CONTINUATION, END_HEADERS, 1, CALL),
        PREFACE + frame(5, END_HEADERS, 1, CALL),
        PREFACE + frame(HEADERS, END_HEADERS | PADDED, 1, b"\xff" + CALL[:10]),
        PREFACE + began(block=b"\x00\x7f"),
        PREFACE + began(block=b"\xff" * 20),
        PREFACE + began(block=field(b"a", b"b")[:-1]),
    ],
)
def test_what_no_client_sends_ends_its_connection(sent: bytes) -> None:
    """None reaches gRPC."""
    with pytest.raises(Http2Error):
        Inspector().feed(sent)


def test_fields_are_counted() -> None:
    """All kinds count towards the limit."""
    table = b"\x3f\xe1\x1f"
    block = field(b"a", b"b") * 30 + field(b"a", b"b", kept=True) * 30 + b"\x41\x01x" + table
    check_fields(block + NEWEST + STATIC)
    assert MOST_FIELDS == 64
    with pytest.raises(Http2Error, match="more than 64 header fields"):
        check_fields(block + NEWEST * 3)


def test_a_stranger_opens_few_calls() -> None:
    """Bytes that open more are held back until the caller is known."""
    inspector = Inspector(2)
    first, later = PREFACE + began(1) + began(3), began(5) + frame(DATA, 0, 5, b"x")
    assert inspector.feed(first + later) == first
    assert inspector.holds_back
    inspector.most_streams = 3
    assert inspector.feed(b"") == later


def test_the_calls_that_a_stranger_has_go_on() -> None:
    """At the limit their messages pass; the next call waits until one is over."""
    inspector = Inspector(most_open=1, watches=True)
    begun, message, later = PREFACE + began(1), frame(DATA, 0, 1, b"x"), began(3)
    assert inspector.feed(begun) == begun
    assert inspector.feed(message) == message
    assert not inspector.holds_back
    assert inspector.feed(later) == b""
    assert inspector.holds_back
    inspector.answered(frame(HEADERS, 5, 1, b"\x88"))
    assert inspector.feed(b"") == later


def test_a_stranger_says_little_behind_a_call_that_waits() -> None:
    """More than a few Hellos ends the connection."""
    inspector = Inspector(1)
    hellos = b"".join(
        began(number) + frame(DATA, 0, number, bytes(100)) for number in range(1, 33, 2)
    )
    inspector.feed(PREFACE + hellos)
    assert inspector.holds_back
    with pytest.raises(Http2Error, match="behind a call"):
        inspector.feed(frame(DATA, 0, 1, bytes(8192)))


def test_a_client_takes_back_few_calls() -> None:
    """Known or not, it then has to connect anew."""
    inspector = Inspector(watches=True)
    inspector.feed(PREFACE)
    for number in range(1, 201, 2):
        inspector.feed(began(number) + frame(RST_STREAM, 0, number, bytes(4)))
    with pytest.raises(Http2Error, match="more than 100 calls taken back"):
        inspector.feed(began(201) + frame(RST_STREAM, 0, 201, bytes(4)))


def test_calls_without_a_message_are_known() -> None:
    """Each counts until a message or its final answer."""
    inspector = Inspector(watches=True)
    nothing = Inspector().silent_since
    inspector.feed(PREFACE + began(1))
    assert inspector.silent_since < nothing
    inspector.feed(frame(DATA, 0, 1, b"x"))
    assert inspector.silent_since == nothing
    inspector.feed(began(3))
    answer = frame(DATA, 0, 1, b"answer") + frame(HEADERS, 5, 3, b"\x88")
    for at in range(len(answer)):
        inspector.answered(answer[at : at + 1])
    assert inspector.silent_since == nothing
