"""All legal actions of one turn, without listing them.

Three assassins and many cards in play make hundreds of thousands. They fall into blocks that put
the same card into each area; within a block, side, targets and opponent vary independently. So a
block's size is a product, and an action's index decodes like a mixed-radix number.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card, Role, Side
from referee.games.courtisans.observation import Legal

_SIDES = (Side.ABOVE, Side.BELOW)
_NO_TARGET = (0,)
_ASSASSIN = Role.ASSASSIN


class _Block(NamedTuple):
    """Actions with the same card in each area."""

    cards: tuple[Card, ...]
    """For the table, the own domain and the opponent's, in this order."""
    at_table: Sequence[int]
    """The card's possible targets there; 0: none."""
    in_own: Sequence[int]
    """The same in the own domain."""
    in_others: Sequence[tuple[Seat, int]]
    """Each opponent with each possible target there; 0: none."""

    size: int
    """The number of actions."""

    def action(self, number: int) -> Action:
        """Return the action at this index, 0 to size - 1."""
        number, side = divmod(number, len(_SIDES))
        number, first = divmod(number, len(self.at_table))
        third, second = divmod(number, len(self.in_own))
        table, own_domain, opponent_domain = self.cards
        opponent, target = self.in_others[third]
        return Action(
            table=Placement(table, self.at_table[first]),
            side=_SIDES[side],
            own_domain=Placement(own_domain, self.in_own[second]),
            opponent_domain=Placement(opponent_domain, target),
            opponent=opponent,
        )


class Turns:
    """The distinct legal actions of one turn, indexed from 0.

    Swapping two equal cards makes no new action. `len`, indexing and iteration work as on a list;
    `len` and indexing take constant time. A bot can build one from the seat and the hand in its
    observation and from the legal form.
    """

    def __init__(self, seat: Seat, hand: tuple[Card, ...], legal: Legal) -> None:
        self._blocks = _blocks(seat, hand, legal)
        self._size = sum([block.size for block in self._blocks])

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, number: int) -> Action:
        """Return the action at this index; raise `IndexError` out of range."""
        left = number
        for block in self._blocks if number >= 0 else ():
            if left < block.size:
                return block.action(left)
            left -= block.size
        raise IndexError(f"there is no action {number}, only 0 to {self._size - 1}")

    def __iter__(self) -> Iterator[Action]:
        return (block.action(number) for block in self._blocks for number in range(block.size))


def _blocks(seat: Seat, hand: tuple[Card, ...], legal: Legal) -> list[_Block]:
    opponents = legal.opponents
    at_table = (0, *legal.table_targets)
    in_own = (0, *legal.domain_targets[seat])
    in_others = [(other, turn) for other in opponents for turn in (0, *legal.domain_targets[other])]
    in_others_untargeted = [(other, 0) for other in opponents]
    blocks = []
    for cards in dict.fromkeys(permutations(hand)) if hand else ():
        first, second, third = cards
        tables = at_table if first.role is _ASSASSIN else _NO_TARGET
        own = in_own if second.role is _ASSASSIN else _NO_TARGET
        others = in_others if third.role is _ASSASSIN else in_others_untargeted
        size = len(_SIDES) * len(tables) * len(own) * len(others)
        blocks.append(_Block(cards, tables, own, others, size))
    return blocks
