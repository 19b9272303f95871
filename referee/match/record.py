"""Make the record of a finished match, seal it, and read and write record files."""

import importlib.metadata
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from courtyard.v1 import record_pb2
from google.protobuf.message import Message

from referee.core.errors import UsageError
from referee.core.faults import STAND_IN_NAME
from referee.core.text_files import decoded
from referee.games.registry import origin_of
from referee.match import canonical
from referee.match.canonical import Tree
from referee.match.match import Decided, Match
from referee.wire import SET_LATER, envelope
from referee.wire.encoding import field, packed, text, uint

Record = record_pb2.Record
"""All that happened in a match, as a message."""
_DISTRIBUTION = "courtyard"
REFEREE_VERSION = importlib.metadata.version(_DISTRIBUTION)

_LARGEST_FILE = 16 * 1024 * 1024
_SEAL_BYTES = 8
_DERIVED = {"deal", "deal_nonce", "deal_commitment", "events", "result", "outcomes", "seals"}
"""Fields that follow from the other fields, and the seals themselves."""


@dataclass(frozen=True, slots=True)
class SeatInfo:
    """The bot on a seat: name, version on a ladder, and SHA-256 of its bundle; "" if unknown."""

    name: str
    version: str = ""
    digest: str = ""


def record_of(
    match: Match,
    seats: Sequence[SeatInfo | None],
    *,
    sandbox: str = "",
    pauses_us: Sequence[int] = (),
) -> record_pb2.Record:
    """Return the record of a finished match.

    A seat is None if the stand-in played it from the start; `sandbox` is the level of the bots'
    sandbox, `pauses_us` the length of each pause of the referee in microseconds.
    """
    setup, codec = match.setup, match.codec
    joined = b"".join(
        (
            uint(1, setup.format),
            text(2, setup.match_id),
            text(3, setup.game),
            text(4, match.game.rules_version),
            text(5, REFEREE_VERSION),
            field(6, codec.encode_config(match.config)),
            field(7, envelope.clock_config(setup.clock)),
            *[field(8, _seat(own, seat in match.plain_seats)) for seat, own in enumerate(seats)],
            text(9, setup.master_seed),
            field(10, match.encoded_deal),
            field(11, match.nonce),
            field(12, match.commitment),
            *[field(13, _decision(match, decided)) for decided in match.decisions],
            *[field(14, event) for event in match.encoded_events],
            field(15, match.encoded_result),
            *[field(16, envelope.encode_outcome(outcome)) for outcome in match.outcomes],
            text(18, sandbox),
            packed(19, tuple(pauses_us)),
            *map(text, (20, 21), _origin(setup.game)),
        )
    )
    record = record_pb2.Record.FromString(joined)
    record.seals.extend(seals(record))
    return record


@cache
def _origin(game: str) -> tuple[str, str]:
    """Return distribution and version of a game that others brought; empty for ours."""
    one = origin_of(game)
    own = one.distribution == _DISTRIBUTION
    return ("", "") if own else (one.distribution, one.version)


def _seat(seat: SeatInfo | None, plain: bool) -> bytes:  # noqa: FBT001 -- private
    if seat is None:
        return text(1, STAND_IN_NAME) + uint(4, 1)
    return text(1, seat.name) + text(2, seat.version) + text(3, seat.digest) + uint(5, plain)


def _decision(match: Match, decided: Decided) -> bytes:
    fault = decided.fault
    return b"".join(
        (
            uint(1, decided.seat),
            field(2, match.codec.encode_action(decided.action)),
            uint(3, decided.elapsed_us),
            uint(4, decided.bank_left_us),
            field(5, envelope.fault_message(fault).SerializeToString()) if fault else b"",
            uint(6, decided.stand_in),
            uint(7, decided.measured.wall_us),
            uint(8, decided.measured.cpu_us),
            uint(9, decided.measured.delay_us),
            packed(10, decided.steps),
            uint(11, decided.own_stand_in),
        )
    )


LISTS_SET_LATER = ("pauses_us",)
"""Lists added after the first records: sealed only if not empty."""
_FIELDS_SET_LATER = (*LISTS_SET_LATER, "game_distribution", "game_version")
"""All fields added after the first records: sealed only if set."""


def sealed_fields(record: record_pb2.Record) -> Iterator[tuple[str, bytes]]:
    """Yield path and value (as bytes) of every field that does not follow from others.

    The length of a list precedes its items, and the name of a oneof's field precedes that field, so
    that nothing can be added or removed unseen.
    """
    for descriptor in record.DESCRIPTOR.fields:
        yield from _sealed(record, descriptor.name, has_presence=descriptor.has_presence)


def _sealed(
    record: record_pb2.Record, name: str, *, has_presence: bool
) -> Iterator[tuple[str, bytes]]:
    if name == "decisions":
        yield name, b"%d" % len(record.decisions)
        for i, decision in enumerate(record.decisions):
            yield from _decision_fields(f"decisions[{i}]", decision)
    elif name not in _DERIVED and (name not in _FIELDS_SET_LATER or getattr(record, name)):
        absent = has_presence and not record.HasField(name)
        yield from [(name, b"")] if absent else _leaves(getattr(record, name), name)


