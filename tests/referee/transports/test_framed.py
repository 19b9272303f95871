"""Length-prefixed Protobuf: what is a message, and what never is."""

import pytest
from courtyard.v1 import referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.core.faults import BotFault, FaultKind
from referee.transports.framing import Framed
from referee.wire.encoding import varint


def taken(data: bytes) -> list[bytes]:
    """The messages in bytes."""
    framing, messages = Framed(), []
    framing.buffer += data
    while (message := framing.next()) is not None:
        messages.append(message)
    return messages


@given(st.lists(st.binary(max_size=400)), st.data())
def test_messages_come_out_as_they_went_in(messages: list[bytes], data: st.DataObject) -> None:
    """The bytes may be split anywhere."""
    sent = b"".join(map(Framed.encode, messages))
    framing, received = Framed(), []
    while sent:
        size = data.draw(st.integers(1, len(sent)))
        framing.buffer += sent[:size]
        sent = sent[size:]
        while (message := framing.next()) is not None:
            received.append(message)
    assert received == messages
    assert not framing.buffer


def test_a_message_is_framed_as_libraries_do() -> None:
    """The example of docs/protocol.md."""
    hello = referee_pb2.BotMessage(hello=referee_pb2.Hello(protocol_version=1, name="ada"))
    assert Framed.encode(hello.SerializeToString()) == b"\x09\x12\x07\x08\x01\x12\x03ada"


def test_a_length_may_be_longer_than_it_has_to_be() -> None:
    """Some libraries leave room for it: leading zeros, up to ten bytes."""
    assert taken(b"\x83\x80\x80\x80\x80\x80\x80\x80\x80\x00abc") == [b"abc"]


def test_the_largest_message_is_one_of_65536_bytes() -> None:
    """The length alone refuses a larger one, unread."""
    assert taken(varint(65_536) + bytes(65_536)) == [bytes(65_536)]
    assert taken(varint(65_536)) == []
    with pytest.raises(BotFault) as caught:
        taken(varint(65_537))
    assert caught.value.fault.kind is FaultKind.PROTOCOL_ERROR
    assert caught.value.fault.received == b"\x81\x80\x04"
    assert str(caught.value) == (
        "the length before a message on stdout may be at most 65536: it is at least 65537: "
        r"received '\x81\x80\x04'"
    )


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", b"\x80" * 10], ids=["huge", "endless"])
def test_what_can_be_no_length_is_refused_at_once(data: bytes) -> None:
    """The refusal quotes the bytes so far, even if more might follow."""
    with pytest.raises(BotFault, match=r"received '\\x[0-9a-f]{2}"):
        taken(data)


def test_less_than_a_length_is_waited_for() -> None:
    """Nine bytes without an end may yet be one."""
    assert taken(b"\x80" * 9) == []
