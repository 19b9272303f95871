"""A strategy's view of La Cour des Miracles, and its answers.

The values are those of the rules in `referee.games.miracles`, so a strategy can use what is there:
the kinds of action and event, and what is printed on the board.
"""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar, get_args

from courtyard.v1 import game_pb2, referee_pb2

from courtyard_kit import connection, errors, values
from referee.games.miracles.action import (
    Action,
    MoveOther,
    MoveRogue,
    PlaceRogue,
    PlayChariot,
    PlayHangedMan,
    PlayTower,
)
from referee.games.miracles.config import Config
from referee.games.miracles.data import BoardData
from referee.games.miracles.event import Event
from referee.games.miracles.observation import (
    Control,
    Decision,
    Legal,
    Observation,
    Player,
    RogueInPlay,
    Standoff,
)
from referee.games.miracles.options import actions_of
from referee.games.miracles.pieces import Neighbourhood, PlotCard, Rogue, Spot

if TYPE_CHECKING:
    from referee.games.base import Course
    from referee.games.miracles.heard import Heard
    from referee.games.miracles.state import MiraclesState
    from referee.games.randomness import Stream

__all__ = [
    "Action",
    "BoardData",
    "Config",
    "Control",
    "Decision",
    "Event",
    "Legal",
    "Neighbourhood",
    "Player",
    "PlotCard",
    "Position",
    "Rogue",
    "RogueInPlay",
    "Spot",
    "Standoff",
    "Strategy",
    "run",
    "run_with_memory",
]


T = TypeVar("T")


class _Part(Generic[T]):
    """A part of the observation, read from the request when it is first asked for."""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    def __get__(self, position: "Position", owner: type[Any] | None = None) -> T:
        part: T = values.read_field(Observation, self.name, position._seen)  # noqa: SLF001 -- its own
        position.__dict__[self.name] = part  # found there before this from now on
        return part


class Position:
    """One decision: what this seat may know, what it may do, and how long it may think.

    Its parts are read from the request when they are first asked for.
    """

    decision = _Part[Decision]()
    """The decision."""
    round = _Part[int]()
    """From 1."""
    turn = _Part[int]()
    """From 1, over the whole game."""
    active = _Part[int]()
    """The seat whose turn it is; a standoff may ask others."""
    placed = _Part[Spot | None]()
    """Where the rogue lies that was put or moved in this turn's first step."""
    visited = _Part[Neighbourhood | None]()
    """The neighbourhood of that first step, whose action may be performed."""
    acted = _Part[bool]()
    """Whether it was performed in this turn."""
    plot_played = _Part[bool]()
    """Whether a Plot card was played in this turn."""
    emperor = _Part[bool]()
    """Whether that was The Emperor."""
    king = _Part[int]()
    """The space of the Penniless King."""
    king_stopped = _Part[bool]()
    """Whether he met a Wrath in this turn."""
    players = _Part[tuple[Player, ...]]()
    """The public facts of each player; the index is the seat."""
    controls = _Part[tuple[Control | None, ...]]()
    """The controller of each neighbourhood; the index is its number - 1."""
    in_play = _Part[tuple[RogueInPlay, ...]]()
    """The rogues on the board, by spot; the `rogue` of one whose face is hidden is None."""
    rogues = _Part[tuple[Rogue, ...]]()
    """The own rogues at hand, sorted."""
    drawn = _Part[Rogue | None]()
    """The rogue just drawn from the bag, until one is chosen to go."""
    plots = _Part[tuple[PlotCard, ...]]()
    """The own Plot cards, sorted."""
    playing = _Part[PlotCard | None]()
    """The Plot card that is taking effect."""
    discards = _Part[tuple[PlotCard, ...]]()
    """The discarded Plot cards, sorted."""
    pile_size = _Part[int]()
    """How many Plot cards are left to draw."""
    bag_size = _Part[int]()
    """How many rogues are in the bag."""
    seine_size = _Part[int]()
    """How many rogues are in the Seine."""
    sunk = _Part[tuple[Rogue, ...]]()
    """This seat's rogues there, sorted."""
    standoff = _Part[Standoff | None]()
    """The standoff that is being settled."""
    pending = _Part[tuple[Neighbourhood, ...]]()
    """The other standoffs that are due in this turn."""

    def __init__(self, turn: connection.Turn, memory: "Memory | None" = None) -> None:
        """Wrap a request; `memory` has taken in those of the match before it, if there are any."""
        start, request = turn.start, turn.request
        self._turn = turn
        self._memory = memory or Memory()
        self._memory.take_in(self)
        self._seen = request.observation.miracles
        self.seat: int = start.seat
        """This bot's own seat, from 0."""
        self.seats: int = start.seats
        """How many seats there are. The left neighbour's is (seat + 1) % seats."""
        self.time_ms: int = request.time_ms
        """How long this decision may take, in milliseconds."""
        self.bank_ms: int = request.bank_ms
        """The bank's time for the rest of the match, in milliseconds."""
        self._name = f"{turn.match_id} {self.seat} {request.number}"
        """A text that no other decision has."""

    @classmethod
    def in_state(cls, state: "MiraclesState", name: str) -> Self:
        """Return what the seat to act sees in a state, for playouts; `name` seeds its chances.

        It is told no events, and draws no states anew.
        """
        position = cls.__new__(cls)
        seen = state.observation(state.to_act or 0)
        position.__dict__.update(
            seen._asdict(),
            seats=len(seen.players),
            events=(),
            config=state.config,
            legal=state.legal(),
            time_ms=values.NO_HURRY_MS,
            bank_ms=values.NO_HURRY_MS,
            _name=name,
        )
        return position

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events since this seat's last request, as far as it may know."""
        games = [one.game.miracles for one in self._turn.request.events if one.HasField("game")]
        return tuple([_event(message) for message in games])

    @cached_property
    def config(self) -> Config:
        """The settings of the game."""
        return _config(self._turn.start.config.SerializeToString())

    @property
    def data(self) -> BoardData:
        """The print on the board, the tokens and the cards."""
        return self.config.data

    @cached_property
    def legal(self) -> Legal:
        """The legal actions, in short form."""
        return values.read(Legal, self._turn.request.legal.miracles)

    @cached_property
    def actions(self) -> Sequence[Action]:
        """All legal actions, each once."""
        return actions_of(self.legal)

    def board_after(self, action: Action) -> tuple[RogueInPlay, ...]:
        """Return the rogues in play once this seat has put, moved, swapped or returned one.

        Without what follows, be it effects or standoffs. Other actions leave the board as it is.
        """
        board = {rogue.spot: rogue for rogue in self.in_play}
        match action:
            case PlaceRogue(rogue, spot):
                board[spot] = RogueInPlay(spot, self.seat, rogue, revealed=False)
            case MoveRogue() | MoveOther() | PlayChariot():
                board[action.target] = board.pop(action.origin)._replace(spot=action.target)
            case PlayTower(first, second):
                one, other = board[first], board[second]
                board[first], board[second] = other._replace(spot=first), one._replace(spot=second)
            case PlayHangedMan(spot):
                del board[spot]
        return tuple([board[spot] for spot in sorted(board)])

    def redraws(self) -> "Iterator[MiraclesState]":
        """Yield states without end that this seat cannot tell from the true one, for searching.

        Each has its probability if the other seats choose their rogues and cards at random. A match
        that is played again gives the same ones. The first takes some 30 ms, each next one 10 ms.
        """
        return self._memory.heard(self.config).redraws(*self._seen_and_chance())

    def courses(self) -> "Iterator[Course]":
        """Yield the deals and actions of such states, for those who go on by rules of their own."""
        return self._memory.heard(self.config).courses(*self._seen_and_chance())

    def _seen_and_chance(self) -> "tuple[Observation, Stream]":
        from referee.games.randomness import Stream  # noqa: PLC0415 -- for searchers

        return values.read(Observation, self._seen), Stream(self._name, "redraws")

    @cached_property
    def rng(self) -> random.Random:
        """Random numbers for this decision; the same match gives the same ones again."""
        return random.Random(self._name)

    def random_action(self) -> Action:
        """Return one of the legal actions, each equally likely."""
        number = int.from_bytes(hashlib.sha256(self._name.encode()).digest())  # seeds no generator
        return self.actions[number % len(self.actions)]


