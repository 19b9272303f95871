"""The first decisions of all seats in recent matches, with what only the seat saw."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from ladder.model.errors import StoreError
from ladder.model.matches import MatchLine
from ladder.results import queries
from ladder.results.diagnostics.tells import FirstDecision
from ladder.results.visibility import visible
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.storage.tables.records import unpack
from referee.core.errors import UsageError
from referee.games.base import State
from referee.match.record import Record
from referee.match.replay import retrace

MOST_MATCHES = 400
"""The number of latest matches whose decisions are read; one takes a millisecond or two."""


def first_decisions(ladder: Ladder, versions: Mapping[int, int]) -> Iterator[FirstDecision]:
    """Yield those of the versions with these numbers, by their ids, in public matches."""
    lines = {line.match_id: line for line in queries.latest(ladder, MOST_MATCHES)}
    with ladder.database.read() as tx:
        in_play = matches.deals_in_play(tx)
        shown = [name for name, line in lines.items() if visible(line, in_play).result]
        packed = matches.records_of(tx, shown)
    for name, body in packed.items():
        with suppress(UsageError, StoreError):  # played by other rules; `verify` reports damage
            yield from _of_match(lines[name], unpack(body), versions)


def _of_match(
    line: MatchLine, record: Record, versions: Mapping[int, int]
) -> Iterator[FirstDecision]:
    game = retrace(record)
    state, met = game.first, set[int]()
    for before, (played, recorded) in enumerate(zip(game.taken, record.decisions, strict=False)):
        if played.seat in met:
            return
        met.add(played.seat)
        version = line.seats[played.seat].version
        if version is not None and version.id in versions and not recorded.stand_in:
            idle_us = recorded.wall_us - recorded.cpu_us - recorded.delay_us
            yield FirstDecision(
                version=versions[version.id],
                before=before,
                took_us=recorded.wall_us,
                waited_us=max(0, idle_us) if recorded.cpu_us else 0,
                hidden=_hidden(state, played.seat, len(record.seats)),
            )
        state = played.state


def _hidden(state: State, seat: int, seats: int) -> dict[str, str]:
    """Return what a seat sees otherwise than another one."""
    own = dict(_leaves(state.observation(seat)))
    other = dict(_leaves(state.observation((seat + 1) % seats)))
    own.pop("seat", None)  # which all know
    return {name: value for name, value in own.items() if other.get(name) != value}


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield each single value of an observation by its place in it."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, tuple | list):
        value = dict(enumerate(value))
    if not isinstance(value, Mapping):
        yield name, str(value)
        return
    for part, below in value.items():
        yield from _leaves(below, f"{name}.{part}" if name else str(part))
