"""Shows any plain game step by step: what was told, and each seat's view as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.plain import text
from referee.games.plain.contract import Event
from referee.games.stage import Changes, Names, Step


class PlainScene:
    """Follows one game from start to end."""

    def __init__(self, first: Any, names: Names) -> None:
        """Begin with the first state."""
        self._names = names
        self._turn = 0
        self._acting: Seat | None = first.to_act

    def board(self) -> Mapping[str, Any]:
        """Return that a seat is told its own words instead of the public ones."""
        return {"told": 1}

    def opening(self, state: Any) -> Step:
        """Return the first step: each seat's view."""
        return Step(0, None, "The game begins", {}, self._views(state))

    def steps(self, form_for: Callable[[Seat], Any]) -> Iterator[Step]:
        """Return the step of an event, with what single seats were told instead."""
        seats = range(len(self._names))
        forms = {seat: self._words(form_for(seat)) for seat in seats}
        public = self._words(form_for(len(self._names)))
        own = {seat: words for seat, words in forms.items() if words != public}
        yield Step(self._turn + 1, self._acting, public, {}, {}, own)

    def _words(self, event: Event | None) -> str:
        return " ".join(text.event_lines(event or Event(""), self._names))

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
