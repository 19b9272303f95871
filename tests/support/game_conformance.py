"""Check in random games that a game keeps the contract of every game.

A game that passes fits the referee: exactly the legal actions apply, no state changes in place, no
piece is lost, every game ends, and every value survives a round trip over the wire. Another test
redraws hidden facts to prove that no secret reaches a seat.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from referee.games import game_named
from referee.games.base import Actions, IllegalAction, State
from referee.games.randomness import Stream
from referee.wire import codec_named
from tests.support.round_trip import action_back, config_back, deal_back

_MOST_TRIED = 12
"""Legal actions applied per position."""
_MOST_LISTED = 3_000
"""Positions with more legal actions skip the test that all others are refused."""


class ConformanceError(Exception):
    """A game breaks its contract."""


def check_game(name: str, seats: int, seed: str) -> int:
    """Play a random game and check every position; return the number of decisions.

    Raise `ConformanceError` with the broken rule and the decision at which it broke.
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
    if repr(again) != repr(walk.state) or again.result() != walk.state.result():
        raise ConformanceError("seed and actions give the same game again")
    if game.deal(config, seats, Stream(f"not {seed}", "deal")) == deal:
        raise ConformanceError("another seed gives another deal")
    if sorted(again.ranks()) != sorted(walk.state.ranks()) or min(again.ranks()) != 1:
        raise ConformanceError("the places of a game that is over begin with 1")
    return len(walk.played)


class _Walk:
    """A random game, checked at every decision."""

    def __init__(self, name: str, seats: int, state: State, stream: Stream) -> None:
        self.state = state
        self.played: list[Any] = []
        self._name = name
        self._seats = seats
        self._stream = stream
        self._pieces = state.pieces()
        self._strange: list[Any] = []
        """Actions legal in other positions."""

    def to_the_end(self, most: int) -> None:
        """Play until the game is over; require at most `most` decisions."""
        while self.state.to_act is not None:
            self._require(len(self.played) < most, f"a game has at most {most} decisions")
            self._moment()
        self._require(
            not list(islice(self.state.legal_actions(), 1)), "after the end, nothing is legal"
        )
        try:
            self.state.random_action(self._stream)
        except RuntimeError:
            return
        raise ConformanceError(self._where("after the end, no action is drawn"))

    def _moment(self) -> None:
        legal = self.state.legal_actions()
        self._require(len(legal) > 0, "whoever is to act can do something")
        before = repr(self.state)
        for action in self._some(legal):
            self._applies(action)
        self._require(repr(self.state) == before, "a state is never changed in place")
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
        codec = codec_named(self._name)
        try:
            self.state.check(action)
        except IllegalAction as error:
            raise ConformanceError(
                self._where(f"what is legal is accepted: {action}: {error}")
            ) from error
        after, events = self.state.apply(action)
        self._require(
            repr(self.state.apply(action)) == repr((after, events)),
            "an action does the same again",
        )
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
    """Return all visible parts of a state as bytes: each seat's observation, the legal form."""
    codec = codec_named(name)
    seen = [codec.encode_observation(state.observation(seat)) for seat in range(seats)]
    return [*seen, codec.encode_legal(state.legal())]


def _travels(name: str, config: Any, deal: Any) -> None:
    codec, game = codec_named(name), game_named(name)
    if game.config(config_back(codec, config)) != config:
        raise ConformanceError("a configuration travels and comes back")
    if deal_back(codec, deal) != deal:
        raise ConformanceError("a deal travels and comes back")
