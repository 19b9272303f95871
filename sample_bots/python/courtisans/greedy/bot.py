"""Looks one turn ahead: plays as if the game ended after this turn.

It tries the legal actions one by one and keeps the one that gives itself the most points. A spy
whose family is hidden counts as a part of a card in each family that it may be of.
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from courtyard_kit.courtisans import Action, Family, Placement, Position, Role, Side, run

from referee.games.courtisans.missions import MISSION_POINTS, MissionCounts, is_fulfilled
from referee.games.courtisans.scoring import weights

MOST_ACTIONS = 2000
"""The most actions tried. With assassins there can be far more; then these are drawn at random."""
ACTIONS_A_MS = 10
"""With little time left still fewer are tried: this number for each millisecond."""


class Table(NamedTuple):
    """The Queen's table, as far as points depend on it."""

    status: Mapping[Family, float]
    """From -1, fallen, to 1, esteemed: what each weight in a domain scores."""
    below: Mapping[Family, int]
    """Weight below the mat, as missions count it and hidden spies left out."""


class Domain(NamedTuple):
    """A domain, as far as points depend on it."""

    weight: Mapping[Family, float]
    in_missions: Mapping[Family, int]
    """Weight as missions count it, hidden spies left out."""
    roles: Mapping[Role, int]


class Forecast:
    """This seat's score if the game ended after an action."""

    def __init__(self, position: Position) -> None:
        self.position = position
        self.neighbour = (position.seat + 1) % position.seats
        self.noble = position.config.noble_weight_in_missions
        # Many actions have a placement in common: each is looked at once.
        self.table = cache(self._table)
        self.domain = cache(self._domain)

    def points(self, action: Action) -> float:
        """Return the points to expect from families and missions."""
        table = self.table(action.table, action.side)
        own = self.domain(self.position.seat, action.own_domain)
        to_neighbour = action.opponent_domain if action.opponent == self.neighbour else None
        counts = MissionCounts(
            own=own.in_missions,
            neighbour=self.domain(self.neighbour, to_neighbour).in_missions,
            roles=own.roles,
            below=table.below,
            esteemed=[family for family, status in table.status.items() if status > 0],
            fallen=[family for family, status in table.status.items() if status < 0],
        )
        fulfilled = sum([is_fulfilled(mission, counts) for mission in self.position.missions])
        families = sum([own.weight[family] * status for family, status in table.status.items()])
        return families + MISSION_POINTS * fulfilled

    def _table(self, placement: Placement, side: Side | None) -> Table:
        cards = self.position.table_after(placement, side)
        below = [card for card in cards if card.side is Side.BELOW]
        up = self.position.expected_weights(card for card in cards if card.side is Side.ABOVE)
        down = self.position.expected_weights(below)
        # One card decides a status; a part of a card is the chance that it does.
        status = {family: max(-1, min(1, up[family] - down[family])) for family in Family}
        return Table(status, weights(below, self.noble))

    def _domain(self, seat: int, placement: Placement | None) -> Domain:
        domain = self.position.domains[seat]
        cards = self.position.domain_after(seat, placement) if placement else domain
        return Domain(
            weight=self.position.expected_weights(cards),
            in_missions=weights(cards, self.noble),
            roles=Counter(card.role for card in cards),
        )


def choose(position: Position) -> Action:
    """Return the action that scores most, one of them at random if there are several."""
    actions = position.distinct_actions
    most = max(1, min(MOST_ACTIONS, ACTIONS_A_MS * position.time_ms, len(actions)))
    tried = [actions[number] for number in position.rng.sample(range(len(actions)), most)]
    return max(tried, key=Forecast(position).points)


if __name__ == "__main__":
    run(choose, name="greedy")
