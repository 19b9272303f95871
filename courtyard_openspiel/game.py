"""Plays OpenSpiel's games as `PlainGame`s.

A state of OpenSpiel is changed in place, so each move is made on a copy. Chance is drawn at once
when it is due, from a stream under the one key that the deal draws: the commitment to the deal
holds for it. Where several players choose at once, their seats choose one after the other, and each
is told only its own choice until all are in.

OpenSpiel says what a player knows in a text, not in steps. So in a game of imperfect information a
seat is told no events of others, not even their number.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

from courtyard_openspiel.loading import Loaded, pyspiel, quiet
from referee.games.plain import (
    Choice,
    ConfigError,
    Event,
    Option,
    PlainGame,
    PlainState,
    Seat,
    Stream,
    View,
    first_choice,
)

_MOST_OPTIONS = 250
_TWO = 2
_CHANCE = -1
"""OpenSpiel's number for chance as a player."""
_FRACTIONS = 1 << 53
_KEY_BYTES = 16
_RETURNS_FRACTIONS = {"skat", "tiny_bridge_2p"}
_SPLITS_POTS = {"leduc_poker", "repeated_leduc_poker", "universal_poker"}
"""Games that return fractions with more than two players."""
_POINTS_PER_UNIT = 100
"""Points for a return of 1 in games that return fractions; 1 in all others."""


class OpenSpielGame(PlainGame):
    """A game of OpenSpiel."""

    call_seconds = 120.0
    """Scores of bridge_uncontested_bidding have taken 48 s of CPU time."""

    def __init__(self, name: str, found: Loaded) -> None:
        """Describe what was found under a name."""
        self.name = f"openspiel:{name}"
        self.title = found.type.long_name + name.removeprefix(found.name)
        self.rules_version = f"open-spiel {version('open-spiel')}"
        self.rules = (
            f"The rules are those of OpenSpiel's game `{name}`; its authors "
            "[say more](https://openspiel.readthedocs.io/en/latest/games.html)."
        )
        self.seats = found.seats
        self.found = found
        types = pyspiel().GameType
        self.is_open = found.type.information == types.Information.PERFECT_INFORMATION
        """Whether every seat knows all."""
        self.is_simultaneous = found.type.dynamics == types.Dynamics.SIMULTANEOUS
        self._games = dict[int, Any]()

    def game_for(self, seats: int, seed: int = 0) -> Any:
        """Return the `pyspiel.Game` of a deal; the seed is for games that draw chance themselves.

        Others are loaded once a number of seats, which takes colored_trails more than a second.
        """
        if self.found.draws_itself:
            return self.found.for_deal(seats, seed)
        if seats not in self._games:
            self._games[seats] = self.found.for_deal(seats, seed)
        return self._games[seats]

    def deal(self, config: Mapping[str, Any], seats: int, stream: Stream) -> str:
        """Draw the key from which all chance is drawn."""
        del config
        self.game_for(seats)  # a number of seats that does not go with the parameters
        return stream.bytes(_KEY_BYTES).hex()

    def initial_state(self, config: Mapping[str, Any], seats: int, deal: Any) -> "OpenSpielState":
        """Return the state before the first decision; chance before it is drawn."""
        del config
        if not (isinstance(deal, str) and len(deal) == 2 * _KEY_BYTES):
            raise ConfigError(f"a deal of {self.name} is a key of {_KEY_BYTES} bytes")
        seed = Stream(deal, "seed").below(1 << 31)
        node = self.game_for(seats, seed).new_initial_state()
        return _drawn(OpenSpielState(self, node, deal))[0]

    def most_decisions(self, config: Mapping[str, Any], seats: int) -> int:
        """Return OpenSpiel's own bound; choices at once count for each seat."""
        del config
        at_once = seats if self.is_simultaneous else 1
        return int(self.game_for(seats).max_game_length()) * at_once

    @cached_property
    def redraws(self) -> bool:
        """Whether OpenSpiel implements `ResampleFromInfostate` for this game."""
        state = self.initial_state({}, self.seats[0], "0" * 2 * _KEY_BYTES)
        return state.resampled(0, Stream("")) is not None


