"""JSON lines: what is a message, and what never is."""

import json

import pytest
from courtyard.v1 import courtisans_pb2, referee_pb2

from referee.core.faults import BotFault, FaultKind
from referee.transports.framing import JsonLines


def taken(data: bytes) -> referee_pb2.BotMessage | None:
    """The message in the first line, if whole."""
    framing = JsonLines()
    framing.buffer += data
    message = framing.next()
    return None if message is None else referee_pb2.BotMessage.FromString(message)


HELLO = referee_pb2.BotMessage(hello=referee_pb2.Hello(protocol_version=1, name="Ädä"))
SAME = {
    "as the page shows it": '{"hello": {"protocolVersion": 1, "name": "Ädä"}}\n',
    "names of the .proto": '{"hello": {"protocol_version": 1, "name": "Ädä"}}\n',
    "escaped": '{"hello": {"protocolVersion": 1, "name": "\\u00c4d\\u00e4"}}\n',
    "with the line end of another system": '{"hello":{"protocolVersion":1,"name":"Ädä"}}\r\n',
    "with unknown fields": '{"x":[{}],"hello":{"protocolVersion":1,"name":"Ädä","y":1}}\n',
    "with null": '{"match_id": null, "hello": {"protocolVersion": 1, "name": "Ädä"}}\n',
    "with a number as a text": '{"hello": {"protocolVersion": "1", "name": "Ädä"}}\n',
}


@pytest.mark.parametrize("line", SAME.values(), ids=SAME)
def test_a_line_is_read_as_protobuf_reads_json(line: str) -> None:
    """All forms of Protobuf's JSON mapping work; unknown fields are skipped."""
    assert taken(line.encode()) == HELLO


def test_enum_values_have_names_or_numbers() -> None:
    """An unknown name is skipped, which leaves nothing: never a legal value."""
    form = '{"decision": {"action": {"courtisans": {"side": %s}}}}\n'
    for text, side in (
        ('"SIDE_ABOVE"', courtisans_pb2.SIDE_ABOVE),
        ("1", courtisans_pb2.SIDE_ABOVE),
        ('"SIDE_ASIDE"', courtisans_pb2.SIDE_UNSPECIFIED),
    ):
        message = taken((form % text).encode())
        assert message is not None
        assert message.decision.action.courtisans.side == side


def test_a_line_that_is_not_ended_is_waited_for() -> None:
    """Even if it could be whole."""
    assert taken(b'{"matchId": "m"}') is None


NO_MESSAGE = {
    "a word": (b"ready\n", "Failed to load JSON"),
    "nothing": (b"\n", "Failed to load JSON"),
    "no object": (b"[1, 2]\n", "each line on stdout is a BotMessage in JSON"),
    "two messages": (b"{} {}\n", "Extra data"),
    "a number of another kind": (b'{"hello": {"protocolVersion": 1.5}}\n', "protocolVersion"),
    "a number out of range": (b'{"hello": {"protocolVersion": -1}}\n', "protocolVersion"),
    "two bodies": (b'{"hello": {}, "decision": {}}\n', "oneof"),
    "a field twice": (b'{"hello": {}, "hello": {}}\n', "duplicate"),
    "not UTF-8": (b'{"matchId": "\xff"}\n', "can't decode byte 0xff"),
    "NUL": (b'{"matchId": "m\x00"}\n', "Invalid control character"),
    "half a character": (b'{"matchId": "\\ud800"}\n', "surrogate"),
    "deep": (b"[" * 60_000 + b"\n", "each line on stdout is a BotMessage in JSON"),
    "deep in an unknown field": (b'{"x":' + b"[" * 60_000 + b"\n", "each line on stdout"),
    "digits": (b'{"hello": {"protocolVersion": ' + b"9" * 60_000 + b"}}\n", "each line on stdout"),
}


@pytest.mark.parametrize(("line", "words"), NO_MESSAGE.values(), ids=NO_MESSAGE)
def test_a_line_that_is_no_message_is_a_fault(line: bytes, words: str) -> None:
    """The reason names the rule, the parser's error and the line, all printable."""
    with pytest.raises(BotFault) as caught:
        taken(line)
    fault = caught.value.fault
    assert fault.kind is FaultKind.PROTOCOL_ERROR
    assert words in fault.reason
    assert "received '" in fault.reason
    assert fault.reason.isprintable()
    assert len(fault.reason) < 600
    assert fault.received == line.rstrip(b"\n")[:512]


def test_the_longest_line_has_65536_bytes() -> None:
    """The limit excludes the end; longer lines are not awaited."""
    longest = b'{"matchId": "%s"}' % (b"m" * (65_536 - 15))
    assert len(longest) == 65_536
    assert taken(longest) is None
    assert taken(longest + b"\n") is not None
    with pytest.raises(BotFault, match="a line on stdout may have 65536 bytes"):
        taken(longest + b" ")
    with pytest.raises(BotFault, match="a line on stdout may have 65536 bytes"):
        taken(longest + b" \n")


def test_a_line_to_the_bot_is_protobufs_json() -> None:
    """Names in lowerCamelCase, no defaults, one line whatever the texts hold."""
    message = referee_pb2.RefereeMessage(match_id="a\nb\u2028ä")
    message.request.start.deal_commitment = b"\x00\xff"
    message.request.time_ms = 5000
    line = JsonLines.encode(message.SerializeToString())
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == {
        "matchId": "a\nb\u2028ä",
        "request": {"start": {"dealCommitment": "AP8="}, "timeMs": 5000},
    }