def _decision_fields(
    path: str, decision: record_pb2.RecordDecision
) -> tuple[tuple[str, bytes], ...]:
    has_fault = decision.HasField("fault")
    fault = decision.fault.SerializeToString(deterministic=True) if has_fault else b""
    return (
        (path + ".action", decision.action.SerializeToString(deterministic=True)),
        (path + ".elapsed_us", b"%d" % decision.elapsed_us),
        (path + ".wall_us", b"%d" % decision.wall_us),
        (path + ".cpu_us", b"%d" % decision.cpu_us),
        (path + ".delay_us", b"%d" % decision.delay_us),
        (path + ".fault", fault),
        *([(path + ".steps", repr([*decision.steps]).encode())] if decision.steps else []),
        *([(path + ".own_stand_in", b"1")] if decision.own_stand_in else []),
    )


def _leaves(value: Any, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and value of every scalar in a message or list, or of a scalar; defaults too."""
    if isinstance(value, bytes):
        yield path, value
    elif isinstance(value, str | int):
        yield path, str(value).encode()
    elif isinstance(value, Message):
        for oneof in value.DESCRIPTOR.oneofs:
            yield path, (value.WhichOneof(oneof.name) or "").encode()
        for descriptor in value.DESCRIPTOR.fields:
            name = descriptor.name
            # Sealed only if set, so that older records keep their seals.
            if descriptor.full_name in SET_LATER and not getattr(value, name):
                continue
            if not descriptor.has_presence or value.HasField(name):
                yield from _leaves(getattr(value, name), f"{path}.{name}")
            elif descriptor.containing_oneof is None:
                yield f"{path}.{name}", b""
    else:
        yield path, b"%d" % len(value)
        for i, item in enumerate(value):
            yield from _leaves(item, f"{path}[{i}]")


def seals(record: record_pb2.Record) -> list[bytes]:
    """Return the seal of each sealed field in order, then one seal over all of them."""
    each: list[bytes] = []
    for descriptor in record.DESCRIPTOR.fields:
        name = descriptor.name
        if name in _OFTEN_EQUAL and record.HasField(name):
            each += _seals_of(name, getattr(record, name).SerializeToString(deterministic=True))
        else:
            fields = _sealed(record, name, has_presence=descriptor.has_presence)
            each += [
                seal(path, value) if value else _seal_of_nothing(path) for path, value in fields
            ]
    return [*each, seal("seals", b"".join(each))]


_OFTEN_EQUAL = ("config", "clock")
"""Messages that are the same in many matches, with dozens of fields or more."""


@lru_cache(maxsize=4)  # strangers' records, which may be large, pass here too
def _seals_of(name: str, encoded: bytes) -> tuple[bytes, ...]:
    message = getattr(record_pb2.Record(), name)
    message.MergeFromString(encoded)
    return tuple([seal(*leaf) for leaf in _leaves(message, name)])


def seal(path: str, value: bytes) -> bytes:
    """Return the first 8 bytes of SHA-256 over path, a zero byte, and value."""
    return sha256(b"%b\0%b" % (path.encode(), value)).digest()[:_SEAL_BYTES]


@lru_cache(maxsize=1024)  # a decision's fault is one of these, mostly
def _seal_of_nothing(path: str) -> bytes:
    return seal(path, b"")


def record_to_json(record: record_pb2.Record) -> str:
    """Return a record in its canonical JSON form, with a final newline."""
    return canonical.to_json(record) + "\n"


def parse_record(json: str) -> tuple[record_pb2.Record, Tree, list[str]]:
    """Return the record in a JSON text, the text's tree, and its problems.

    The problems are one line for each key or value that no record has; with any, the record is
    incomplete. Raise `UsageError` if the text is not a JSON object.
    """
    record = record_pb2.Record()
    try:
        tree, problems = canonical.from_json(json, record)
    except UsageError as error:
        raise UsageError(f"not a record: {error}") from None
    return record, tree, problems


def record_from_json(json: str) -> record_pb2.Record:
    """Return the record in a JSON text; raise `UsageError` if there is none."""
    record, _, problems = parse_record(json)
    if problems:
        raise UsageError(f"not a record: {problems[0]}")
    return record


def load_text(path: Path) -> str:
    """Read the text of a record file; raise `UsageError` without the path."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST_FILE + 1)
    except OSError as error:
        raise UsageError(str(error.strerror)) from None
    if len(content) > _LARGEST_FILE:
        raise UsageError(f"larger than {_LARGEST_FILE} bytes")
    try:
        return decoded(content)
    except UnicodeDecodeError:
        raise UsageError("not UTF-8 text") from None


def load_record(path: Path) -> record_pb2.Record:
    """Read a record from a JSON file; raise `UsageError` with one line."""
    try:
        return record_from_json(load_text(path))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def check_folder(path: Path) -> None:
    """Raise `UsageError`, with one line, if a record's file would be in no folder."""
    try:
        os.stat(f"{path.parent}/")  # noqa: PTH116 -- with the slash, a file is none
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def save_record(record: record_pb2.Record, path: Path) -> None:
    """Write a record to a JSON file; raise `UsageError` with one line."""
    try:
        path.write_text(record_to_json(record), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
