"""The promises of every game, and the fault of a game that breaks one."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from referee.core.errors import CourtyardError
from referee.games.base import Game, RulesError, Seat, State, plain_names

_MOST_LINES = 20


class Promise(StrEnum):
    """The name of a promise."""

    SEED = "chance.seed"
    PROCESS = "chance.process"
    ENDS = "play.ends"
    OPTIONS = "play.options"
    FROZEN = "play.frozen"
    RANKS = "play.ranks"
    MESSAGES = "messages"
    VIEW = "secrets.view"
    KNOWN_OPTIONS = "secrets.options"
    EVENTS = "secrets.events"
    RECORD = "record"
    SPEED = "speed"


DEMANDS = {
    Promise.SEED: "The same seed and actions give the same game: all chance is drawn from the "
    "stream of the deal, or from a stream that a key in the deal opens.",
    Promise.PROCESS: "So they do in every process: nothing depends on the order of a set, on "
    "`hash`, on memory, time or files.",
    Promise.ENDS: "Every game ends within `most_decisions`, whatever the seats do.",
    Promise.OPTIONS: "The seat to act has options, each different, `apply` takes each of them, and "
    "all else is refused.",
    Promise.FROZEN: "A state, the deal and the configuration never change: `apply` returns a new "
    "state.",
    Promise.RANKS: "A finished game has points and a rank for each seat; ranks begin with 1, and "
    "ties share the smaller number.",
    Promise.MESSAGES: "What is sent can be sent, and what comes back is the same; features are as "
    "many at every moment.",
    Promise.VIEW: "`view` tells a seat what is public or its own, and nothing else: it is the same "
    "in every world that `redraw` draws.",
    Promise.KNOWN_OPTIONS: "Options depend only on what the seat to act may know.",
    Promise.EVENTS: "An event tells a seat what its view shows right after it, and nothing else.",
    Promise.RECORD: "A record is true in every field when it is replayed.",
    Promise.SPEED: "Rules are quick enough to play many matches.",
}

_PROMISE_OF_PART = {
    "to_act": Promise.ENDS,
    "most_decisions": Promise.ENDS,
    "points": Promise.RANKS,
    "ranks": Promise.RANKS,
    "explained": Promise.RANKS,
    "view": Promise.MESSAGES,
    "deal": Promise.MESSAGES,
    "redraw": Promise.VIEW,
}
"""The promise that a part of the author's code breaks when it fails; else that of the options."""


class GamePosition(NamedTuple):
    """A moment of a random game."""

    game: Game
    state: State
    seats: int
    played: tuple[Any, ...]
    """The actions so far."""
    seat: Seat | None = None
    """Whose view shows the fault; None for the seat to act."""

    def where(self) -> str:
        """Return the moment in words."""
        return f"decision {len(self.played) + 1} with {self.seats} seats"

    def lines(self) -> Iterator[str]:
        """Yield what was done last, and the view of the seat, as lines of markup."""
        names = plain_names(self.seats)
        text = self.game.text
        if self.played:
            yield f"the last action: {text.action_line(self.played[-1], names)}"
        try:
            seat = self.state.to_act if self.seat is None else self.seat
            if seat is not None:
                yield f"seat {seat} knows:"
                yield from [*text.observation_lines(self.state.observation(seat), names)][
                    :_MOST_LINES
                ]
        except RulesError as error:
            yield f"no view: {error}"


class GameFault(CourtyardError):  # noqa: N818 -- as a bot's
    """The game breaks a promise."""

    def __init__(self, promise: Promise, what: str, position: GamePosition | None = None) -> None:
        """Say in one sentence what is wrong."""
        super().__init__(what)
        self.promise = promise
        self.position = position


def fault_of(error: RulesError, position: GamePosition | None = None) -> GameFault:
    """Return the fault that a failure of the author's code is."""
    return GameFault(_PROMISE_OF_PART.get(error.part, Promise.OPTIONS), str(error), position)
