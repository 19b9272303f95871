"""What a bot sends is read within its limits, or is the bot's fault; nothing else comes of it."""

from collections.abc import Callable

import pytest
from courtyard.v1 import game_pb2, referee_pb2
from hypothesis import given
from hypothesis import strategies as st

from referee.core.faults import BotFault, Fault, FaultKind
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.wire import codec_named
from referee.wire.envelope import LARGEST_BOT_MESSAGE, read_decision, read_hello
from tests.support.sampling import examples

SETUP = MatchSetup(match_id="a match", game="courtisans", seats=3, master_seed="reading")
LONGEST_REASON = 400


def legal_action(match: Match) -> game_pb2.GameAction:
    """A legal action of the seat that is due."""
    action = match.state.random_action(Stream("reading"))
    return game_pb2.GameAction.FromString(codec_named("courtisans").encode_action(action))


def hello(**fields: int | str) -> bytes:
    """A first message, valid but for these fields."""
    message = referee_pb2.Hello(protocol_version=1, name="bot", seat_token="t" * 32)
    for name, value in fields.items():
        setattr(message, name, value)
    return referee_pb2.BotMessage(hello=message).SerializeToString()


def decision(**fields: int | str) -> bytes:
    """The answer to the first request of a match, valid but for these fields."""
    message = referee_pb2.BotMessage(match_id="a match")
    message.decision.number = 1
    message.decision.action.CopyFrom(legal_action(Match(SETUP)))
    for name, value in fields.items():
        setattr(message if name == "match_id" else message.decision, name, value)
    return message.SerializeToString()


def read_first_decision(data: bytes) -> game_pb2.GameAction:
    """Read the answer to the first request of a match."""
    return read_decision(data, "a match", 1, "courtisans").action


def padded(message: bytes, size: int) -> bytes:
    """The message with a field that the protocol does not know, so that it has this size."""
    tag = b"\x82\x7d"  # field 2000, with a length
    length = size - len(message) - len(tag) - 3
    return (
        message
        + tag
        + bytes((length & 127 | 128, length >> 7 & 127 | 128, length >> 14))
        + bytes(length)
    )


def fault_of(read: Callable[[bytes], object], data: bytes) -> Fault | None:
    """The fault for which a message is refused; None if it is read."""
    try:
        read(data)
    except BotFault as error:
        return error.fault
    return None


def reason_of(read: Callable[[bytes], object], data: bytes) -> str:
    """Why a message is refused; it must be, as a protocol error."""
    fault = fault_of(read, data)
    assert fault is not None
    assert fault.kind is FaultKind.PROTOCOL_ERROR
    return fault.reason


def test_a_valid_hello_is_read() -> None:
    """A Hello at all its limits is read."""
    message = read_hello(hello(name="ä" * 64, seat_token="t" * 128, max_matches=1024))
    assert (message.name, message.max_matches) == ("ä" * 64, 1024)


def test_a_valid_decision_is_read() -> None:
    """The action of the answer that is due is read."""
    assert read_first_decision(decision()) == legal_action(Match(SETUP))


HELLOS_REFUSED = {
    "speaks protocol version 1: Hello has 0": hello(protocol_version=0),
    "speaks protocol version 1: Hello has 2": hello(protocol_version=2),
    "name may have 64 characters: it has 65": hello(name="ä" * 65),
    "seat_token may have 128 characters: it has 129": hello(seat_token="t" * 129),
    "max_matches may be 1024: it is 1025": hello(max_matches=1025),
    "the first message must be Hello: it has decision": decision(),
    "the first message must be Hello: it has nothing": b"",
    "2 bytes cannot be parsed": b"\xff\xff",
}


@pytest.mark.parametrize("reason", HELLOS_REFUSED)
def test_a_hello_that_is_refused(reason: str) -> None:
    """A first message that breaks a limit or is no Hello is refused, with the reason."""
    assert reason in reason_of(read_hello, HELLOS_REFUSED[reason])


NO_ACTION = referee_pb2.BotMessage(match_id="a match", decision=referee_pb2.Decision(number=1))
DECISIONS_REFUSED = {
    "for match a match is due: this one is for 'another'": decision(match_id="another"),
    "this one is for ''": decision(match_id=""),
    f"this one is for '{'x' * 64}'": decision(match_id="x" * 1000),
    "the answer to request 1 is due: this one is to request 0": decision(number=0),
    "the answer to request 1 is due: this one is to request 2": decision(number=2),
    "a Decision is due: the message has hello": hello(),
    "a Decision is due: the message has nothing": b"",
    "2 bytes cannot be parsed": b"\xff\xff",
    "an action of courtisans is due: the Decision holds nothing": NO_ACTION.SerializeToString(),
}


@pytest.mark.parametrize("reason", DECISIONS_REFUSED)
def test_a_decision_that_is_refused(reason: str) -> None:
    """A message that is not the answer that is due is refused, with the reason."""
    assert reason in reason_of(read_first_decision, DECISIONS_REFUSED[reason])


@pytest.mark.parametrize(
    ("read", "message"),
    [(read_hello, hello()), (read_first_decision, decision())],
    ids=["Hello", "Decision"],
)
def test_the_largest_message(read: Callable[[bytes], object], message: bytes) -> None:
    """A message of 65,536 bytes is read, and one of a byte more is refused."""
    assert LARGEST_BOT_MESSAGE == 65_536
    read(padded(message, 65_536))
    reason = reason_of(read, padded(message, 65_537))
    assert reason == "a message may have 65536 bytes: this one has 65537"


@st.composite
def damaged(draw: st.DrawFn, message: bytes) -> bytes:
    """The message with a few of its bytes changed, put in, taken out or repeated."""
    data = bytearray(message)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(start + 3, len(data))))
        data[start:end] = draw(st.binary(max_size=3) | st.just(bytes(data[:start])))
    return bytes(data)


@examples(300, derandomize=True)
@given(st.binary(max_size=200) | damaged(hello()) | damaged(decision()))
def test_any_bytes_are_read_or_are_a_fault(data: bytes) -> None:
    """Whatever comes is read, or refused as a protocol error with one short line."""
    for fault in (fault_of(read_hello, data), fault_of(read_first_decision, data)):
        if fault is not None:
            assert fault.kind is FaultKind.PROTOCOL_ERROR
            assert fault.reason.isprintable()
            assert 0 < len(fault.reason) <= LONGEST_REASON


@examples(300, derandomize=True)
@given(st.binary(max_size=200) | damaged(decision()))
def test_any_answer_leaves_the_match_going(data: bytes) -> None:
    """Whatever a seat answers, the turn is played and the next seat is due."""
    match = Match(SETUP)
    first = match.due
    fault = match.answer(data, 1000)
    assert first is not None
    assert match.due is not None
    assert match.due.seat == (first.seat + 1) % 3
    assert [decided.fault for decided in match.decisions] == [fault]
    if fault is not None:
        assert fault.kind in {FaultKind.PROTOCOL_ERROR, FaultKind.ILLEGAL_ACTION}
        assert fault.reason.isprintable()
        assert 0 < len(fault.reason) <= LONGEST_REASON
