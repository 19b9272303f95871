"""The players of a match in this process, and what they see."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

from courtyard.v1 import referee_pb2

from referee.core.clock import NOT_MEASURED
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.base import Seat, plain_names
from referee.games.choice import Choice
from referee.games.markup import unstyled
from referee.games.plain_data import from_json
from referee.hosting.person import Person
from referee.match.match import Match


@dataclass(frozen=True)
class View:
    """One step of a decision, and all that its seat may know: what bots of the plain dialect get.

    In a finished game, or for a seat that is not to act, there is nothing to choose.
    """

    game: str
    """The game's name."""
    seats: int
    """How many seats there are."""
    seat: Seat
    """The reader's own, from 0."""
    observation: Any
    """What the seat may know, as the game's own value."""
    step: Choice | None
    """The pending step."""

    @property
    def prompt(self) -> str:
        """What is asked; empty without a step."""
        return self.step.prompt if self.step else ""

    @property
    def options(self) -> Sequence[str]:
        """The labels of the answers; an answer is the index of one."""
        return [option.label for option in self.step.options] if self.step else []

    @cached_property
    def text(self) -> str:
        """What the seat may know, in lines for people."""
        lines = game_named(self.game).text.observation_lines(
            self.observation, plain_names(self.seats)
        )
        return "\n".join(map(unstyled, lines))

    @cached_property
    def facts(self) -> Any:
        """What the seat may know, as plain data: mappings, tuples, numbers, strings."""
        return from_json(game_named(self.game).facts(self.observation))

    @cached_property
    def features(self) -> Sequence[float]:
        """What the seat may know, as a vector of constant length; empty if the game has none."""
        return game_named(self.game).features(self.observation)


Choose = Callable[[View], int]
"""Answers a step with the index of an option."""


class Player(Person):
    """A player in this process, whose clock does not run."""

    def __init__(self, name: str) -> None:
        """Sit down; records have the name."""
        self.name = name

    async def decide(self, match: Match, seat: Seat) -> None:  # noqa: ARG002 -- the due one
        """Answer what is due, among bots."""
        self.act(match)

    def act(self, match: Match) -> None:
        """Answer what is due; raise `UsageError` if the answer is none."""
        raise NotImplementedError

    def end(self, match: Match, seat: Seat) -> None:
        """Learn nothing more."""


class Chooser(Player):
    """Answers step by step, in any game."""

    speaks_plain = True

    def __init__(self, choose: Choose) -> None:
        """Answer with what this returns."""
        super().__init__(_name(choose))
        self._choose = choose

    def act(self, match: Match) -> None:
        """Answer the pending step."""
        if match.due is None or match.step is None:
            raise RuntimeError("no step is pending")
        seat, step, setup = match.due.seat, match.step, match.setup
        view = View(setup.game, setup.seats, seat, match.state.observation(seat), step)
        index = self._choose(view)
        if type(index) is bool or not hasattr(index, "__index__"):
            raise UsageError(f"{self.name} answered {index!r:.80}, not the index of an option")
        if not 0 <= index < len(step.options):
            last = len(step.options) - 1
            raise UsageError(f"{self.name} answered {index}: the options are 0 to {last}")
        match.choose(int(index), NOT_MEASURED)


class Strategy(Protocol):
    """A strategy of the Python kit that may remember: one for each match."""

    def choose(self, position: Any, /) -> Any:
        """Return an action."""


KitChoose = Callable[[Any], Any]
"""A strategy of the Python kit: from a position to an action."""


class InProcessBot(ABC):
    """A bot in this process that sits down anew at each match."""

    name: str

    @abstractmethod
    def sit_down(self, game: str) -> Player:
        """Return the player of one match; raise `UsageError` if it cannot play this game."""


class KitBot(InProcessBot):
    """A strategy written for the Python kit; see `kit`."""

    def __init__(self, strategy: KitChoose | type[Strategy]) -> None:
        """Play with this."""
        self.strategy = strategy
        self.name = _name(strategy)

    def sit_down(self, game: str) -> "_KitPlayer":
        """Return the player of one match; raise `UsageError` if the kit does not know the game."""
        try:
            module = import_module(f"courtyard_kit.{game}")
        except ImportError:
            raise UsageError(f"the Python kit has no positions of {game}; use options") from None
        strategy: Any = self.strategy
        choose = strategy().choose if isinstance(strategy, type) else strategy
        return _KitPlayer(self.name, module.answering(choose))


def kit(strategy: KitChoose | type[Strategy]) -> KitBot:
    """Seat a strategy of the Python kit in this process: `choose`, or a class that has it.

    An object of the class is made for each match.
    """
    return KitBot(strategy)


class _KitPlayer(Player):
    """Gets the same requests as the bot in its own process would, and answers with the kit."""

    speaks_plain = False

    def __init__(self, name: str, decide: Any) -> None:
        super().__init__(name)
        from courtyard_kit.connection import Conversation  # noqa: PLC0415 -- only with such bots

        self._conversation = Conversation(lambda: decide)

    def act(self, match: Match) -> None:
        """Answer the request."""
        if match.due is None:
            raise RuntimeError("no request is due")
        message = referee_pb2.RefereeMessage.FromString(match.due.payload)
        answer = self._conversation.answer(message)
        fault = match.answer(answer.SerializeToString() if answer else b"", elapsed_us=0)
        if fault is not None:
            raise UsageError(f"{self.name}: {fault.reason}")


def _name(player: Any) -> str:
    return str(getattr(player, "__name__", type(player).__name__)).strip("<>")


Configuration = Mapping[str, Any]
"""The fields of a game's configuration that differ from its defaults."""
