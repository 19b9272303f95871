"""A later version's messages hold this version's and more; requests lose their events."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from courtyard.v1 import referee_pb2
from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.conformance.check import future_messages
from referee.conformance.testing import play
from referee.match.match import Match, MatchSetup
from referee.transports.framing import JsonLines
from referee.wire.envelope import LARGEST_REFEREE_MESSAGE

RefereeMessage = referee_pb2.RefereeMessage
TOLD = [
    told.payload
    for game in ("courtisans", "miracles")
    for told in play(Match(MatchSetup("a match", game, 3, "a seed")))
]


def messages(message: Message) -> Iterator[Message]:
    """A message and all inside it, down to a game's own."""
    yield message
    if not message.DESCRIPTOR.name.startswith(("Courtisans", "Miracles")):
        for descriptor, value in message.ListFields():
            if descriptor.message_type is not None:
                for item in value if descriptor.is_repeated else [value]:
                    yield from messages(item)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON value, except added ones."""
    if isinstance(value, list):
        for item in value:
            yield from objects(item)
    if isinstance(value, dict):
        yield value
        for key, item in value.items():
            if not key.startswith("later"):
                yield from objects(item)


@pytest.mark.parametrize("data", [TOLD[0], TOLD[5], TOLD[-1], TOLD[-9]])
def test_what_is_unknown_is_everywhere_and_nothing_else_is_changed(data: bytes) -> None:
    """Each message down to the games' own gets five unknown fields."""
    changed = RefereeMessage.FromString(future_messages.with_unknown_fields(data))

    assert {len(UnknownFieldSet(one)) for one in messages(changed)} == {5}
    changed.DiscardUnknownFields()
    assert changed.SerializeToString() == data


def test_unknown_fields_become_keys_of_every_object() -> None:
    """On the carrier of JSON lines a bot sees unknown fields, and known ones stay."""
    line = future_messages.json_line(future_messages.with_unknown_fields(TOLD[5]))
    known = json_format.Parse(line, RefereeMessage(), ignore_unknown_fields=True)

    assert known.SerializeToString() == TOLD[5]
    assert line.count(b"\n") == 1
    assert all(any("later" in key for key in one) for one in objects(json.loads(line)))


def test_a_line_of_this_version_is_as_the_carrier_writes_it() -> None:
    """A message with only known fields gains nothing."""
    assert future_messages.json_line(TOLD[5]) == JsonLines.encode(TOLD[5])


def test_a_message_without_a_body_that_is_known() -> None:
    """It has its match's id, and something more."""
    data = future_messages.with_unknown_body("a match")
    message = RefereeMessage.FromString(data)

    assert (message.match_id, message.WhichOneof("body")) == ("a match", None)
    assert len(UnknownFieldSet(message)) == 4
    assert json.loads(future_messages.json_line(data)).keys() > {"matchId"}


@pytest.mark.parametrize("data", [TOLD[0], TOLD[5]])
def test_as_large_as_can_be(data: bytes) -> None:
    """A message of exactly the largest size says the same; its line is no smaller."""
    large = future_messages.as_large_as_can_be(data)
    message = RefereeMessage.FromString(large)
    message.DiscardUnknownFields()

    assert len(large) == LARGEST_REFEREE_MESSAGE
    assert message.SerializeToString() == data
    assert len(future_messages.json_line(large)) >= LARGEST_REFEREE_MESSAGE


def test_a_request_without_its_events() -> None:
    """Only events go."""
    data = next(data for data in TOLD[5:] if RefereeMessage.FromString(data).request.events)
    message = RefereeMessage.FromString(data)
    message.request.ClearField("events")

    assert RefereeMessage.FromString(future_messages.without_events(data)) == message


def test_events_that_were_not_told_can_be_told_at_the_end() -> None:
    """Such events precede the end's own."""
    request = next(data for data in TOLD[5:] if RefereeMessage.FromString(data).request.events)
    message = RefereeMessage.FromString(TOLD[-1])
    first = list(RefereeMessage.FromString(request).request.events)
    told = future_messages.with_events_before(TOLD[-1], future_messages.events_of(request))
    end = RefereeMessage.FromString(told).end

    assert list(end.events) == [*first, *message.end.events]
    assert end.result == message.end.result
