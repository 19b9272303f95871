"""A person on one seat of a match.

A person sees what a bot of the plain dialect gets in that seat, and nothing else: each
request's bytes are those of such a bot, and what a screen adds is made of the same observation and
events. A person may take steps back until the decision is complete, and is charged no time: the
clock of the match is the bots'.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.core.clock import Measured
from referee.core.errors import CourtyardError
from referee.core.faults import Fault, FaultKind
from referee.games.base import Seat
from referee.games.choice import Choice
from referee.match.match import Forfeited, Match


@dataclass(frozen=True, slots=True)
class Asked:
    """One step of a decision, as a person sees it."""

    payload: bytes
    """The RefereeMessage that a bot of the plain dialect gets."""
    events: Sequence[Any]
    """The events since its last step, in the seat's form: the game's and forfeits."""
    observation: Any
    """All that the seat may know."""
    step: Choice
    number: int
    """How many steps of this decision are taken."""
    begins: bool
    """Whether it is the first step asked of this decision: not again, after it was taken back."""


class LeftError(CourtyardError):
    """The person leaves, and the others play on."""


class Screen(Protocol):
    """Where a person sees a game and answers: a terminal, a page."""

    async def ask(self, asked: Asked) -> int | None:
        """Return the index of an option; None: take the last step back, if there is one.

        Raise `LeftError` if the person leaves: the seat forfeits.
        """

    def end(self, events: Sequence[Any]) -> None:
        """Show the events since the seat's last step; the match is over."""


class Person:
    """Plays one seat of one match."""

    speaks_plain = True

    def __init__(self, name: str, screen: Screen) -> None:
        """Sit at this screen; records have the name."""
        self.name = name
        self._screen = screen
        self._decision = -1
        """The number of the decision that was asked last."""
        self._shown = 0
        """How many events of the match were shown."""

    async def decide(self, match: Match, seat: Seat) -> None:
        """Ask the pending step of the due seat, until it is answered or taken back."""
        if match.due is None or match.step is None:
            raise RuntimeError("no step is pending")
        last, self._decision = self._decision, len(match.decisions)
        asked = Asked(
            match.due.payload,
            self._news(match, seat),
            match.state.observation(seat),
            match.step,
            len(match.path),
            begins=self._decision != last,
        )
        began_ns = time.monotonic_ns()
        try:
            index = await self._screen.ask(asked)
        except LeftError as error:
            match.forfeit(Fault(FaultKind.DISCONNECTED, str(error)), 0)
            return
        if index is None:
            match.take_back()
        else:
            wall_us = (time.monotonic_ns() - began_ns) // 1000
            match.choose(index, Measured(wall_us, credited_us=wall_us))

    def end(self, match: Match, seat: Seat) -> None:
        """Show how the match ended."""
        self._screen.end(self._news(match, seat))

    def _news(self, match: Match, seat: Seat) -> list[Any]:
        """Return the events since the last call, in the seat's form."""
        new, self._shown = match.events[self._shown :], len(match.events)
        forms = (
            event if isinstance(event, Forfeited) else match.state.event_for(event, seat)
            for event in new
        )
        return [form for form in forms if form is not None]
