"""Verify that a record was not edited, and that all of it follows from seed and actions.

A record of other rules than those installed is never replayed: `_problems_without_rules` checks
what does not follow from them. The nonce follows from the master seed, the commitment from the
deal, the time banks from the clock, and the forfeits from the faults.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from courtyard.v1 import record_pb2
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee.core.clock import Clock, ClockConfig
from referee.core.errors import CourtyardError, UsageError
from referee.match.canonical import departures
from referee.match.match import FORMATS, MatchSetup
from referee.match.record import (
    LISTS_SET_LATER,
    SeatInfo,
    load_text,
    parse_record,
    record_of,
    seal,
    sealed_fields,
    seals,
)
from referee.match.replay import other_rules, replay, unreadable

_LONGEST_LIST = 300
"""Longest list tested; a match remembers no more pauses."""


class Examined(NamedTuple):
    """The findings of the check of a record."""

    problems: Sequence[str]
    """A line for each wrong field."""
    other_rules: str = ""
    """By which other rules it was played, so that it was not replayed; empty if it was."""


def examine_file(path: Path) -> Examined:
    """Return what is found in a JSON file; see `verify_json`."""
    return examine_json(load_text(path))


def examine_json(text: str) -> Examined:
    """Return what is found in a record in JSON; see `verify_json`."""
    record, tree, problems = parse_record(text)
    if problems:
        return Examined(problems)
    found = examine(record)
    return found._replace(problems=[*departures(tree, record), *found.problems])


def verify_json(text: str) -> list[str]:
    """Return the problems of a record in JSON, a line for each field; empty if it is genuine.

    Reports fields in another than the canonical form too, as no referee wrote them so. Raise
    `UsageError` if the text is not a JSON object.
    """
    return _all_problems(examine_json(text))


def verify(record: record_pb2.Record) -> list[str]:
    """Return the problems of a record, a line for each field; empty if it is genuine.

    That it cannot be replayed, as other rules played it, is a problem, too.
    """
    return _all_problems(examine(record))


def _all_problems(found: Examined) -> list[str]:
    others = [f"rules_version: {found.other_rules}"] if found.other_rules else []
    return [*found.problems, *others]


def examine(record: record_pb2.Record) -> Examined:
    """Check a record: each field that does not follow from others against its seal.

    If all seals hold, replay the match from master seed and actions, and compare every other field.
    A match of other rules is not replayed, and what does not depend on the rules is checked.
    """
    if record.format not in FORMATS:
        return Examined([unreadable(record)])
    if broken := [*_unknown_fields(record, ""), *_broken_seals(record)]:
        return Examined(broken)
    try:
        if others := other_rules(record):
            return Examined([*_problems_without_rules(record)], others)
    except CourtyardError as error:
        return Examined([str(error)])
    return Examined(_replayed(record))


def _replayed(record: record_pb2.Record) -> list[str]:
    """Return the fields that a replay contradicts."""
    try:
        match = replay(record, recorded_deal=False)
    except CourtyardError as error:
        return [str(error)]
    seats = [
        None if seat.stand_in else SeatInfo(seat.name, seat.version, seat.digest)
        for seat in record.seats
    ]
    expected = record_of(match, seats, sandbox=record.sandbox, pauses_us=record.pauses_us)
    # These are sealed; a later referee and a later version of the game may check the record.
    expected.referee_version = record.referee_version
    expected.game_distribution = record.game_distribution
    expected.game_version = record.game_version
    for own, recorded in zip(expected.seats, record.seats, strict=True):
        own.plain = recorded.plain
    del expected.seals[:]
    expected.seals.extend(record.seals)
    return list(_differences(record, expected, "", "the replay gives"))


def _broken_seals(record: record_pb2.Record) -> list[str]:
    """Return a line for each edited field, or for each edited seal."""
    kept, due = list(record.seals), seals(record)
    if kept and kept[-1] == seal("seals", b"".join(kept[:-1])):
        whole = set(kept)
        fields = sealed_fields(record)
        edited = dict.fromkeys(path for path, value in fields if seal(path, value) not in whole)
        edited |= dict.fromkeys(_taken_out(record, whole))
        if edited:
            return [
                f"{path}: it was edited, it does not match its seal" for path in _outermost(edited)
            ]
    return list(_differences(kept, due, "seals", "the other fields give"))


def _taken_out(record: record_pb2.Record, whole: set[bytes]) -> Iterator[str]:
    """Yield the empty lists that were sealed with items."""
    for name in LISTS_SET_LATER:
        lengths = range(1, _LONGEST_LIST) if not getattr(record, name) else ()
        if any(seal(name, b"%d" % length) in whole for length in lengths):
            yield name


def _outermost(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, but no items of lists among them, as these have shifted."""
    lists: tuple[str, ...] = ()
    for path in paths:
        if not path.startswith(lists):
            yield path
            lists = (*lists, f"{path}[")


def _unknown_fields(message: Message, path: str) -> Iterator[str]:
    """Yield a line for each message with unknown fields."""
    if len(UnknownFieldSet(message)):
        yield f"{path or 'record'}: it has fields that this referee does not know"
    for descriptor, value in message.ListFields():
        inner = f"{path}.{descriptor.name}" if path else descriptor.name
        if descriptor.message_type is None:
            continue
        if descriptor.is_repeated:
            for i, item in enumerate(value):
                yield from _unknown_fields(item, f"{inner}[{i}]")
        else:
            yield from _unknown_fields(value, inner)


