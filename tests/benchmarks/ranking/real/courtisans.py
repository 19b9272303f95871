"""Bots of Courtisans for the benchmark on real play: one strategy with many styles.

A bot looks one turn ahead, from what its seat may know: what each way to put its three cards brings
by the families' standing, to itself and against the others. A style says what counts how much, and
how often the bot does not think at all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from random import Random

from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import WEIGHTS, Card, Role, Side
from referee.games.courtisans.missions import FALLEN, FEWER, MISSION_POINTS, Mission
from referee.games.courtisans.observation import CardInPlay
from referee.games.courtisans.state import CourtisansState

_FAMILIES = 7
"""Families are numbered from 1."""
_ROLES = {
    Mission.THREE_NOBLES: Role.NOBLE,
    Mission.TWO_ASSASSINS: Role.ASSASSIN,
    Mission.FOUR_GUARDS: Role.GUARD,
    Mission.THREE_SPIES: Role.SPY,
}


@dataclass(frozen=True, slots=True)
class Style:
    """What a bot of Courtisans cares for."""

    name: str
    aimless: float = 0.0
    """The share of turns that are random."""
    soft: float = 1.0
    """The surplus of cards at the Queen's table at which a family is taken for settled."""
    own: float = 1.0
    """What a point of its own counts."""
    against: float = 0.5
    """What a point of the others counts against it."""
    mission: float = 0.5
    """What a mission's points count."""
    gamble: float = 0.0
    """What it is worth to heap up one family in its domain, whatever becomes of it."""
    noise: float = 0.0
    """Standard deviation of its errors in points."""

    def choose(self, state: CourtisansState, chance: Random) -> Action:
        """Return what the bot does."""
        if self.aimless and chance.random() < self.aimless:
            actions = state.legal_actions()
            return actions[chance.randrange(len(actions))]
        return _Thought(self, state, chance).best()


