"""Faults as values, as messages and as errors."""

import pytest
from courtyard.v1 import referee_pb2

from referee.core.errors import CourtyardError, RefereeError, UsageError
from referee.core.faults import BotFault, Fault, FaultKind, protocol_error
from referee.core.rules import Rule
from referee.wire import envelope


def test_the_kinds_are_those_of_the_protocol() -> None:
    """Every kind has the protocol's name and number, and no kind is missing."""
    names = {f"FAULT_KIND_{kind.name}": kind.value for kind in FaultKind}

    assert names | {"FAULT_KIND_UNSPECIFIED": 0} == dict(referee_pb2.FaultKind.items())


@pytest.mark.parametrize(
    "fault",
    [
        Fault(FaultKind.TIMEOUT, "late", overrun_ms=17),
        Fault(FaultKind.DISCONNECTED, "gone", exit_code=0),
        Fault(FaultKind.FAILED_TO_START, "killed", signal=9),
        Fault(FaultKind.ILLEGAL_ACTION, "no such card"),
    ],
)
def test_a_fault_travels_whole(fault: Fault) -> None:
    """What a bot is told can be read back; an exit status of 0 differs from none."""
    told = referee_pb2.RefereeMessage.FromString(envelope.fault_notice("a match", fault))

    assert told.match_id == "a match"
    assert envelope.read_fault(told.fault) == fault


def test_a_fault_of_no_known_kind_cannot_be_read() -> None:
    """A record that holds one is refused, not misread."""
    with pytest.raises(ValueError, match="0 is not a valid FaultKind"):
        envelope.read_fault(referee_pb2.Fault(reason="what?"))


def test_an_error_of_the_protocol_carries_its_fault() -> None:
    """The reason is both the error's message and the fault's."""
    error = protocol_error(Rule.ANSWER_READABLE, "too many words")

    assert isinstance(error, BotFault)
    assert str(error) == error.fault.reason == "too many words"
    assert error.fault.kind is FaultKind.PROTOCOL_ERROR


@pytest.mark.parametrize("kind", [RefereeError, UsageError])
def test_an_error_without_a_message_says_what_its_class_says(kind: type[CourtyardError]) -> None:
    """The first line of the docstring is the default message."""
    assert str(kind()) == (kind.__doc__ or "").splitlines()[0]
    assert str(kind("more precisely")) == "more precisely"
