"""Messages to the bot in JSON are what protobuf's own library makes of them."""

import json
from typing import Any

import pytest
from courtyard.v1 import record_pb2, referee_pb2
from google.protobuf import json_format

from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.transports.json_form import json_form
from referee.wire import envelope


def messages(game: str) -> list[referee_pb2.RefereeMessage]:
    """All that is said to the bots in a match with a forfeit."""
    match = Match(MatchSetup("a match", game, 4, "json"))
    stream, said = Stream("json", game), []
    while (due := match.due) is not None:
        said.append(due.payload)
        if len(said) == 9:
            fault = Fault(
                FaultKind.TIMEOUT, "too late \u2028 ä", overrun_ms=7, received=b"\x00\xff"
            )
            match.forfeit(fault, 0)
            said.append(envelope.told_fault("a match", fault))
        else:
            match.decide(match.state.random_action(stream), 0)
    return [referee_pb2.RefereeMessage.FromString(data) for data in said + match.endings()]


@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_it_is_the_librarys(game: str) -> None:
    """Over whole matches: names, order, enums, bytes, and what is left out."""
    for message in messages(game):
        library: dict[str, Any] = json_format.MessageToDict(message)
        assert json.loads(json_form(message)) == library
        assert list(json.loads(json_form(message))) == list(library)


def test_it_is_one_line_of_ascii() -> None:
    """Whatever the texts hold."""
    form = json_form(referee_pb2.RefereeMessage(match_id="a\nb\u2028\x00ä"))
    assert form.isascii()
    assert form.isprintable()


def test_an_enum_value_without_a_name_is_a_number() -> None:
    """As in the library."""
    outcome = referee_pb2.SeatOutcome(rank=1)
    outcome.forfeit = 99  # type: ignore[assignment] # what a later version may know
    assert json.loads(json_form(outcome)) == {"rank": 1, "forfeit": 99}


def test_kinds_of_fields_that_no_message_to_a_bot_has_are_not_guessed() -> None:
    """64-bit numbers would be texts in JSON."""
    decision = record_pb2.RecordDecision(wall_us=1)
    with pytest.raises(TypeError, match="wall_us"):
        json_form(decision)
