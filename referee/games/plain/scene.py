"""Shows any plain game step by step: events, and each seat's view as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.plain import text
from referee.games.plain.contract import Event
from referee.games.stage import Changes, Names, Step

BOARD: Mapping[str, Any] = {"told": 1}
"""Seats get their own words instead of the public ones."""


def step_of(
    form_for: Callable[[Seat], Event | None], names: Names, turn: int, acting: Seat | None
) -> Step:
    """Return the step of an event, given each seat's form and, for no seat, the public one."""

    def words(seat: Seat) -> str:
        return " ".join(text.event_lines(form_for(seat) or Event(""), names))

    public = words(len(names))
    forms = {seat: words(seat) for seat in range(len(names))}
    own = {seat: form for seat, form in forms.items() if form != public}
    return Step(turn, acting, public, {}, {}, own)


class PlainScene:
    """Follows one game from start to end."""

    def __init__(self, first: Any, names: Names) -> None:
        """Begin with the first state."""
        self._names = names
        self._turn = 0
        self._acting: Seat | None = first.to_act

    def board(self) -> Mapping[str, Any]:
        """Return that a seat gets its own words instead of the public ones."""
        return BOARD

    def opening(self, state: Any) -> Step:
        """Return the first step: each seat's view."""
        return Step(0, None, "The game begins", {}, self._views(state))

    def steps(self, form_for: Callable[[Seat], Any]) -> Iterator[Step]:
        """Return the step of an event, with the forms that single seats got instead."""
        yield step_of(form_for, self._names, self._turn + 1, self._acting)

    def settled(self, state: Any) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Return each seat's view after a decision."""
        self._turn += 1
        self._acting = state.to_act
        return {}, self._views(state)

    def _views(self, state: Any) -> dict[Seat, Changes]:
        names = self._names
        return {
            seat: {f"view/{seat}": list(text.observation_lines(state.observation(seat), names))}
            for seat in range(len(names))
        }

    def ending(self, state: Any) -> Iterator[Step]:
        """Yield the step of the outcome."""
        lines: Sequence[str] = list(text.result_lines(state.result(), self._names))
        yield Step(self._turn + 1, None, "The game is over", {"result": lines})

    def explained(self, state: Any) -> Mapping[str, Any]:
        """Return the lines that explain the points."""
        return {"lines": list(text.result_lines(state.result(), self._names))}
