"""All pieces of La Cour des Miracles at one moment, quick to copy.

A spot is a number from 0 to 14, a neighbourhood from 0 to 4, and a step of the agenda a tuple.
"""

from functools import cache
from typing import Any, Self

from courtyard_kit.miracles import Config, PlotCard, Spot
from referee.games.miracles.agenda import Step as RulesStep
from referee.games.miracles.facts import rogue_of
from referee.games.miracles.pieces import LINES, SPOTS, Neighbourhood
from referee.games.miracles.state import MiraclesState

Step = tuple[Any, ...]
"""The class of the rules' step, its seat, and what else it needs."""

PLACES = tuple(Neighbourhood)
TAVERNE, LES_HALLES, LE_CHATELET, RUE, GRANDE_COUR = range(5)
ALL_SEATS = -1
"""Who sees a rogue that lies face up, as the bits of seats."""


def spot_number(spot: Spot) -> int:
    """Return the number of a spot."""
    return 3 * spot[0] + spot[1] - 4


class Print:
    """What is printed on the board and the pieces, by number."""

    def __init__(self, config: Config) -> None:
        data = config.data
        self.effects = [data.spot(spot) for spot in SPOTS]
        self.lines: list[Any] = [None, *data.lines]
        self.rogues: list[Any] = [None, *data.rogues]
        self.amounts = [0, *[card.amount for card in data.plot_cards]]
        self.final = data.king.final_space
        self.wraths: dict[int, int] = {
            space: place - 1 if place else ALL_SEATS for space, place in data.king.wraths
        }
        """Where there is a Wrath, the neighbourhood; -1 for the choice."""


print_of = cache(Print)


class Pieces:
    """All pieces of one game at one moment."""

    def __init__(self, state: MiraclesState) -> None:
        now = state.position
        self.config, self.deal = state.config, state.deal
        self.print = print_of(state.config)
        self.seats = len(now.coins)
        self.agenda = [_step(step) for step in reversed(now.agenda)]
        """The next step last."""
        self.over = now.ending is not None
        self.turn, self.active = now.turn, now.active
        self.placed = spot_number(now.placed) if now.placed else None
        self.visited = now.visited - 1 if now.visited else None
        self.acted, self.plot_played, self.emperor = now.acted, now.plot_played, now.emperor
        self.king, self.king_stopped = now.king, now.king_stopped
        self.coins = [*now.coins]
        self.hands = [[*hand] for hand in now.hands]
        self.right_hands = [*now.right_hands]
        self.lines = [[*lines] for lines in now.lines]
        self.controls = [one.seat if one else None for one in now.controls]
        self.tokens = [one.tokens if one else 0 for one in now.controls]
        self.renown = [
            len(lines) + sum(one.tokens for one in now.controls if one and one.seat == seat)
            for seat, lines in enumerate(now.lines)
        ]
        self.owners: list[int | None] = [None] * len(SPOTS)
        self.faces: list[Any] = [None] * len(SPOTS)
        self.seers = [0] * len(SPOTS)
        """Who may know a face, as the bits of seats."""
        for fact in now.board:
            spot = spot_number(fact.public.spot)
            self.owners[spot], self.faces[spot] = fact.public.owner, rogue_of(fact)
            known = sum([1 << seat for seat in fact.seers])
            self.seers[spot] = ALL_SEATS if fact.public.revealed else known
        self.plots = [[*plots] for plots in now.plots]
        self.playing = now.playing
        self.pile, self.bag = [*reversed(now.pile)], [*reversed(now.bag)]
        """The next one last."""
        self.discards, self.reshuffles = [*now.discards], now.reshuffles
        self.drawn: Any = now.drawn
        self.contested: int | None = None
        self.paid: list[int] = []
        self.winner: int | None = None
        if now.standoff:
            place = self.contested = now.standoff.neighbourhood - 1
            self.paid = [3 * place + rank - 1 for rank in now.standoff.paid]
            self.winner = now.standoff.winner

    def copy(self) -> Self:
        """Return the same game, to be played on apart."""
        other = self.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.agenda, other.coins = self.agenda[:], self.coins[:]
        other.hands = [hand[:] for hand in self.hands]
        other.right_hands = self.right_hands[:]
        other.lines = [lines[:] for lines in self.lines]
        other.controls, other.tokens = self.controls[:], self.tokens[:]
        other.renown = self.renown[:]
        other.owners, other.faces, other.seers = self.owners[:], self.faces[:], self.seers[:]
        other.plots = [plots[:] for plots in self.plots]
        other.pile, other.bag, other.discards = self.pile[:], self.bag[:], self.discards[:]
        other.paid = self.paid[:]
        return other

    @property
    def asked(self) -> Step:
        """The step that asks a seat, while the game is not over."""
        return self.agenda[-1]

    def controlled(self, seat: int) -> int:
        """Return how many neighbourhoods a seat controls."""
        return self.controls.count(seat)

    def there(self, place: int) -> list[int]:
        """Return the spots of a neighbourhood that hold a rogue."""
        first, owners = 3 * place, self.owners
        return [spot for spot in (first, first + 1, first + 2) if owners[spot] is not None]

    def affordable(self, seat: int) -> list[int]:
        """Return the lines that a seat can buy."""
        coins, held, lines = self.coins[seat], self.lines[seat], self.print.lines
        return [line for line in LINES if line not in held and lines[line].cost <= coins]

    def can_act(self) -> bool:
        """Return whether the action of the neighbourhood just visited can be performed."""
        place = self.visited
        if place is None or self.acted:
            return False
        if place == TAVERNE:
            return bool(self.hands[self.active] and self.bag)
        if place == LES_HALLES:
            return bool(self.affordable(self.active))
        return place != RUE or self.owners.count(None) < len(SPOTS) - 1

    def may_play(self) -> bool:
        """Return whether the active seat holds a Plot card and has played none in this turn."""
        return not self.plot_played and bool(self.plots[self.active])

    def swap(self, one: int, other: int) -> None:
        """Let the rogues on two spots change places."""
        rows: tuple[list[Any], ...] = (self.owners, self.faces, self.seers)
        for row in rows:
            row[one], row[other] = row[other], row[one]

    def totals(self, shown: list[int], paid: list[int]) -> dict[int, int]:
        """Return the strength of each owner of these rogues, in the order of ranks."""
        totals: dict[int, int] = {}
        for spot in shown:
            owner, data = self.owners[spot] or 0, self.print.rogues[self.faces[spot]]
            strength = data.paid_strength if spot in paid else data.strength
            totals[owner] = totals.get(owner, 0) + strength
        if self.emperor and self.active in totals:
            totals[self.active] += self.print.amounts[PlotCard.THE_EMPEROR]
        return totals


def _step(step: RulesStep) -> Step:
    """Return a step of the rules' agenda as one of this one."""
    values = [
        spot_number(value)
        if isinstance(value, Spot)
        else tuple([place - 1 for place in value])
        if isinstance(value, tuple)
        else value
        for value in step
    ]
    return (type(step), *values)
