"""`referee check` tries exactly the rules of docs/protocol.md."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from courtyard.v1 import game_pb2, referee_pb2

from referee.conformance.check.rules import DEMANDS, broken_rule, recorded_rule
from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.rules import Rule
from referee.transports.framing import unasked
from referee.transports.handshake import Handshake, Refused
from referee.wire import envelope

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocol.md"
ROW = re.compile(r"^\| <a id=\"(?P<anchor>[^\"]+)\"></a>`(?P<name>[^`]+)` \| (?P<demand>.+) \|$")


def test_every_rule_is_on_the_page_as_it_is_in_the_code() -> None:
    """Names, order and demands are equal, and each name is an anchor."""
    rows = [row for line in PAGE.read_text().splitlines() if (row := ROW.match(line))]

    assert [(row["name"], row["demand"]) for row in rows] == [
        (rule.value, DEMANDS[rule]) for rule in Rule
    ]
    assert all(row["anchor"] == row["name"] for row in rows)


def test_every_rule_says_how_binding_it_is() -> None:
    """Each demand has a MUST or a SHOULD."""
    assert all(re.search(r"\b(MUST|SHOULD)\b", demand) for demand in DEMANDS.values())


def test_every_rule_that_the_page_speaks_of_is_one() -> None:
    """A name with a dot between backquotes is a rule, a file or not ours."""
    names = set(
        re.findall(
            r"`((?:hello|answer|stream|games|match|request|process)\.[a-z-]+)`", PAGE.read_text()
        )
    )

    assert names == {rule.value for rule in Rule if "." in rule}


HELLOS = {
    Rule.HELLO_FIRST: referee_pb2.BotMessage(),
    Rule.HELLO_VERSION: referee_pb2.BotMessage(hello=referee_pb2.Hello(protocol_version=2)),
    Rule.HELLO_LIMITS: referee_pb2.BotMessage(
        hello=referee_pb2.Hello(protocol_version=1, name="x" * 65)
    ),
    Rule.HELLO_TOKEN: referee_pb2.BotMessage(hello=referee_pb2.Hello(protocol_version=1)),
}


@pytest.mark.parametrize("rule", HELLOS)
def test_a_refused_hello_tells_its_rule(rule: Rule) -> None:
    """The refusal carries the rule, and what a record keeps of it leads to the same one."""
    with pytest.raises(Refused) as refused:
        Handshake("1", "a token").enter(HELLOS[rule].SerializeToString())

    recorded = Fault(FaultKind.FAILED_TO_START, f"no Hello ({refused.value}) within 10000 ms")
    assert refused.value.rule is recorded_rule(recorded) is rule


def _reading(message: referee_pb2.BotMessage | bytes) -> BotFault:
    """Return the error of an answer to request 2 of match "m"."""
    data = message if isinstance(message, bytes) else message.SerializeToString()
    with pytest.raises(BotFault) as fault:
        envelope.read_decision(data, "m", 2, "courtisans")
    return fault.value


def _decision(match_id: str, number: int) -> BotFault:
    decision = game_pb2.GameAction()
    return _reading(
        referee_pb2.BotMessage(
            match_id=match_id, decision=referee_pb2.Decision(number=number, action=decision)
        )
    )


ANSWERS: dict[Rule, Callable[[], BotFault]] = {
    Rule.ANSWER_READABLE: lambda: _reading(b"\xff"),
    Rule.ANSWER_DECISION: lambda: _reading(referee_pb2.BotMessage(match_id="m")),
    Rule.ANSWER_MATCH: lambda: _decision("another", 2),
    Rule.ANSWER_NUMBER: lambda: _decision("m", 1),
    Rule.ANSWER_GAME: lambda: _decision("m", 2),
    Rule.ANSWER_ONCE: lambda: unasked(b"more"),
}


@pytest.mark.parametrize("rule", ANSWERS)
def test_a_refused_answer_tells_its_rule(rule: Rule) -> None:
    """The fault carries the rule, and what a record keeps of it leads to the same one."""
    fault = ANSWERS[rule]().fault

    recorded = envelope.read_fault(envelope.fault_message(fault))
    assert broken_rule(fault) is recorded_rule(recorded) is rule
    assert recorded.rule is None
