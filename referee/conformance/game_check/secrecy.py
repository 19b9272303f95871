"""The proof that no seat learns what it may not know, by the game's own `redraw`.

Theory of operation. At moments of random games another world is drawn, which the seat cannot tell
from this one. What differs there in what the seat is sent has reached it although it may not know
it, or `redraw` changes what the seat knows: both break the promise.

A game under the full contract redraws a whole course, deal and actions; both courses are played
from the start, and everything sent to the seat is compared. A plain game redraws a state. There the
views and options are compared, and both worlds go on by one decision: where the seat's views are
the same afterwards, its events have to be the same, too.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.conformance.game_check.promises import GameFault, GamePosition, Promise
from referee.conformance.game_check.subject import CheckedGame, Moment, following, running
from referee.games.base import Course, IllegalAction, Seat
from referee.games.plain.adapter import AdaptedState
from referee.games.randomness import Stream
from referee.wire.round_trip import event_text, legal_text, observation_text

_COURSES = 4
"""Moments of a game at which courses are redrawn for each seat."""
_WORLDS = 2
"""States redrawn for each seat at each moment."""
_DECISIONS = 4
"""Decisions of another seat that are tried in another world."""


@dataclass(slots=True)
class WorldTally:
    """How many worlds were drawn, and in how many another seat sees something else."""

    worlds: int = 0
    other: int = 0


def check(subject: CheckedGame) -> WorldTally:
    """Raise `GameFault` if a seat can tell worlds apart."""
    tally = WorldTally()
    for seats, seed in subject.tables():
        check_game(subject, seats, seed, tally)
    return tally


def check_game(subject: CheckedGame, seats: int, seed: str, tally: WorldTally) -> None:
    """Raise `GameFault` if a seat can tell worlds apart in one random game; count the worlds."""
    stream = Stream(seed, "other worlds")
    moments = [*subject.random_game(seats, seed)]
    if (redraw := subject.game.redraw) is None:
        for moment in moments:
            _check_states(subject, moment, stream, tally)
        return
    for seat in range(seats):
        for _ in range(_COURSES):
            made = stream.below(len(moments))
            actions = [moment.action for moment in moments[:made]]
            true = Course(subject.deal(seats, seed), actions)
            course = redraw(subject.config(), true, seat).course(stream)
            _check_course(subject, moments[: made + 1], course, seat, tally)


def _check_states(subject: CheckedGame, moment: Moment, stream: Stream, tally: WorldTally) -> None:
    here = moment.position
    for seat in range(here.seats):
        for _ in range(_WORLDS):
            state = here.state
            with running(here._replace(seat=seat)):
                drawn = state.redraw(seat, stream) if isinstance(state, AdaptedState) else None
            if drawn is None:
                return
            there = here._replace(state=drawn)
            _compare_position(subject, here, there, seat)
            _go_on(subject, moment, there, seat, stream)
            others = [other for other in range(here.seats) if other != seat]
            tally.worlds += 1
            tally.other += any(
                subject.seen(here, other) != subject.seen(there, other) for other in others
            )


def _compare_position(
    subject: CheckedGame, here: GamePosition, there: GamePosition, seat: Seat
) -> None:
    """Require that a seat sees the same in both worlds, and has the same options."""
    at = here._replace(seat=seat)
    with running(at):
        acting, elsewhere = here.state.to_act, there.state.to_act
    if acting != elsewhere:
        what = f"seat {acting} acts, but seat {elsewhere} in a world that seat {seat} cannot tell"
        raise GameFault(Promise.VIEW, f"{what} apart", at)
    one, other = subject.seen(here, seat), subject.seen(there, seat)
    if one != other:
        what = f"the view of seat {seat} differs in a world that it cannot tell apart: "
        raise GameFault(
            Promise.VIEW, what + _difference(observation_text(one), observation_text(other)), at
        )
    if acting == seat:
        one, other = subject.legal(here), subject.legal(there)
        if one != other:
            what = f"the options of seat {seat} depend on what it may not know: "
            raise GameFault(
                Promise.KNOWN_OPTIONS, what + _difference(legal_text(one), legal_text(other)), at
            )


def _go_on(
    subject: CheckedGame, moment: Moment, there: GamePosition, seat: Seat, stream: Stream
) -> None:
    """Require the same events for a seat where its views are the same afterwards."""
    for action in _actions(moment, there, seat, stream):
        with running(there._replace(seat=seat)):
            after, events = there.state.apply(action)
        elsewhere = Moment(there, action, after, events)
        _compare_after(subject, moment, elsewhere, seat)


def _actions(moment: Moment, there: GamePosition, seat: Seat, stream: Stream) -> Iterator[Any]:
    """Yield the action of this world where it is legal, and some of another seat's."""
    try:
        there.state.check(moment.action)
    except IllegalAction:
        pass
    else:
        yield moment.action
    if moment.position.state.to_act != seat:
        for _ in range(_DECISIONS):
            yield there.state.random_action(stream)


def _compare_after(subject: CheckedGame, moment: Moment, elsewhere: Moment, seat: Seat) -> None:
    here, there = following(moment), following(elsewhere)
    with running(here):
        acting = here.state.to_act
        if acting is None or acting != there.state.to_act:
            return
    if subject.seen(here, seat) == subject.seen(there, seat):
        _compare_events(subject, moment, elsewhere, seat)


def _compare_events(subject: CheckedGame, moment: Moment, elsewhere: Moment, seat: Seat) -> None:
    one, other = subject.events_for(moment, seat), subject.events_for(elsewhere, seat)
    if one == other:
        return
    what = f"an event tells seat {seat} what its view does not: "
    pairs = zip([*one, b""], [*other, b""], strict=False)
    first = next((pair for pair in pairs if pair[0] != pair[1]), (b"", b""))
    difference = _difference(*map(event_text, first))
    raise GameFault(Promise.EVENTS, what + difference, following(moment)._replace(seat=seat))


def _check_course(
    subject: CheckedGame, moments: Sequence[Moment], course: Course, seat: Seat, tally: WorldTally
) -> None:
    """Require that a seat is sent the same in another course, up to the last of these moments."""
    last = moments[-1].position
    there = subject.first(last.seats, course.deal)
    for moment, action in zip(moments, course.actions, strict=False):
        _compare_position(subject, moment.position, there, seat)
        there = _compare_step(subject, moment, there, action, seat)
    _compare_position(subject, last, there, seat)
    tally.worlds += 1
    tally.other += any(
        subject.seen(last, other) != subject.seen(there, other) for other in range(last.seats)
    )


def _compare_step(
    subject: CheckedGame, moment: Moment, there: GamePosition, action: Any, seat: Seat
) -> GamePosition:
    """Take one step of another course; require that the seat gets the same events."""
    try:
        there.state.check(action)
    except IllegalAction as error:
        what = f"what was done here is refused in a world that seat {seat} cannot tell apart"
        raise GameFault(Promise.KNOWN_OPTIONS, f"{what}: {error}", moment.position) from error
    after, events = there.state.apply(action)
    elsewhere = Moment(there, action, after, events)
    _compare_events(subject, moment, elsewhere, seat)
    return following(elsewhere)


def _difference(here: Sequence[str], there: Sequence[str]) -> str:
    """Return the first lines in which two messages differ."""
    changed = [line for line in difflib.ndiff(here, there) if line.startswith(("- ", "+ "))]
    gone = next((line[2:].strip() for line in changed if line[0] == "-"), "nothing")
    came = next((line[2:].strip() for line in changed if line[0] == "+"), "nothing")
    return f"{gone:.200} here, {came:.200} there"
