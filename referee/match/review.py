"""What each decision of a seat cost, judged by what the seat knew then.

Theory of operation. A world is a state that the seat cannot tell from the true one, drawn by the
game's own `redraw`. In a world, a fixed player says by a playout how many rivals the seat may
expect to beat by an option. Options are compared in the same worlds.

The best of many means that chance blurs is too good. So half of the playouts look for the best
option, and new worlds measure how much more it is worth than what was chosen. Such a loss is right
in the mean, and may be negative.

All draws come from streams that are named after the match, not seeded by it. So all who have
the record get the same numbers, and nothing that was hidden from the seat changes them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import ceil, hypot, log2, sqrt
from statistics import fmean, stdev
from typing import Any, Protocol

from courtyard.v1 import record_pb2

from referee.core.errors import UsageError
from referee.games.base import Actions, Course, Game, Seat, State
from referee.games.plain.adapter import AdaptedState
from referee.games.randomness import Stream
from referee.match.luck import NORMAL_95
from referee.match.replay import game_of, retrace
from referee.wire import codec_named

MOST_OPTIONS = 24
"""Of more options these are compared: the chosen one, those that the player likes, and others."""
ASKED_WORLDS = 8
"""The number of worlds in which the player is asked what it likes."""


_World = tuple[int, State]
"""A world with its number."""
Option = tuple[type, Any]
"""An action after its kind: as tuples, actions of different kinds can be equal."""


class Player(Protocol):
    """Plays in a world; the same `chances` give the same again."""

    def choose(self, state: State, chances: str) -> Any:
        """Return an action that it likes for the seat to act."""

    def worth(self, state: State, action: Any, chances: str) -> float:
        """Return how many rivals the seat to act may expect to beat by an action."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """One decision of a seat, beside the best other option that was found."""

    number: int
    """Of the decision in the match, from 0."""
    options: int
    """How many there were."""
    chosen: Any
    better: Any
    """What would have been better; None if nothing was found."""
    lost: float
    """How many rivals fewer it may expect to beat; negative if what looked better is worse."""
    error: float
    """Half the 95 % interval of the loss, as only some worlds are drawn."""


def own_decisions(record: record_pb2.Record, seat: Seat) -> Sequence[int]:
    """Return the numbers of the decisions that a seat's bot took.

    Raise `UsageError` if there is no such seat.
    """
    if not 0 <= seat < len(record.seats):
        last = len(record.seats) - 1
        raise UsageError(f"there is no seat {seat}: the match has seats 0 to {last}")
    return [
        number
        for number, one in enumerate(record.decisions)
        if one.seat == seat and not (one.stand_in or one.own_stand_in or one.HasField("fault"))
    ]


def total_loss(judgments: Sequence[Judgment]) -> tuple[float, float]:
    """Return the sum of the losses, and half its 95 % interval."""
    return sum(one.lost for one in judgments), hypot(*[one.error for one in judgments])


def review(
    record: record_pb2.Record, seat: Seat, player: Player, playouts: int
) -> Iterator[Judgment]:
    """Yield what each decision of a seat cost, in order, by this number of playouts for each.

    Decisions without a choice are left out. Trust the record as `retrace` does. Raise
    `UsageError` if it cannot be played, if there is no such seat, or if the game has no `redraw`.
    """
    own, played = frozenset(own_decisions(record, seat)), retrace(record)
    codec, state, actions = codec_named(record.game), played.first, list[Any]()
    config = game_of(record).config(codec.decode_config(record.config))
    for number, (decision, taken) in enumerate(zip(record.decisions, played.taken, strict=True)):
        action, legal = codec.decode_action(decision.action), state.legal_actions()
        if number in own and len(legal) > 1:
            name = f"{record.match_id} {seat} {number}"
            course = Course(played.deal, tuple(actions))
            stream = Stream(name, "worlds")
            worlds = _worlds(game_of(record), config, state, course, stream)
            search = _Search(player, name, worlds)
            yield Judgment(number, len(legal), action, *search.compare(action, legal, playouts))
        actions.append(action)
        state = taken.state


def _worlds(
    game: Game, config: Any, state: State, course: Course, stream: Stream
) -> Iterator[State]:
    """Yield states without end that the seat to act cannot tell from this one."""
    seat = state.to_act or 0
    redraw = game.redraw and game.redraw(config, course, seat)
    while True:
        if redraw:
            yield redraw.state(stream)
            continue
        drawn = state.redraw(seat, stream) if isinstance(state, AdaptedState) else None
        if drawn is None:
            raise UsageError(f"{game.name} has no redraw, without which no decision can be judged")
        yield drawn


def _option(action: Any) -> Option:
    return type(action), action


def compared(
    first: Iterable[Any], liked: Iterable[Any], legal: Actions, stream: Stream
) -> list[Option]:
    """Return the options to compare, each once; of equals the first is taken.

    Of too many these are `first`, what is liked, which is asked only then, and others by chance.
    """
    if len(legal) <= MOST_OPTIONS:
        return [*dict.fromkeys(map(_option, chain(first, legal)))]
    found = dict.fromkeys(map(_option, chain(first, liked)))
    while len(found) < MOST_OPTIONS:
        found[_option(legal[stream.below(len(legal))])] = None
    return [*found]


class _Search:
    """Compares the options of one decision."""

    def __init__(self, player: Player, name: str, worlds: Iterator[State]) -> None:
        self._player = player
        self._name = name
        self._worlds = enumerate(worlds)

    def compare(self, chosen: Any, legal: Actions, playouts: int) -> tuple[Any, float, float]:
        """Return what would have been better (None: nothing), the loss, and its error."""
        asked, taken = [*islice(self._worlds, ASKED_WORLDS)], _option(chosen)
        liked = (self._player.choose(world, self._chances(number)) for number, world in asked)
        options = compared([chosen], liked, legal, Stream(self._name, "options"))
        best = self._best(options, asked, playouts // 2)
        if best == taken:
            return None, 0.0, 0.0
        lost = [
            self._worth(world, best) - self._worth(world, taken)
            for world in islice(self._worlds, max(2, playouts // 4))
        ]
        return best[1], fmean(lost), NORMAL_95 * stdev(lost) / sqrt(len(lost))

    def _best(self, options: list[Option], asked: Sequence[_World], playouts: int) -> Option:
        """Return the best option by sequential halving: the worse half goes, again and again."""
        worlds, totals = chain(asked, self._worlds), dict.fromkeys(options, 0.0)
        rounds = ceil(log2(len(options)))
        while len(options) > 1:
            for world in islice(worlds, max(1, playouts // (rounds * len(options)))):
                for option in options:
                    totals[option] += self._worth(world, option)
            options = sorted(options, key=totals.__getitem__, reverse=True)
            options = options[: (len(options) + 1) // 2]
        return options[0]

    def _worth(self, world: _World, option: Option) -> float:
        number, state = world
        return self._player.worth(state, option[1], self._chances(number))

    def _chances(self, world: int) -> str:
        return f"{self._name} {world}"