class _Thought:
    """What one turn can bring."""

    def __init__(self, style: Style, state: CourtisansState, chance: Random) -> None:
        seen = state.observation(state.to_act or 0)
        self.style, self.chance, self.seat, self.hand = style, chance, seen.seat, seen.hand
        self.domains = seen.domains
        self.held = [_weights(domain) for domain in seen.domains]
        above = _weights(card for card in seen.table if card.side is Side.ABOVE)
        below = _weights(card for card in seen.table if card.side is Side.BELOW)
        self.surplus = [up - down for up, down in zip(above, below, strict=True)]
        self.standing = [self._standing(surplus) for surplus in self.surplus]
        self.rivals = [seat for seat in range(len(self.held)) if seat != self.seat]
        self.fallen = FALLEN.get(seen.blue)
        self.fewer, self.role = FEWER.get(seen.white), _ROLES.get(seen.white)
        self.stake = self._stakes()

    def _standing(self, surplus: float) -> float:
        return max(-1.0, min(1.0, surplus / self.style.soft))

    def _stakes(self) -> list[float]:
        """Return what it is worth that a family rises from neutral to esteemed."""
        own, share = self.style.own, self.style.against / len(self.rivals)
        mine, theirs = self.held[self.seat], [self.held[seat] for seat in self.rivals]
        stake = [own * mine[f] - share * sum([one[f] for one in theirs]) for f in range(_FAMILIES)]
        if self.fallen is not None:
            stake[self.fallen] -= self.style.mission * MISSION_POINTS
        return stake

    def best(self) -> Action:
        """Return the action that is worth most."""
        found, most = None, -1e9
        for first, second, third in dict.fromkeys(permutations(self.hand)):
            for side in (Side.ABOVE, Side.BELOW):
                worth = self._at_table(first, side)
                mine, target = self._at_home(second)
                theirs, opponent, prey = self._abroad(third)
                worth += mine + theirs
                if self.style.noise:
                    worth += self.chance.gauss(0.0, self.style.noise)
                if worth > most:
                    most = worth
                    found = Action(
                        Placement(first, 0),
                        side,
                        Placement(second, target),
                        Placement(third, prey),
                        opponent,
                    )
        if found is None:
            raise RuntimeError("the bot has no cards to play")
        return found

    def _at_table(self, card: Card, side: Side) -> float:
        """Return what a card at the table brings, and let the standing be as after it."""
        family = int(card.family or 0)
        moved = WEIGHTS[card.role] if side is Side.ABOVE else -WEIGHTS[card.role]
        after = self._standing(self.surplus[family] + moved)
        self.now = list(self.standing)
        self.now[family] = after
        return (after - self.standing[family]) * self.stake[family]

    def _at_home(self, card: Card) -> tuple[float, int]:
        """Return what a card in the own domain brings, and whom an assassin eliminates there."""
        style, family = self.style, int(card.family or 0)
        worth = style.own * self.now[family] * WEIGHTS[card.role]
        worth += style.gamble * self.held[self.seat][family]
        if card.family is self.fewer:
            worth -= style.mission * WEIGHTS[card.role]
        if card.role is self.role:
            worth += style.mission
        if card.role is not Role.ASSASSIN:
            return worth, 0
        gain, target = self._prey(self.seat, -style.own)
        return worth + gain, target

    def _abroad(self, card: Card) -> tuple[float, int, int]:
        """Return what a card in a rival's domain brings, whose, and whom it eliminates there."""
        share = self.style.against / len(self.rivals)
        worth = -share * self.now[int(card.family or 0)] * WEIGHTS[card.role]
        if card.role is not Role.ASSASSIN:
            return worth, self.chance.choice(self.rivals), 0
        (gain, target), rival = max((self._prey(seat, share), seat) for seat in self.rivals)
        return worth + gain, rival, target

    def _prey(self, seat: int, worth: float) -> tuple[float, int]:
        """Return what it brings to eliminate the best card there, and its turn; 0 for none."""
        cards = [card for card in self.domains[seat] if card.role is not Role.GUARD]
        gains = [
            (worth * self.now[int(card.family)] * WEIGHTS[card.role], card.turn)
            for card in cards
            if card.family is not None
        ]
        return max([*gains, (0.0, 0)])


def _weights(cards: Iterable[CardInPlay]) -> list[float]:
    """Return the weights of the families, by number; a hidden spy is of none."""
    found = [0.0] * _FAMILIES
    for card in cards:
        if card.family is not None:
            found[card.family] += WEIGHTS[card.role]
    return found


SPREAD = (
    *(
        Style(f"aimless {share:.2f}", aimless=share)
        for share in (0.0, 0.15, 0.3, 0.45, 0.65, 0.85, 1.0)
    ),
    Style("slow", soft=3.0),
    Style("slow half", soft=3.0, aimless=0.4),
    Style("no missions", mission=0.0),
    Style("missions first", mission=1.5),
    Style("maximiser", against=0.0),
    Style("spoiler", own=0.15, against=1.5),
    Style("gambler", gamble=1.0),
    Style("blurred", noise=2.0),
    Style("very blurred", noise=6.0),
)
"""From the best to chance alone."""
DENSE = (
    *(Style(f"aimless {share:.2f}", aimless=share) for share in (0.0, 0.02, 0.04, 0.06, 0.08)),
    Style("slow 1.5", soft=1.5),
    Style("slow 2", soft=2.0),
    Style("slow 3", soft=3.0),
    Style("maximiser", against=0.0),
    Style("against 0.25", against=0.25),
    Style("against 0.75", against=0.75),
    Style("against 1", against=1.0),
    Style("mission 0.25", mission=0.25),
    Style("mission 1", mission=1.0),
    Style("gamble 0.2", gamble=0.2),
    Style("blurred 0.5", noise=0.5),
)
"""Sixteen that are about as good as the greedy one."""
