"""A match as frames to look at, as the audience or one seat knew it.

A frame is a small step of the game with its words. Every fact of a frame is either in its public
part, or in the part of the one seat that may know it, made from that seat's form of the event. A
view joins parts and removes none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from courtyard.v1 import record_pb2

from referee.core.faults import Fault, FaultKind
from referee.games import game_named
from referee.games.base import Seat, State
from referee.games.markup import Span, line
from referee.games.plain import text as plain_text
from referee.games.plain.scene import BOARD, step_of
from referee.games.stage import Scene, Step
from referee.match.luck import MatchLuck
from referee.match.match import Forfeited, Match, outcomes_of
from referee.match.replay import PlayedDecision, PlayedGame, retrace
from referee.view.luck import luck_line
from referee.view.stored import StoredMatch, stored_match
from referee.wire.envelope import Outcome

FORMAT = 1
"""Format version of `view`."""


@dataclass(frozen=True, slots=True)
class Film:
    """A match in frames, for every viewer."""

    match_id: str
    game: str
    title: str
    seats: tuple[tuple[str, str], ...]
    """Name and version of the bot on each seat; version "" if it has none."""
    board: Mapping[str, Any]
    """Public facts that never change in this game."""
    steps: tuple[Step, ...]
    deal: tuple[str, ...]
    """The deal, in lines of markup; for the audience only."""
    outcomes: tuple[tuple[int, int, str], ...]
    """Place, points and kind of forfeit of each seat; empty while the match goes on."""
    explained: Mapping[str, Any]
    """The make-up of the scores, in the game's own form; empty while the match goes on."""
    stored: StoredMatch | None = None
    """The match as it was stored, if its rules are not installed."""


def film_of_record(record: record_pb2.Record, notes: Mapping[int, str] | None = None) -> Film:
    """Retrace a record and return its frames; raise `UsageError` if it cannot be played.

    `notes` holds a line of markup on decisions by their number from 0: a frame after each. Of rules
    that are not installed, the frames are the stored events.
    """
    seats = [(seat.name, seat.version) for seat in record.seats]
    if stored := stored_match(record):
        return _film_of_stored(record, seats, stored)
    return _film(record.match_id, record.game, seats, retrace(record), notes or {})


def _luck(shown: Film, luck: MatchLuck) -> dict[str, Any]:
    """Return the luck, in words and by seat in points with half their 95 % interval."""
    names = [line([Span(f"@{seat}", "seat")]) for seat in range(len(shown.seats))]
    summary = luck_line(luck, [outcome[:2] for outcome in shown.outcomes], names)
    of_seats = [(points, luck.error(seat)) for seat, points in enumerate(luck.points)]
    return {"luck": [summary, [(round(points, 1), round(error, 1)) for points, error in of_seats]]}


def film(match: Match, seats: Sequence[tuple[str, str]]) -> Film:
    """Return the frames of a match so far; `seats` holds name and version of each."""
    return RunningFilm(match, seats).until_now()


class RunningFilm:
    """Films a match that goes on: each decision is traced once."""

    def __init__(self, match: Match, seats: Sequence[tuple[str, str]]) -> None:
        """Film a match; `seats` holds name and version of each."""
        self._match = match
        self._seats = seats
        self._state = match.game.initial_state(match.config, len(seats), match.deal)
        self._builder = _builder(match.setup.game, len(seats), self._state)
        self._traced = 0
        """How many decisions are traced."""

    def until_now(self) -> Film:
        """Return the frames so far."""
        match = self._match
        for decided in match.decisions[self._traced :]:
            self._state, happened = self._state.apply(decided.action)
            times = decided.elapsed_us, decided.bank_left_us
            taken = PlayedDecision(decided.seat, decided.fault, self._state, happened, *times)
            self._builder.follow(taken)
            self._traced += 1
        setup = match.setup
        return _developed(setup.match_id, setup.game, self._seats, match.deal, self._builder)


def _film_of_stored(
    record: record_pb2.Record, seats: Sequence[tuple[str, str]], stored: StoredMatch
) -> Film:
    names = [f"@{seat}" for seat in range(len(seats))]
    steps = [Step(0, None, line([Span(stored.why, "plain")]), {})]
    for turn, event in enumerate(stored.events, start=1):
        if isinstance(event, Forfeited):
            steps.append(_forfeit(turn, event.seat, Fault(event.kind, "")))
        else:
            steps.append(step_of(event.form_for, names, turn, None))
    lines = list(plain_text.result_lines(stored.result, names))
    steps.append(Step(len(steps), None, "The game is over", {"result": lines}))
    return Film(
        match_id=record.match_id,
        game=record.game,
        title=stored.title,
        seats=tuple(seats),
        board=BOARD,
        steps=tuple(steps),
        deal=tuple(plain_text.deal_lines(stored.deal, names)),
        outcomes=tuple(_outcome(outcome) for outcome in stored.outcomes),
        explained={"lines": lines},
        stored=stored,
    )


def _film(
    match_id: str,
    game: str,
    seats: Sequence[tuple[str, str]],
    played: PlayedGame,
    notes: Mapping[int, str],
) -> Film:
    builder = _builder(game, len(seats), played.first)
    for number, taken in enumerate(played.taken):
        builder.follow(taken)
        if note := notes.get(number):
            builder.steps.append(_noted(builder.steps[-1].turn, taken.seat, note))
    return _developed(match_id, game, seats, played.deal, builder)


