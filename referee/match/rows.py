"""A record as plain rows: a seat's result, or a decision, by columns."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from courtyard.v1 import record_pb2

from referee.core.faults import FaultKind
from referee.games import game_named
from referee.games.base import plain_names
from referee.games.markup import unstyled
from referee.match.replay import retrace
from referee.wire import codec_named

Row = Mapping[str, Any]
"""Values by column: numbers, strings, booleans and None."""


def seat_rows(record: record_pb2.Record) -> Sequence[Row]:
    """Return a row for each seat: how it came out."""
    each = enumerate(zip(record.seats, record.outcomes, strict=True))
    return [
        {
            "match_id": record.match_id,
            "game": record.game,
            "seat": number,
            "bot": seat.name,
            "version": seat.version,
            "place": outcome.rank,
            "points": outcome.points,
            "forfeit": _fault(outcome.forfeit),
        }
        for number, (seat, outcome) in each
    ]


def decision_rows(record: record_pb2.Record) -> Sequence[Row]:
    """Return a row for each decision: what the seat saw, what was chosen, and its time.

    `facts` is what the seat knew, as JSON in the form of docs/facts; `action` is the choice in
    words, `choice` as the indices of its options, a list in JSON; times are in microseconds. Raise
    `UsageError` if the rules that played the match are not installed.
    """
    played = retrace(record)
    game, codec = game_named(record.game), codec_named(record.game)
    names, state = plain_names(len(record.seats)), played.first
    rows: list[Row] = []
    for decision, after in zip(record.decisions, played.taken, strict=True):
        action = codec.decode_action(decision.action)
        observation = state.observation(decision.seat)
        path = game.choice(observation, state.legal(), names).path(action)
        rows.append(
            {
                "match_id": record.match_id,
                "number": len(rows),
                "seat": decision.seat,
                "bot": record.seats[decision.seat].name,
                "action": unstyled(game.text.action_line(action, names)),
                "choice": json.dumps(path),
                "facts": game.facts(observation),
                "elapsed_us": decision.elapsed_us,
                "bank_left_us": decision.bank_left_us,
                "stand_in": decision.stand_in,
                "own_stand_in": decision.own_stand_in,
                "fault": _fault(decision.fault.kind),
            }
        )
        state = after.state
    return rows


def _fault(kind: int) -> str | None:
    return FaultKind(kind).name if kind else None
