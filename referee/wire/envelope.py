"""Encode and decode the protocol's own messages, whatever the game."""

from collections.abc import Iterable
from dataclasses import dataclass

from courtyard.v1 import referee_pb2
from google.protobuf.message import DecodeError

from referee.core.clock import ClockConfig
from referee.core.faults import BotFault, Fault, FaultKind, protocol_error
from referee.core.plain import quoted
from referee.core.rules import Rule
from referee.games.base import Seat
from referee.wire.encoding import field, present_uint, sint, text, uint

PROTOCOL_VERSION = 1
LARGEST_BOT_MESSAGE = 65_536
LARGEST_REFEREE_MESSAGE = 1_048_576

_LONGEST_NAME = 64
_LONGEST_TOKEN = 128
_MOST_MATCHES = 1024


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one seat."""

    rank: int
    """Rank from 1; tied seats share the smaller number."""
    points: int
    forfeit: FaultKind | None


def welcome(referee_version: str, name: str = "", replaced: str = "") -> bytes:
    """Return the answer to a valid Hello.

    A remote bot learns its version's name and the address of the stream it replaces.
    """
    version = uint(1, PROTOCOL_VERSION) + text(2, referee_version)
    return field(2, version + text(3, name) + text(4, replaced))


def match_start(
    *,
    game: str,
    rules_version: str,
    config: bytes,
    seats: int,
    seat: Seat,
    clock: ClockConfig,
    commitment: bytes,
) -> bytes:
    """Return the MatchStart for one seat; `config` is a serialised GameConfig."""
    return b"".join(
        (
            text(1, game),
            text(2, rules_version),
            field(3, config),
            uint(4, seats),
            uint(5, seat),
            field(6, clock_config(clock)),
            field(7, commitment),
        )
    )


def clock_config(clock: ClockConfig) -> bytes:
    """Return the ClockConfig message."""
    return b"".join(
        (
            uint(1, clock.startup_ms),
            uint(2, clock.decision_limit_ms),
            uint(3, clock.bank_ms),
            uint(4, clock.increment_ms),
        )
    )


def request(
    match_id: str,
    *,
    number: int,
    start: bytes,
    events: Iterable[bytes],
    observation: bytes = b"",
    legal: bytes = b"",
    time_ms: int,
    bank_ms: int,
    plain: bytes = b"",
) -> bytes:
    """Return the request for one decision; `start` is a MatchStart or empty.

    It holds a GameObservation and a GameLegal or, in the plain dialect, a PlainPosition.
    """
    body = b"".join(
        (
            uint(1, number),
            field(2, start) if start else b"",
            *[field(3, event) for event in events],
            field(4, observation) if observation else b"",
            field(5, legal) if legal else b"",
            uint(6, time_ms),
            uint(7, bank_ms),
            field(8, plain) if plain else b"",
        )
    )
    return text(1, match_id) + field(3, body)


def request_again(payload: bytes, first: bytes, spent_ms: int) -> bytes:
    """Return a request to send again, `spent_ms` milliseconds after it was due.

    Adds the `start` of `first`, the first request of the match; `first` is empty for a bot that
    knows the start.
    """
    message = referee_pb2.RefereeMessage.FromString(payload)
    request = message.request
    request.time_ms = max(0, request.time_ms - spent_ms)
    request.bank_ms = max(0, request.bank_ms - spent_ms)
    if first:
        began = referee_pb2.RefereeMessage.FromString(first)
        request.start.CopyFrom(began.request.start)
    return message.SerializeToString()


def game_event(event: bytes) -> bytes:
    """Return the MatchEvent of a serialised GameEvent."""
    return field(1, event)


def forfeit_event(seat: Seat, kind: FaultKind) -> bytes:
    """Return the MatchEvent that announces a forfeit to everybody."""
    return field(2, uint(1, seat) + uint(2, kind))


def fault_message(fault: Fault) -> referee_pb2.Fault:
    """Return the Fault message, for the bot and the record."""
    return referee_pb2.Fault(
        kind=int(fault.kind),  # type: ignore[arg-type]
        reason=fault.reason,
        overrun_ms=fault.overrun_ms,
        exit_code=fault.exit_code,
        signal=fault.signal,
        received=fault.received,
    )


def read_fault(message: referee_pb2.Fault) -> Fault:
    """Return the fault in a record; raise `ValueError` on an unknown kind."""
    return Fault(
        kind=FaultKind(message.kind),
        reason=message.reason,
        overrun_ms=message.overrun_ms,
        exit_code=message.exit_code if message.HasField("exit_code") else None,
        signal=message.signal if message.HasField("signal") else None,
        received=message.received,
    )


def fault_notice(match_id: str, fault: Fault) -> bytes:
    """Return the RefereeMessage with a bot's fault."""
    return text(1, match_id) + field(4, fault_message(fault).SerializeToString())


def encode_outcome(outcome: Outcome) -> bytes:
    """Return the SeatOutcome of one seat."""
    return uint(1, outcome.rank) + sint(2, outcome.points) + uint(3, outcome.forfeit or 0)


