"""Checking a record: nothing was edited, and everything follows from seed and actions."""

from collections.abc import Iterator
from typing import Any

from courtyard.v1 import record_pb2
from google.protobuf.message import Message

from referee.errors import CourtyardError
from referee.match import FORMATS
from referee.record import Occupant, record_of, seal, sealed_fields, seals
from referee.replay import replay, unreadable


def verify(record: record_pb2.Record) -> list[str]:
    """Return what is wrong with a record, a line for each field; nothing if it is whole.

    A field that does not follow from others is held to its seal. If all of those hold, the match is
    played again from the master seed and the actions, and every other field is compared.
    """
    if record.format not in FORMATS:
        return [unreadable(record)]
    if broken := _broken_seals(record):
        return broken
    try:
        match = replay(record, recorded_deal=False)
    except CourtyardError as error:
        return [str(error)]
    occupants = [
        None if seat.stand_in else Occupant(seat.name, seat.version, seat.digest)
        for seat in record.seats
    ]
    expected = record_of(match, occupants, sandbox=record.sandbox)
    expected.referee_version = record.referee_version  # sealed; a later referee may check it
    del expected.seals[:]
    expected.seals.extend(record.seals)
    return list(_differences(record, expected, "", "the replay gives"))


def _broken_seals(record: record_pb2.Record) -> list[str]:
    """Return a line for each sealed field that was edited, or for each seal that was."""
    kept, due = list(record.seals), seals(record)
    if kept and kept[-1] == seal("seals", b"".join(kept[:-1])):
        fields = sealed_fields(record)
        edited = dict.fromkeys(path for path, value in fields if seal(path, value) not in kept)
        if edited:
            return [f"{path}: it was edited, it does not match its seal" for path in edited]
    return list(_differences(kept, due, "seals", "the other fields give"))


def _differences(recorded: Any, expected: Any, path: str, giver: str) -> Iterator[str]:
    """Yield a line for each field in which two messages, lists or scalars differ."""
    if isinstance(expected, Message):
        for descriptor in expected.DESCRIPTOR.fields:
            name = descriptor.name
            inner = f"{path}.{name}" if path else name
            if descriptor.has_presence and recorded.HasField(name) != expected.HasField(name):
                there = "is there and should not be" if recorded.HasField(name) else "is missing"
                yield f"{inner}: it {there}"
            elif not descriptor.has_presence or expected.HasField(name):
                yield from _differences(
                    getattr(recorded, name), getattr(expected, name), inner, giver
                )
    elif isinstance(expected, str | bytes | int):
        if recorded != expected:
            yield f"{path}: it is {_shown(recorded)}, {giver} {_shown(expected)}"
    else:
        if len(recorded) != len(expected):
            yield f"{path}: there are {len(recorded)}, {giver} {len(expected)}"
        for i, (one, other) in enumerate(zip(recorded, expected, strict=False)):
            yield from _differences(one, other, f"{path}[{i}]", giver)


def _shown(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)