class Memory:
    """The requests of one match so far, for `redraws`."""

    def __init__(self) -> None:
        """Begin a match."""
        self._untold: list[Position] = []
        self._heard: Heard | None = None

    def take_in(self, position: Position) -> None:
        """Remember a request."""
        self._untold.append(position)

    def heard(self, config: Config) -> "Heard":
        """Return all that the seat was told."""
        from referee.games.miracles.heard import Heard  # noqa: PLC0415 -- for searchers

        if self._heard is None:
            seen = self._untold[0]._seen  # noqa: SLF001 -- the same module
            self._heard = Heard(config, values.read(Observation, seen))
        for position in self._untold:
            self._heard.hear(position.events)
        self._untold.clear()
        return self._heard


class Strategy(Protocol):
    """The decider for one seat in one match, which may remember."""

    def choose(self, position: Position, /) -> Action:
        """Return what to do."""


def run(choose: Callable[[Position], Action], name: str) -> None:
    """Play La Cour des Miracles with this strategy until the referee has no more matches."""
    connection.play(lambda: answering(choose), name)


def run_with_memory(strategy: Callable[[], Strategy], name: str) -> None:
    """Play with a strategy that is made anew for each match and sees each of its requests."""
    connection.play(lambda: answering(strategy().choose), name)


def answering(choose: Callable[[Position], Action]) -> connection.Decide:
    """Return what fills in the actions that a strategy chooses in one match."""
    memory = Memory()

    def decide(turn: connection.Turn, decision: referee_pb2.Decision) -> None:
        def write(action: Action) -> None:
            message = decision.action.miracles
            values.write(action, getattr(message, _ACTION_FIELDS[type(action)]))

        errors.fill(choose, Position(turn, memory), get_args(Action), write)

    return decide


def _field(kind: type[Any]) -> str:
    """Return the name of the field for one of several kinds: `end_turn` for EndTurn."""
    letters = [f"_{letter.lower()}" if letter.isupper() else letter for letter in kind.__name__]
    return "".join(letters).removeprefix("_")


_ACTION_FIELDS = {kind: _field(kind) for kind in get_args(Action)}
_EVENTS = {_field(kind): kind for kind in get_args(Event)}


def _event(message: Any) -> Event:
    name = message.WhichOneof("event")
    return values.read(_EVENTS[name], getattr(message, name))  # type: ignore[no-any-return]


@cache
def _config(content: bytes) -> Config:
    """Read the settings, the same ones only once: they are long, and every match has them."""
    message = game_pb2.GameConfig.FromString(content).miracles
    choices = [getattr(message, one.name) for one in fields(Config) if one.name != "data"]
    return Config(values.read(BoardData, message.data), *choices)