def match_end(
    match_id: str, events: Iterable[bytes], outcomes: Iterable[bytes], result: bytes
) -> bytes:
    """Return the MatchEnd for one seat, from MatchEvents, SeatOutcomes and a GameResult."""
    body = b"".join(
        (
            *[field(1, event) for event in events],
            *[field(2, outcome) for outcome in outcomes],
            field(3, result),
        )
    )
    return text(1, match_id) + field(5, body)


def _read(data: bytes, rule: Rule = Rule.ANSWER_READABLE) -> referee_pb2.BotMessage:
    """Return a bot's message; raise `BotFault` of this rule if it is none."""
    if len(data) > LARGEST_BOT_MESSAGE:
        raise protocol_error(
            rule, f"a message may have {LARGEST_BOT_MESSAGE} bytes: this one has {len(data)}"
        )
    try:
        return referee_pb2.BotMessage.FromString(data)
    except DecodeError:
        raise protocol_error(
            rule,
            f"the message of {len(data)} bytes cannot be parsed as a BotMessage: {quoted(data)}",
        ) from None


def read_hello(data: bytes) -> referee_pb2.Hello:
    """Return the Hello in a bot's first message; raise `BotFault` if it is invalid."""
    message = _read(data, Rule.HELLO_FIRST)
    if message.WhichOneof("body") != "hello":
        raise protocol_error(
            Rule.HELLO_FIRST, f"the first message must be Hello: it has {_body(message)}"
        )
    hello = message.hello
    if hello.protocol_version != PROTOCOL_VERSION:
        raise protocol_error(
            Rule.HELLO_VERSION,
            f"this referee speaks protocol version {PROTOCOL_VERSION}: "
            f"Hello has {hello.protocol_version}",
        )
    for name, length, most in (
        ("name", len(hello.name), _LONGEST_NAME),
        ("seat_token", len(hello.seat_token), _LONGEST_TOKEN),
    ):
        if length > most:
            raise protocol_error(
                Rule.HELLO_LIMITS, f"Hello's {name} may have {most} characters: it has {length}"
            )
    if hello.max_matches > _MOST_MATCHES:
        raise protocol_error(
            Rule.HELLO_LIMITS,
            f"Hello's max_matches may be {_MOST_MATCHES}: it is {hello.max_matches}",
        )
    return hello


def read_address(data: bytes) -> tuple[str, int]:
    """Return match id and request number of a Decision; raise `BotFault` if it is not one."""
    message = _read(data)
    if message.WhichOneof("body") != "decision":
        raise _no_decision(message)
    return message.match_id, message.decision.number


def read_decision(data: bytes, match_id: str, number: int, game: str) -> referee_pb2.Decision:
    """Return the Decision that answers this request by an action of the game.

    Raise `BotFault` if the message does not.
    """
    decision = _read_decision(data, match_id, number)
    if decision.HasField("choice") and not decision.HasField("action"):
        reason = f"an action of {game} is due, as the bot does not speak the plain dialect"
        raise protocol_error(Rule.ANSWER_GAME, f"{reason}: the Decision holds a choice")
    if decision.action.WhichOneof("game") != game:
        given = decision.action.WhichOneof("game") or "nothing"
        raise protocol_error(
            Rule.ANSWER_GAME, f"an action of {game} is due: the Decision holds {given}"
        )
    return decision


def read_choice(data: bytes, match_id: str, number: int) -> referee_pb2.Decision:
    """Return the Decision that answers this request by a choice.

    Raise `BotFault` if the message does not.
    """
    decision = _read_decision(data, match_id, number)
    if not decision.HasField("choice") or decision.HasField("action"):
        given = "an action" if decision.HasField("action") else "nothing"
        raise protocol_error(
            Rule.ANSWER_CHOICE, f"the choice of an option is due: the Decision holds {given}"
        )
    return decision


def choice_answer(match_id: str, number: int, choice: int) -> bytes:
    """Return the BotMessage that answers a request of the plain dialect."""
    return text(1, match_id) + field(3, uint(1, number) + present_uint(3, choice))


def _read_decision(data: bytes, match_id: str, number: int) -> referee_pb2.Decision:
    message = _read(data)
    if message.WhichOneof("body") != "decision":
        raise _no_decision(message)
    if message.match_id != match_id:
        raise protocol_error(
            Rule.ANSWER_MATCH,
            f"a Decision for match {match_id} is due: this one is for {message.match_id[:64]!r}",
        )
    decision = message.decision
    if decision.number != number:
        raise protocol_error(
            Rule.ANSWER_NUMBER,
            f"the answer to request {number} is due: this one is to request {decision.number}",
        )
    return decision


def _no_decision(message: referee_pb2.BotMessage) -> BotFault:
    reason = f"a Decision is due: the message has {_body(message)}"
    return protocol_error(Rule.ANSWER_DECISION, reason)


def _body(message: referee_pb2.BotMessage) -> str:
    return message.WhichOneof("body") or "nothing that this version knows"