@dataclass(frozen=True, eq=False)
class OpenSpielState(PlainState):
    """A state of OpenSpiel between decisions; it is never at a chance node."""

    game: OpenSpielGame
    node: Any
    """A `pyspiel.State`; nothing here changes it."""
    key: str
    draws: int = 0
    """How often chance has been drawn under the key."""
    chosen: tuple[int, ...] = ()
    """What the first of those that choose at once have chosen."""

    @cached_property
    def _deciders(self) -> tuple[Seat, ...]:
        """The seats that decide at this node, in order."""
        node = self.node
        if node.is_terminal():
            return ()
        if not node.is_simultaneous_node():
            return (node.current_player(),)
        return tuple(seat for seat in range(node.num_players()) if node.legal_actions(seat))

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next; None when the game is over."""
        return None if self.node.is_terminal() else self._deciders[len(self.chosen)]

    @cached_property
    def labels(self) -> dict[int, str]:
        """The legal actions of the seat to act, with distinct labels."""
        seat = self._deciders[len(self.chosen)]
        labels = {action: self._label(seat, action) for action in self.node.legal_actions(seat)}
        times = Counter(labels.values())
        return {
            action: label if times[label] == 1 else f"{label} ({action})"
            for action, label in labels.items()
        }

    def _label(self, player: int, action: int) -> str:
        return " ".join(self.node.action_to_string(player, action).split()) or str(action)

    def options(self) -> Mapping[int, str] | Choice:
        """Return the legal actions by OpenSpiel's numbers; very many in several steps."""
        labels = self.labels
        if len(labels) <= _MOST_OPTIONS:
            return labels
        return _choice(tuple(labels), labels)

    def apply(self, action: int) -> tuple["OpenSpielState", Sequence[Event]]:
        """Return the state after an action and the chance that follows, and what is told of it."""
        seat = self._deciders[len(self.chosen)]
        told = f"@{seat}: {self.labels[action]}"
        if self.node.is_simultaneous_node():
            return self._apply_at_once(action, Event("", {seat: told}))
        event = Event(told) if self.game.is_open else Event("", {seat: told})
        state, chance = _drawn(replace(self, node=self.node.child(action)))
        return state, [event, *chance]

    def _apply_at_once(self, action: int, event: Event) -> tuple["OpenSpielState", Sequence[Event]]:
        chosen = (*self.chosen, action)
        if len(chosen) < len(self._deciders):
            return replace(self, chosen=chosen), [event]
        of = dict(zip(self._deciders, chosen, strict=True))
        node = self.node.clone()
        node.apply_actions([of.get(seat, 0) for seat in range(node.num_players())])
        state, chance = _drawn(replace(self, node=node, chosen=()))
        if not self.game.is_open and not node.is_terminal():
            return state, [event, *chance]
        words = ", ".join(f"@{seat}: {self._label(seat, each)}" for seat, each in of.items())
        return state, [event, Event(f"All have chosen: {words}"), *chance]

    def view(self, seat: Seat) -> View:
        """Return OpenSpiel's text and tensor of what the seat knows."""
        kind, node = self.game.found.type, self.node
        whole = kind.provides_information_state_string
        if whole and not (self.game.is_open and kind.provides_observation_string):
            text = node.information_state_string(seat)
        else:
            text = node.observation_string(seat)
        lines = text.rstrip("\n").split("\n")
        if seat in self._deciders[: len(self.chosen)]:
            action = self.chosen[self._deciders.index(seat)]
            lines.append(f"You have chosen: {self._label(seat, action)}")
        facts: dict[str, Any] = {"player": seat}
        if seat == self.to_act:
            facts["legal_actions"] = list(self.labels)
        return View(lines, facts, self._features(seat))

    def _features(self, seat: Seat) -> Sequence[float]:
        kind = self.game.found.type
        if kind.provides_information_state_tensor and not self.game.is_open:
            return tuple(self.node.information_state_tensor(seat))
        if kind.provides_observation_tensor:
            return tuple(self.node.observation_tensor(seat))
        return ()

    def points(self) -> Sequence[int]:
        """Return OpenSpiel's returns, as whole numbers."""
        name, returns = self.game.found.name, self._returns
        splits = name in _SPLITS_POTS and len(returns) > _TWO
        unit = _POINTS_PER_UNIT if splits or name in _RETURNS_FRACTIONS else 1
        return [round(value * unit) for value in returns]

    @property
    def _returns(self) -> Sequence[float]:
        returns: Sequence[float] = self.node.returns()
        if not all(map(math.isfinite, returns)):
            raise ValueError(f"the returns are {returns}")
        return [round(value, 9) for value in returns]

    def ranks(self) -> Sequence[int]:
        """Return the ranks by exact returns."""
        returns = self._returns
        return [1 + sum(other > own for other in returns) for own in returns]

    def explained(self) -> Sequence[str]:
        """Return the exact returns if they are no whole numbers."""
        returns = self._returns
        if list(returns) == self.points():
            return ()
        return [f"Returns: {', '.join(f'@{seat} {value:g}' for seat, value in enumerate(returns))}"]

    def redraw(self, seat: Seat, stream: Stream) -> "OpenSpielState | None":
        """Draw by `ResampleFromInfostate`, and a new key for what is still to be drawn."""
        if not self.game.redraws or self.node.is_simultaneous_node():
            return None
        return self.resampled(seat, stream)

    def resampled(self, seat: Seat, stream: Stream) -> "OpenSpielState | None":
        """Return another state; None if OpenSpiel has none for this game and seat."""
        with quiet():
            try:
                node = self.node.resample_from_infostate(seat, lambda: _fraction(stream))
            except pyspiel().SpielError:
                return None
        return OpenSpielState(self.game, node, stream.bytes(_KEY_BYTES).hex())