def _noted(turn: int, seat: Seat, note: str) -> Step:
    """Return the step of a note on a decision, which may name what only its seat knew."""
    words = line([Span("A note on what "), Span(f"@{seat}", "seat"), Span(" decided")])
    return Step(turn, seat, words, {}, own_words={seat: note})


def _names(seats: int) -> list[str]:
    return [f"@{seat}" for seat in range(seats)]


def _builder(game: str, seats: int, first: State) -> "_FrameBuilder":
    return _FrameBuilder(game_named(game).scene(first, _names(seats)), first)


def _developed(
    match_id: str, game: str, seats: Sequence[tuple[str, str]], deal: Any, builder: "_FrameBuilder"
) -> Film:
    over = builder.state.to_act is None
    ending = builder.scene.ending(builder.state) if over else ()
    return Film(
        match_id=match_id,
        game=game,
        title=game_named(game).title,
        seats=tuple(seats),
        board=builder.scene.board(),
        steps=(*builder.steps, *ending),
        deal=tuple(game_named(game).text.deal_lines(deal, _names(len(seats)))),
        outcomes=tuple(_outcomes(builder)) if over else (),
        explained=builder.scene.explained(builder.state) if over else {},
    )


class _FrameBuilder:
    """Collects the steps of one game."""

    def __init__(self, scene: Scene, first: State) -> None:
        self.scene = scene
        self.state = first
        self.steps = [scene.opening(first)]
        self.forfeits: dict[Seat, FaultKind] = {}

    def follow(self, taken: PlayedDecision) -> None:
        """Add the steps of a decision; changes that settle afterwards join the last step."""
        if taken.fault is not None:
            self.forfeits[taken.seat] = taken.fault.kind
            self.steps.append(_forfeit(self.steps[-1].turn, taken.seat, taken.fault))
        self.state = taken.state
        begun = len(self.steps)
        for event in taken.events:
            self.steps.extend(self.scene.steps(partial(self.state.event_for, event)))
        self.steps[-1] = _joined(self.steps[-1], *self.scene.settled(self.state))
        if taken.bank_left_us and begun < len(self.steps):
            clock = {taken.seat: {f"clock/{taken.seat}": _clock(taken)}}
            self.steps[begun] = _joined(self.steps[begun], {}, clock)


def _clock(taken: PlayedDecision) -> list[int]:
    """Return a decision's time in milliseconds, to two digits, and the seconds left afterwards."""
    spent = taken.elapsed_us // 1000
    digits = 2 - len(str(spent))
    return [round(spent, min(digits, 0)), taken.bank_left_us // 1_000_000]


def _joined(step: Step, changes: dict[str, Any], own: Mapping[Seat, dict[str, Any]]) -> Step:
    if not changes and not own:
        return step
    more = {seat: {**step.own.get(seat, {}), **new} for seat, new in own.items()}
    turn, seat, words, before, own_before, own_words = step
    return Step(turn, seat, words, {**before, **changes}, {**own_before, **more}, own_words)


def _forfeit(turn: int, seat: Seat, fault: Fault) -> Step:
    """Return the step of a forfeit; only the seat itself sees the reason."""
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


def _outcomes(builder: _FrameBuilder) -> Iterator[tuple[int, int, str]]:
    yield from map(_outcome, outcomes_of(builder.state, builder.forfeits))


def _outcome(outcome: Outcome) -> tuple[int, int, str]:
    forfeit = _words(outcome.forfeit) if outcome.forfeit else ""
    return outcome.rank, outcome.points, forfeit


def view(shown: Film, seat: Seat | None, luck: MatchLuck | None = None) -> dict[str, Any]:
    """Return the view of a seat, or of the audience (None), as plain JSON values.

    `frames` holds public [turn, seat or null, words, changes]; `own` holds what a seat knows
    besides, by seat and frame number, as [changes, words or ""]. A seat gets its own part, the
    audience all, and what chance gave, if it is known. Words are Rich markup in which seat k is
    called "@k". Raise `UsageError` if the rules are not installed and the seat's events are
    not stored.
    """
    if shown.stored is not None:
        shown.stored.check_viewer(seat)
    seats = range(len(shown.seats)) if seat is None else [seat]
    result = _view(shown, seat, seats)
    if seat is not None:
        return result
    measured = {} if luck is None else _luck(shown, luck)
    return {**result, **measured, "deal": list(shown.deal)}


def public_view(shown: Film) -> dict[str, Any]:
    """Return what everybody may see while the match goes on, in the form of `view`."""
    return _view(shown, None, ())


def _view(shown: Film, viewer: Seat | None, seats: Sequence[Seat]) -> dict[str, Any]:
    """Return the public part, and what these seats know besides."""
    return {
        "format": FORMAT,
        "match": shown.match_id,
        "game": shown.game,
        "title": shown.title,
        "viewer": viewer,
        "seats": [list(one) for one in shown.seats],
        "board": shown.board,
        "frames": [[step.turn, step.seat, step.words, step.changes] for step in shown.steps],
        "own": _own(shown.steps, seats),
        "outcomes": [list(one) for one in shown.outcomes],
        "explained": shown.explained,
    }


def _own(steps: Sequence[Step], seats: Sequence[Seat]) -> dict[str, dict[str, list[Any]]]:
    own: dict[str, dict[str, list[Any]]] = {str(seat): {} for seat in seats}
    for number, step in enumerate(steps):
        for seat in {**step.own, **step.own_words}:
            if seat in seats:
                known = [step.own.get(seat, {}), step.own_words.get(seat, "")]
                own[str(seat)][str(number)] = known
    return own
