"""The game under test, and random games of it."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from referee.conformance.game_check.promises import GamePosition, fault_of
from referee.games import game_named
from referee.games.base import Game, RulesError, Seat, State
from referee.games.randomness import Stream
from referee.wire import codec_named

_ENOUGH = 400
"""Decisions that random games of one step could have together, with one number of seats."""
_MOST_GAMES = 50


class Moment(NamedTuple):
    """A decision of a random game."""

    position: GamePosition
    action: Any
    after: State
    events: Sequence[Any]


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """A game with a configuration, and how many games each step plays."""

    name: str
    settings: Mapping[str, Any]
    games: int | None = None
    """Random games of each step, for each number of seats; None for enough to see something."""

    @property
    def game(self) -> Game:
        """The game."""
        return game_named(self.name)

    def config(self) -> Any:
        """Return the configuration."""
        return self.game.config(self.settings)

    def tables(self) -> Iterator[tuple[int, str]]:
        """Yield number of seats and seed of each random game."""
        for seats in self.game.seats:
            with running():
                most = max(1, self.game.most_decisions(self.config(), seats))
            for number in range(self.games or min(_MOST_GAMES, max(2, _ENOUGH // most))):
                yield seats, f"check {number}"

    def deal(self, seats: int, seed: str) -> Any:
        """Deal."""
        with running():
            return self.game.deal(self.config(), seats, Stream(seed, "deal"))

    def first(self, seats: int, deal: Any) -> GamePosition:
        """Return the position before the first decision."""
        with running():
            state = self.game.initial_state(self.config(), seats, deal)
        return GamePosition(self.game, state, seats, ())

    def random_game(self, seats: int, seed: str) -> Iterator[Moment]:
        """Yield each decision of a random game."""
        stream = Stream(seed, "play")
        return self._game(seats, seed, lambda state: state.random_action(stream))

    def stubborn_game(self, seats: int, seed: str) -> Iterator[Moment]:
        """Yield each decision of a game whose seats always take the first option."""
        return self._game(seats, seed, lambda state: state.legal_actions()[0])

    def _game(self, seats: int, seed: str, choose: Callable[[State], Any]) -> Iterator[Moment]:
        position = self.first(seats, self.deal(seats, seed))
        while True:
            with running(position):
                if position.state.to_act is None:
                    return
                action = choose(position.state)
                after, events = position.state.apply(action)
                moment = Moment(position, action, after, events)
            yield moment
            position = following(moment)

    def seen(self, position: GamePosition, seat: Seat) -> bytes:
        """Return a seat's encoded observation at a moment."""
        with running(position._replace(seat=seat)):
            return codec_named(self.name).encode_observation(position.state.observation(seat))

    def legal(self, position: GamePosition) -> bytes:
        """Return the encoded legal actions of the seat to act."""
        with running(position):
            return codec_named(self.name).encode_legal(position.state.legal())

    def events_for(self, moment: Moment, seat: Seat) -> list[bytes]:
        """Return the events of a decision, encoded in a seat's form."""
        codec = codec_named(self.name)
        with running(following(moment)):
            forms = [moment.after.event_for(event, seat) for event in moment.events]
            return [codec.encode_event(form) for form in forms if form is not None]

    def digest(self, position: GamePosition) -> str:
        """Return a digest of all that can be seen at a moment."""
        parts = [self.seen(position, seat) for seat in range(position.seats)]
        with running(position):
            parts.append(str(position.state.to_act).encode())
        parts.append(self.legal(position))
        return hashlib.sha256(b"|".join(parts)).hexdigest()


def following(moment: Moment) -> GamePosition:
    """Return the position after a decision."""
    before = moment.position
    return before._replace(state=moment.after, played=(*before.played, moment.action))


@contextmanager
def running(position: GamePosition | None = None) -> Iterator[None]:
    """Make a failure of the author's code a fault at this position."""
    try:
        yield
    except RulesError as error:
        raise fault_of(error, position) from error


def digests(name: str, settings: Mapping[str, Any], seats: int, seed: str) -> list[str]:
    """Return the deal and the digest of every position of a random game."""
    subject = CheckedGame(name, settings)
    deal = subject.deal(seats, seed)
    result = [hashlib.sha256(codec_named(name).encode_deal(deal)).hexdigest()]
    result.append(subject.digest(subject.first(seats, deal)))
    for moment in subject.random_game(seats, seed):
        events = [subject.events_for(moment, seat) for seat in range(seats)]
        result.append(subject.digest(following(moment)) + repr(events))
    return result
