"""Bots of La Cour des Miracles for the benchmark on real play: the greedy sample in many styles.

A bot reads what its seat may know, as the sample bot does over a connection. A style says what
counts how much, and how often the bot does not think at all.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from courtyard_kit.miracles import Neighbourhood, Position, RogueInPlay

from referee.games.miracles.state import MiraclesState

_TRIED = 12
"""The actions of a decision that it tries, drawn at random: all take three times as long."""
_GREEDY = Path(__file__).parents[4] / "sample_bots/python/miracles/greedy/bot.py"


def _greedy() -> Any:
    """Load the sample bot, which is a script."""
    spec = importlib.util.spec_from_file_location("greedy_of_miracles", _GREEDY)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no sample bot in {_GREEDY}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class _Seen(Position):
    """A position that is read from the state instead of a request."""

    def __init__(self, state: MiraclesState, actions: Sequence[Any]) -> None:
        seen = state.observation(state.to_act or 0)
        self.__dict__.update(seen._asdict(), config=state.config, actions=actions)


_BOT = _greedy()
_Forecast: Any = _BOT.Forecast


class _Thought(_Forecast):  # type: ignore[misc]
    """The greedy forecast with other weights."""

    def __init__(self, position: Position, style: "Style") -> None:
        self.style = style
        self.known: dict[tuple[Any, ...], float] = {}
        super().__init__(position)

    def outlook(self, board: Sequence[RogueInPlay], bonus: int = 0) -> float:
        """Return the same as the sample bot, which looks at each neighbourhood every time."""
        places: dict[Neighbourhood, list[RogueInPlay]] = {}
        for rogue in board:
            places.setdefault(rogue.spot.neighbourhood, []).append(rogue)
        return sum([self.hoped(place, tuple(there), bonus) for place, there in places.items()])

    def hoped(self, place: Neighbourhood, there: tuple[RogueInPlay, ...], bonus: int) -> float:
        """Return what a standoff to come is worth; most actions change one or two of them."""
        key = (there, bonus)
        if key not in self.known:
            self.known[key] = _BOT.SOON[len(there)] * self.standing(there, place, bonus)
        return self.known[key]

    def change(self, action: Any) -> float:
        return float(self.style.board * super().change(action))

    def effect(self, effect: Any) -> float:
        return float(self.style.effects * super().effect(effect))

    def income(self, place: Any) -> float:
        return float(self.style.income * super().income(place))

    def line(self, number: int) -> float:
        return float(super().line(number) + self.style.renown)


@dataclass(frozen=True, slots=True)
class Style:
    """What a bot of La Cour des Miracles cares for."""

    name: str
    aimless: float = 0.0
    """The share of decisions that are random."""
    board: float = 1.0
    """What the standoffs to come count."""
    effects: float = 1.0
    """What the effects of spots and lines count."""
    income: float = 1.0
    """What it counts who gets the coin of a neighbourhood."""
    renown: float = 0.0
    """By how many coins more a token on the Renown Square is worth."""
    noise: float = 0.0
    """Standard deviation of its errors in coins."""

    def choose(self, state: MiraclesState, chance: Random) -> Any:
        """Return what the bot does."""
        actions = state.legal_actions()
        if self.aimless and chance.random() < self.aimless:
            return chance.choice(actions)
        if len(actions) == 1:
            return actions[0]
        thought = _Thought(_Seen(state, actions), self)
        tried = chance.sample(actions, min(_TRIED, len(actions)))
        if not self.noise:
            return max(tried, key=thought.worth)
        return max(tried, key=lambda action: thought.worth(action) + chance.gauss(0.0, self.noise))


SPREAD = (
    *(
        Style(f"aimless {share:.2f}", aimless=share)
        for share in (0.0, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
    ),
    Style("blind to the board", board=0.0),
    Style("board first", board=3.0),
    Style("no effects", effects=0.0),
    Style("effects first", effects=3.0),
    Style("miser", renown=-8.0),
    Style("spender", renown=5.0),
    Style("spoiler", income=6.0, board=0.5),
    Style("blurred", noise=2.0),
    Style("very blurred", noise=6.0),
)
"""From the best to chance alone."""
DENSE = (
    *(Style(f"aimless {share:.2f}", aimless=share) for share in (0.0, 0.02, 0.04, 0.06, 0.08)),
    Style("board 0.7", board=0.7),
    Style("board 1.3", board=1.3),
    Style("board 1.6", board=1.6),
    Style("effects 0.6", effects=0.6),
    Style("effects 1.5", effects=1.5),
    Style("income 0.5", income=0.5),
    Style("income 2", income=2.0),
    Style("renown 2", renown=2.0),
    Style("renown -2", renown=-2.0),
    Style("blurred 0.5", noise=0.5),
    Style("blurred 1", noise=1.0),
)
"""Sixteen that are about as good as the greedy one."""