def _drawn(state: OpenSpielState) -> tuple[OpenSpielState, list[Event]]:
    """Return the state after all chance that is due, and what is told of it."""
    events = []
    while state.node.is_chance_node():
        action = _draw(state)
        if state.game.is_open:
            events.append(Event(f"Chance: {state._label(_CHANCE, action)}"))  # noqa: SLF001 one module
        state = replace(state, node=state.node.child(action), draws=state.draws + 1)
    return state, events


def _draw(state: OpenSpielState) -> int:
    """Return the outcome of a chance node; each node has a stream of its own."""
    if state.game.found.draws_itself and state.draws and not _is_opening(state.node):
        raise ValueError("chance during play is not drawn from the deal")
    outcomes = state.node.chance_outcomes()
    left = _fraction(Stream(state.key, "chance", str(state.draws)))
    left *= sum(probability for _, probability in outcomes)
    for action, probability in outcomes:
        left -= probability
        if left < 0:
            return int(action)
    return int(outcomes[-1][0])


def _is_opening(node: Any) -> bool:
    return all(each.player == _CHANCE for each in node.full_history())


def _itself(action: int) -> int:
    return action


def _fraction(stream: Stream) -> float:
    return stream.below(_FRACTIONS) / _FRACTIONS


def _choice(actions: tuple[int, ...], labels: Mapping[int, str]) -> Choice:
    """Return steps that narrow many actions down to one, in OpenSpiel's order."""
    if len(actions) <= _MOST_OPTIONS:
        answers = {action: Option(labels[action]) for action in actions}
        return first_choice("What do you do?", answers, _itself, _itself)
    size = math.ceil(len(actions) / _MOST_OPTIONS)
    size = max(size, math.isqrt(len(actions)))
    blocks = [actions[start : start + size] for start in range(0, len(actions), size)]
    number_of = {action: number for number, block in enumerate(blocks) for action in block}
    answers = {
        number: Option(f"one from {labels[block[0]]} to {labels[block[-1]]}")
        for number, block in enumerate(blocks)
    }
    return first_choice(
        "Among which do you choose?",
        answers,
        number_of.__getitem__,
        lambda number: _choice(blocks[number], labels),
    )
