"""A recorded match as frames for people to look at, as the audience or as one seat knew it.

A frame is a small step of the game with its words. Everything a frame holds stands in one of two
places: in the part that everybody may know, or in the part of the one seat that may know it, made
from the form of the event that this seat was told. A view joins parts and takes none away.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from courtyard.v1 import record_pb2

from referee.faults import FaultKind
from referee.games import TEXTS
from referee.games.base import Seat, State
from referee.games.courtisans.scene import CourtisansScene
from referee.games.markup import Span, line
from referee.games.miracles.scene import MiraclesScene
from referee.games.stage import Names, Scene, Step
from referee.match import Match
from referee.replay import replay

FORMAT = 1
"""The version of what `view` returns."""

SCENES: Mapping[str, Callable[[Any, Names], Scene]] = {
    "courtisans": CourtisansScene,
    "miracles": MiraclesScene,
}
"""What follows a game of each kind, made from its first state and the names of the seats."""


@dataclass(frozen=True, slots=True)
class Film:
    """A match in frames, for every viewer."""

    match_id: str
    game: str
    title: str
    seats: tuple[tuple[str, str], ...]
    """Name and version of what sat on each seat; version "" where it has none."""
    board: Mapping[str, Any]
    """What never changes in this game and everybody knows."""
    steps: tuple[Step, ...]
    deal: tuple[str, ...]
    """What chance decided, in lines of markup; for the audience alone."""
    outcomes: tuple[tuple[int, int, str], ...]
    """Place, points and kind of forfeit of each seat; empty while the match goes on."""
    explained: Mapping[str, Any]
    """How the scores came about, in the game's own form; empty while the match goes on."""


def film_of_record(record: record_pb2.Record) -> Film:
    """Play a record again and return it in frames; raise `UsageError` if it cannot be played."""
    match = replay(record, recorded_deal=True)
    return film(match, [(seat.name, seat.version) for seat in record.seats])


def film(match: Match, seats: Sequence[tuple[str, str]]) -> Film:
    """Return a match in frames, up to where it is."""
    names = [f"@{seat}" for seat in range(len(seats))]
    first = match.game.initial_state(match.config, len(seats), match.deal)
    scene = SCENES[match.setup.game](first, names)
    over = match.state.to_act is None
    return Film(
        match_id=match.setup.match_id,
        game=match.setup.game,
        title=match.game.title,
        seats=tuple(seats),
        board=scene.board(),
        steps=tuple(_steps(match, first, scene, names)),
        deal=tuple(TEXTS[match.setup.game].deal_lines(match.deal, names)),
        outcomes=tuple(_outcomes(match)) if over else (),
        explained=scene.explained(match.state) if over else {},
    )


def _steps(match: Match, state: State, scene: Scene, names: Names) -> Iterator[Step]:
    """Yield the steps; what settles after a decision belongs to the last step before."""
    last = scene.opening(state)
    for decided in match.decisions:
        if decided.fault is not None:
            yield last
            last = _forfeit(last.turn, decided.seat, decided.fault.kind, decided.fault.reason)
        state, happened = state.apply(decided.action)
        for event in happened:
            for step in scene.steps([state.event_for(event, s) for s in range(len(names))]):
                yield last
                last = step
        last = _joined(last, *scene.settled(state))
    yield last
    if state.to_act is None:
        yield from scene.ending(state)


def _joined(step: Step, changes: dict[str, Any], own: Mapping[Seat, dict[str, Any]]) -> Step:
    more = {seat: {**step.own.get(seat, {}), **new} for seat, new in own.items()}
    return step._replace(changes={**step.changes, **changes}, own={**step.own, **more})


def _forfeit(turn: int, seat: Seat, kind: FaultKind, reason: str) -> Step:
    """Return the step of a forfeit; its reason is for the seat itself."""
    words = [Span(f"@{seat}", "seat"), Span(f" forfeits: {_words(kind)}")]
    why = [Span(" ("), Span(reason, "dim"), Span(")")] if reason else []
    return Step(
        turn=turn,
        seat=seat,
        words=line(words),
        changes={f"forfeit/{seat}": 1},
        own_words={seat: line([*words, *why])},
    )


def _words(kind: FaultKind) -> str:
    return kind.name.lower().replace("_", " ")


def _outcomes(match: Match) -> Iterator[tuple[int, int, str]]:
    for outcome in match.outcomes:
        forfeit = _words(outcome.forfeit) if outcome.forfeit else ""
        yield outcome.rank, outcome.points, forfeit


def view(shown: Film, seat: Seat | None) -> dict[str, Any]:
    """Return what a viewer gets, as plain JSON values: a seat, or the audience (None).

    `frames` are [turn, seat or null, words, changes] of what everybody knows; `own` holds what a
    seat knows besides, by the seat and then by the number of the frame, as [changes, words or ""].
    A seat gets its own, the audience all. Words are Rich markup in which seat k is called "@k".
    """
    seats = range(len(shown.seats)) if seat is None else [seat]
    result = {
        "format": FORMAT,
        "match": shown.match_id,
        "game": shown.game,
        "title": shown.title,
        "viewer": seat,
        "seats": [list(one) for one in shown.seats],
        "board": shown.board,
        "frames": [[step.turn, step.seat, step.words, step.changes] for step in shown.steps],
        "own": {str(one): _own(shown.steps, one) for one in seats},
        "outcomes": [list(one) for one in shown.outcomes],
        "explained": shown.explained,
    }
    return result if seat is not None else {**result, "deal": list(shown.deal)}


def _own(steps: Sequence[Step], seat: Seat) -> dict[str, list[Any]]:
    return {
        str(number): [step.own.get(seat, {}), step.own_words.get(seat, "")]
        for number, step in enumerate(steps)
        if step.own.get(seat) or step.own_words.get(seat)
    }
