"""A match as its record stores it, for a reader without the rules that played it.

A record stores every event in the form that hides nothing and, of a plain game, the other forms
that single seats got. A seat's further knowledge follows from the rules: it is not shown. Records
are strangers' files: their texts lose all unprintable characters.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from courtyard.v1 import record_pb2
from google.protobuf import json_format

from referee.core.errors import UsageError
from referee.core.faults import FaultKind
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import ConfigError
from referee.games.plain.adapter import Result
from referee.games.plain.contract import Event
from referee.match.match import Forfeited
from referee.match.replay import why_unplayable
from referee.wire.envelope import Outcome

_PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """The content of a record without its rules; typed events are JSON texts."""

    why: str
    """Why no rules are used, as a sentence."""
    title: str
    deal: str
    events: Sequence[Event | Forfeited]
    result: Result
    outcomes: Sequence[Outcome]
    has_own_forms: bool
    """Whether each seat's form of an event is stored, too."""

    def check_viewer(self, seat: int | None) -> None:
        """Raise `UsageError` if what this viewer may see is not stored; None: the audience."""
        if seat is not None and not self.has_own_forms:
            raise UsageError(f"{self.why} The view of seat {seat} follows from the rules alone.")


def stored_match(record: record_pb2.Record) -> StoredMatch | None:
    """Return what a record stores if its rules are not installed; None if they are.

    Raise `UsageError` if it stores no events that can be shown without its game.
    """
    if not (why := why_unplayable(record)):
        return None
    kinds = {event.game.WhichOneof("game") for event in record.events if event.HasField("game")}
    if not kinds or not kinds <= {_PLAIN, record.game}:
        raise UsageError(why)
    try:
        outcomes = tuple(map(_outcome, record.outcomes))
        events = tuple(_events(record))
    except ValueError as error:  # a fault of no kind
        raise UsageError(f"{why}; what it stores is damaged: {error}") from None
    if len(outcomes) != len(record.seats):
        raise UsageError(f"{why}; what it stores is damaged: there is no outcome of each seat")
    kind = record.result.WhichOneof("game")
    explained = record.result.plain.text if kind == _PLAIN else [_json(record.result, kind)]
    points = tuple(outcome.points for outcome in outcomes)
    dealt = record.deal.WhichOneof("game")
    return StoredMatch(
        why=f"Shown as it was stored: {plain(why)}.",
        title=_title(record.game),
        deal=plain(record.deal.plain.json if dealt == _PLAIN else _json(record.deal, dealt)),
        events=events,
        result=Result(points, tuple(map(plain, filter(None, explained)))),
        outcomes=outcomes,
        has_own_forms=kinds == {_PLAIN},
    )


def _title(game: str) -> str:
    try:
        return game_named(game).title
    except ConfigError:
        return plain(game)


def _outcome(message: Any) -> Outcome:
    forfeit = FaultKind(message.forfeit) if message.forfeit else None
    return Outcome(message.rank, message.points, forfeit)


def _events(record: record_pb2.Record) -> Iterator[Event | Forfeited]:
    for event in record.events:
        if event.HasField("forfeit"):
            yield Forfeited(event.forfeit.seat, FaultKind(event.forfeit.kind))
        elif (kind := event.game.WhichOneof("game")) == _PLAIN:
            own = {each.seat: plain(each.text) for each in event.game.plain.told}
            yield Event(plain(event.game.plain.text), own)
        else:
            yield Event(_json(event.game, kind))


def _json(message: Any, kind: str | None) -> str:
    """Return the field of a message's oneof as JSON in one line; empty without one."""
    if kind is None:
        return ""
    fields = json_format.MessageToDict(getattr(message, kind), preserving_proto_field_name=True)
    return json.dumps(fields)
