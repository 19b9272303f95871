"""A record of other rules is not replayed, and what does not depend on the rules is checked."""

import copy
from collections.abc import Callable

import pytest
from courtyard.v1 import record_pb2

from referee.conformance.testing import exits, play
from referee.match.match import Match
from referee.match.record import SeatInfo, record_of, seals
from referee.match.verify import examine, verify

OTHERS = "played by rules '0' of courtyard"


@pytest.fixture
def old(new_match: Callable[..., Match]) -> record_pb2.Record:
    """A match of other rules, with a forfeit and a seat without a bot."""
    match = new_match(4, without_bot=frozenset({3}))
    play(match, {1: {2: exits(1)}})
    record = record_of(match, [*[SeatInfo("bot")] * 3, None])
    record.rules_version = "0"
    return resealed(record)


def resealed(record: record_pb2.Record) -> record_pb2.Record:
    """The record sealed anew, as a forger would."""
    del record.seals[:]
    record.seals.extend(seals(record))
    return record


def test_a_match_of_other_rules_is_not_replayed(old: record_pb2.Record) -> None:
    """Its actions would lead to something else by the installed rules, which is no problem."""
    old.decisions[0].action.ClearField("game")
    old.result.Clear()
    found = examine(resealed(old))

    assert found.problems == []
    assert found.other_rules.startswith(OTHERS)
    assert verify(old) == [f"rules_version: {found.other_rules}"]


def test_its_seals_are_checked(old: record_pb2.Record) -> None:
    """An edited field is named."""
    old.decisions[0].elapsed_us += 1

    assert examine(old).problems == [
        "decisions[0].elapsed_us: it was edited, it does not match its seal"
    ]


def untold(record: record_pb2.Record) -> None:
    """Take the forfeits out of the events."""
    for event in record.events:
        event.ClearField("forfeit")


EDITS: dict[str, tuple[Callable[[record_pb2.Record], object], str]] = {
    "nonce": (lambda r: setattr(r, "deal_nonce", bytes(32)), "deal_nonce: it is"),
    "deal": (lambda r: r.deal.Clear(), "deal_commitment: it is"),
    "seat": (lambda r: setattr(r.decisions[0], "seat", 7), "decisions: seat 7 decided, and"),
    "bank": (lambda r: setattr(r.decisions[0], "bank_left_us", 1), "bank_left_us: it is 1, by the"),
    "clock": (lambda r: setattr(r.clock, "bank_ms", 0), "clock: the clock's bank is 0 s"),
    "stand-in": (lambda r: setattr(r.decisions[0], "stand_in", True), "stand_in: it is True, by"),
    "event": (untold, "events: it is [], by the forfeits of the decisions"),
    "forfeit": (
        lambda r: setattr(r.outcomes[1], "forfeit", 0),
        "outcomes[1].forfeit: it is 0, by the decisions",
    ),
    "a forfeited winner": (
        lambda r: setattr(r.outcomes[1], "rank", 1),
        "outcomes[1].rank: it is 1, by the other ranks 4",
    ),
    "a rank left out": (lambda r: setattr(r.outcomes[0], "rank", 9), "outcomes[0].rank: it is 9"),
    "outcomes": (lambda r: r.outcomes.pop(), "outcomes: there are 3 for 4 seats"),
}


@pytest.mark.parametrize(("edit", "problem"), EDITS.values(), ids=EDITS.keys())
def test_what_contradicts_itself_is_told(
    old: record_pb2.Record, edit: Callable[[record_pb2.Record], object], problem: str
) -> None:
    """Even of a record with seals made anew."""
    edited = copy.deepcopy(old)
    edit(edited)

    assert problem in "\n".join(examine(resealed(edited)).problems)