def _differences(recorded: Any, expected: Any, path: str, giver: str) -> Iterator[str]:
    """Yield a line for each field in which two messages, lists or scalars differ."""
    if isinstance(expected, Message):
        for descriptor in expected.DESCRIPTOR.fields:
            name = descriptor.name
            inner = f"{path}.{name}" if path else name
            if descriptor.has_presence and recorded.HasField(name) != expected.HasField(name):
                there = "should not be there" if recorded.HasField(name) else "is missing"
                yield f"{inner}: it {there}"
            elif not descriptor.has_presence or expected.HasField(name):
                yield from _differences(
                    getattr(recorded, name), getattr(expected, name), inner, giver
                )
    elif isinstance(expected, str | bytes | int):
        if recorded != expected:
            yield f"{path}: it is {_shown(recorded)}, {giver} {_shown(expected)}"
    elif len(recorded) != len(expected):
        first = _first_difference(recorded, expected)
        counts = f"there are {len(recorded)}, {giver} {len(expected)}"
        yield f"{path}: {counts}; they differ from [{first}] on"
    else:
        for i, (one, other) in enumerate(zip(recorded, expected, strict=True)):
            yield from _differences(one, other, f"{path}[{i}]", giver)


def _first_difference(recorded: Sequence[Any], expected: Sequence[Any]) -> int:
    """Return the index of the first difference between two lists of unequal length."""
    same = (one == other for one, other in zip(recorded, expected, strict=False))
    return next((i for i, equal in enumerate(same) if not equal), min(len(recorded), len(expected)))


def _shown(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


def _problems_without_rules(record: record_pb2.Record) -> Iterator[str]:
    """Yield a line for each field that contradicts others, whatever the rules are."""
    seats = len(record.seats)
    setup = MatchSetup(
        record.match_id, record.game, seats, record.master_seed, format=record.format
    )
    nonce = setup.stream("deal nonce").bytes(32)
    yield from _compared("deal_nonce", record.deal_nonce.hex(), nonce.hex(), "the master seed")
    deal = record.deal.SerializeToString(deterministic=True)
    due = hashlib.sha256(record.deal_nonce + deal).hexdigest()
    yield from _compared("deal_commitment", record.deal_commitment.hex(), due, "the deal")
    if strange := [d.seat for d in record.decisions if d.seat >= seats]:
        yield f"decisions: seat {strange[0]} decided, and there are {seats} seats"
        return
    yield from _of_decisions(record)
    yield from _of_outcomes(record)


def _of_decisions(record: record_pb2.Record) -> Iterator[str]:
    """Yield the decisions whose times or stand-in contradict the clock and the faults."""
    clock = record.clock
    try:
        config = ClockConfig(
            startup_ms=clock.startup_ms,
            decision_limit_ms=clock.decision_limit_ms,
            bank_ms=clock.bank_ms,
            increment_ms=clock.increment_ms,
        )
    except UsageError as error:
        yield f"clock: {error}"
        return
    clocks = [Clock(config) for _ in record.seats]
    by_stand_in = {seat for seat, taken in enumerate(record.seats) if taken.stand_in}
    for number, decision in enumerate(record.decisions):
        path, seat = f"decisions[{number}]", decision.seat
        bank_us = 0
        if seat not in by_stand_in:
            clocks[seat].grant()
            clocks[seat].charge(decision.elapsed_us)
            bank_us = clocks[seat].bank_us
        elif decision.elapsed_us or decision.HasField("fault"):
            yield f"{path}: the stand-in decided, which neither takes time nor has faults"
        if decision.HasField("fault"):
            by_stand_in.add(seat)
        own = seat in by_stand_in
        yield from _compared(f"{path}.stand_in", decision.stand_in, own, "the faults")
        yield from _compared(f"{path}.bank_left_us", decision.bank_left_us, bank_us, "the times")


def _of_outcomes(record: record_pb2.Record) -> Iterator[str]:
    """Yield the outcomes and events that contradict the faults, and ranks that no match has."""
    faults = [(d.seat, d.fault.kind) for d in record.decisions if d.HasField("fault")]
    stored = [(e.forfeit.seat, e.forfeit.kind) for e in record.events if e.HasField("forfeit")]
    yield from _compared("events", stored, faults, "the forfeits of the decisions")
    outcomes = record.outcomes
    if len(outcomes) != len(record.seats):
        yield f"outcomes: there are {len(outcomes)} for {len(record.seats)} seats"
        return
    forfeits = dict(faults)
    kept = [outcome.rank for seat, outcome in enumerate(outcomes) if seat not in forfeits]
    for seat, outcome in enumerate(outcomes):
        path = f"outcomes[{seat}]"
        fault = forfeits.get(seat, 0)
        yield from _compared(f"{path}.forfeit", outcome.forfeit, fault, "the decisions")
        ahead = sum(rank < outcome.rank for rank in kept)
        rank = len(kept) + 1 if fault else ahead + 1
        yield from _compared(f"{path}.rank", outcome.rank, rank, "the other ranks")


def _compared(path: str, recorded: object, due: object, giver: str) -> Iterator[str]:
    if recorded != due:
        yield f"{path}: it is {recorded!r}, by {giver} {due!r}"
