"""A recorded match as frames for people to look at, as the audience or as one seat knew it.

A frame is a small step of the game with its words. Everything a frame holds stands in one of two
places: in the part that everybody may know, or in the part of the one seat that may know it, made
from the form of the event that this seat was told. A view joins parts and takes none away.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from courtyard.v1 import record_pb2

from referee.core.faults import Fault, FaultKind
from referee.games import SCENES, TEXTS, game_named
from referee.games.base import Seat, State
from referee.games.markup import Span, line
from referee.games.stage import Scene, Step
from referee.match.match import Match, outcomes_of
from referee.match.replay import Course, Taken, retrace

FORMAT = 1
"""The version of what `view` returns."""


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
    seats = [(seat.name, seat.version) for seat in record.seats]
    return _film(record.match_id, record.game, seats, retrace(record))


def film(match: Match, seats: Sequence[tuple[str, str]]) -> Film:
    """Return a match in frames, up to where it is; `seats` are name and version of each."""
    first = match.game.initial_state(match.config, len(seats), match.deal)
    course = Course(match.deal, first, _taken(match, first))
    return _film(match.setup.match_id, match.setup.game, seats, course)


def _taken(match: Match, state: State) -> Iterator[Taken]:
    for decided in match.decisions:
        state, happened = state.apply(decided.action)
        yield Taken(decided.seat, decided.fault, state, happened)


def _film(match_id: str, game: str, seats: Sequence[tuple[str, str]], course: Course) -> Film:
    names = [f"@{seat}" for seat in range(len(seats))]
    camera = _Camera(SCENES[game](course.first, names), course.first)
    for taken in course.taken:
        camera.follow(taken)
    steps, over = camera.steps, camera.state.to_act is None
    if over:
        steps.extend(camera.scene.ending(camera.state))
    return Film(
        match_id=match_id,
        game=game,
        title=game_named(game).title,
        seats=tuple(seats),
        board=camera.scene.board(),
        steps=tuple(steps),
        deal=tuple(TEXTS[game].deal_lines(course.deal, names)),
        outcomes=tuple(_outcomes(camera)) if over else (),
        explained=camera.scene.explained(camera.state) if over else {},
    )


class _Camera:
    """Follows one game and keeps the steps that it sees."""

    def __init__(self, scene: Scene, first: State) -> None:
        self.scene = scene
        self.state = first
        self.steps = [scene.opening(first)]
        self.forfeits: dict[Seat, FaultKind] = {}

    def follow(self, taken: Taken) -> None:
        """Add the steps of a decision; what settles after it belongs to the last one."""
        if taken.fault is not None:
            self.forfeits[taken.seat] = taken.fault.kind
            self.steps.append(_forfeit(self.steps[-1].turn, taken.seat, taken.fault))
        self.state = taken.state
        for event in taken.events:
            self.steps.extend(self.scene.steps(partial(self.state.event_for, event)))
        self.steps[-1] = _joined(self.steps[-1], *self.scene.settled(self.state))


def _joined(step: Step, changes: dict[str, Any], own: Mapping[Seat, dict[str, Any]]) -> Step:
    if not changes and not own:
        return step
    more = {seat: {**step.own.get(seat, {}), **new} for seat, new in own.items()}
    turn, seat, words, before, own_before, own_words = step
    return Step(turn, seat, words, {**before, **changes}, {**own_before, **more}, own_words)


def _forfeit(turn: int, seat: Seat, fault: Fault) -> Step:
    """Return the step of a forfeit; its reason is for the seat itself."""
    words = [Span(f"@{seat}", "seat"), Span(f" forfeits: {_words(fault.kind)}")]
    why = [Span(" ("), Span(fault.reason, "dim"), Span(")")] if fault.reason else []
    return Step(
        turn=turn,
        seat=seat,
        words=line(words),
        changes={f"forfeit/{seat}": 1},
        own_words={seat: line([*words, *why])},
    )


def _words(kind: FaultKind) -> str:
    return kind.name.lower().replace("_", " ")


def _outcomes(camera: _Camera) -> Iterator[tuple[int, int, str]]:
    for outcome in outcomes_of(camera.state, camera.forfeits):
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
        "own": _own(shown.steps, seats),
        "outcomes": [list(one) for one in shown.outcomes],
        "explained": shown.explained,
    }
    return result if seat is not None else {**result, "deal": list(shown.deal)}


def _own(steps: Sequence[Step], seats: Sequence[Seat]) -> dict[str, dict[str, list[Any]]]:
    own: dict[str, dict[str, list[Any]]] = {str(seat): {} for seat in seats}
    for number, step in enumerate(steps):
        for seat in {**step.own, **step.own_words}:
            if seat in seats:
                known = [step.own.get(seat, {}), step.own_words.get(seat, "")]
                own[str(seat)][str(number)] = known
    return own
