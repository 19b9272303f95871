"""What every game must do, whatever its rules: checked on random games by one function.

A game that passes fits the referee: what is legal applies and nothing else does, nothing is changed
in place, no piece is lost, every game ends, and all of it travels over the wire and back. That no
secret reaches a seat is proven elsewhere, by redrawing what is hidden.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from referee.games import game_named
from referee.games.base import Actions, IllegalAction, State
from referee.games.randomness import Stream
from referee.wire import CODECS
from tests.support.round_trip import action_back, config_back, deal_back

_MOST_TRIED = 12
"""Of the legal actions of one moment, so many are applied."""
_MOST_LISTED = 3_000
"""A moment with more legal actions than this is not asked whether all others are refused."""


class ConformanceError(Exception):
    """A game does not do what every game must do."""


def check_game(name: str, seats: int, seed: str) -> int:
    """Play a random game and check every moment of it; return how many decisions it had.

    Raise `ConformanceError` with the rule that is broken and the decision where it was seen.
    """
    game = game_named(name)
    config = game.config({})
    deal = game.deal(config, seats, Stream(seed, "deal"))
    if game.deal(config, seats, Stream(seed, "deal")) != deal:
        raise ConformanceError("one seed gives one deal")
    _travels(name, config, deal)
    walk = _Walk(name, seats, game.initial_state(config, seats, deal), Stream(seed, "walk"))
    walk.to_the_end(game.most_decisions(config, seats))
    again = game.initial_state(config, seats, deal)
    for action in walk.played:
        again, _ = again.apply(action)
    if _views(name, again, seats) != _views(name, walk.state, seats):
        raise ConformanceError("seed and actions give the same game again")
    if sorted(again.ranks()) != sorted(walk.state.ranks()) or min(again.ranks()) != 1:
        raise ConformanceError("the places of a game that is over begin with 1")
    return len(walk.played)


class _Walk:
    """A random game that is checked at every step."""

    def __init__(self, name: str, seats: int, state: State, stream: Stream) -> None:
        self.state = state
        self.played: list[Any] = []
        self._name = name
        self._seats = seats
        self._stream = stream
        self._pieces = state.pieces()
        self._strange: list[Any] = []
        """Actions that were legal at some other moment."""

    def to_the_end(self, most: int) -> None:
        """Play until the game is over; it may have so many decisions."""
        while self.state.to_act is not None:
            self._require(len(self.played) < most, f"a game has at most {most} decisions")
            self._moment()
        self._require(
            not list(islice(self.state.legal_actions(), 1)), "after the end, nothing is legal"
        )

    def _moment(self) -> None:
        legal = self.state.legal_actions()
        self._require(len(legal) > 0, "whoever is to act can do something")
        before = _views(self._name, self.state, self._seats)
        for action in self._some(legal):
            self._applies(action)
        unchanged = _views(self._name, self.state, self._seats) == before
        self._require(unchanged, "a state is never changed in place")
        if len(legal) <= _MOST_LISTED:
            self._refuses_all_but(list(legal))
        action = self.state.random_action(self._stream)
        self._strange += [action, legal[0], legal[len(legal) - 1]]
        self.state, _ = self.state.apply(action)
        self.played.append(action)
        self._require(self.state.pieces() == self._pieces, "no piece is lost and none is added")

    def _some(self, legal: Actions) -> Iterator[Any]:
        if len(legal) <= _MOST_TRIED:
            yield from legal
        else:
            yield from (legal[self._stream.below(len(legal))] for _ in range(_MOST_TRIED))

    def _applies(self, action: Any) -> None:
        codec = CODECS[self._name]
        try:
            self.state.check(action)
        except IllegalAction as error:
            raise ConformanceError(
                self._where(f"what is legal is accepted: {action}: {error}")
            ) from error
        after, events = self.state.apply(action)
        for event in events:
            for seat in range(self._seats):
                codec.encode_event(after.event_for(event, seat))
        _views(self._name, after, self._seats)
        self._require(action_back(codec, action) == action, f"{action} travels and comes back")

    def _refuses_all_but(self, legal: list[Any]) -> None:
        for action in self._strange[-60:]:
            if action not in legal:
                self._refused(action)

    def _refused(self, action: Any) -> None:
        try:
            self.state.check(action)
        except IllegalAction as error:
            self._require(bool(str(error)), "a refusal has a reason")
        else:
            raise ConformanceError(self._where(f"what is not legal is refused: {action}"))

    def _require(self, held: bool, rule: str) -> None:  # noqa: FBT001 -- a condition
        if not held:
            raise ConformanceError(self._where(rule))

    def _where(self, rule: str) -> str:
        return f"{rule} (decision {len(self.played) + 1} of {self._name} for {self._seats})"


def _views(name: str, state: State, seats: int) -> list[bytes]:
    """Return all that can be seen of a state, as bytes: each seat's view, and what is legal."""
    codec = CODECS[name]
    seen = [codec.encode_observation(state.observation(seat)) for seat in range(seats)]
    return [*seen, codec.encode_legal(state.legal())]


def _travels(name: str, config: Any, deal: Any) -> None:
    codec, game = CODECS[name], game_named(name)
    if game.config(config_back(codec, config)) != config:
        raise ConformanceError("a configuration travels and comes back")
    if deal_back(codec, deal) != deal:
        raise ConformanceError("a deal travels and comes back")
