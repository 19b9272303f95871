"""An observation as a vector, for learners.

Seats stand relative to the reader, so that what was learned on one seat holds on all.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any

from referee.games.base import Seat
from referee.games.miracles.observation import Control, Decision, Observation, Player, RogueInPlay
from referee.games.miracles.pieces import LINES, SPOTS, Neighbourhood, PlotCard, Rogue

_ROGUES, _CARDS = tuple(Rogue), tuple(PlotCard)
_PLACES, _DECISIONS = tuple(Neighbourhood), tuple(Decision)  # an enum takes long to iterate


def features_of(seen: Observation) -> Sequence[float]:
    """Return an observation as numbers from 0, always as many for one number of seats.

    A kind is one number for each that there is, 1 for that one; pieces are counted by kind. In this
    order: round, turn, what was done in this turn, the King; the kind of decision; by seat, the
    reader first, its public facts; of each neighbourhood, its controller and tokens; of each spot,
    owner, kind and whether it lies face up; the reader's rogues, the drawn one, the sunk ones; its
    Plot cards, the one in play, the discards; the sizes of piles; the standoffs.
    """
    seats = len(seen.players)
    order = [(seen.seat + step) % seats for step in range(seats)]
    flags = (seen.acted, seen.plot_played, seen.emperor, seen.king_stopped)
    vector: list[float] = [seen.round, seen.turn, seen.king, *map(float, flags)]
    vector += _one_of(_DECISIONS, seen.decision)
    vector += _one_of(_PLACES, seen.visited)
    vector += _one_of(SPOTS, seen.placed)
    vector += _one_of(order, seen.active)
    for seat in order:
        vector += _player(seen.players[seat])
    for control in seen.controls:
        vector += _control(control, order)
    lying = {rogue.spot: rogue for rogue in seen.in_play}
    for spot in SPOTS:
        vector += _rogue(lying.get(spot), order)
    vector += _counted(_ROGUES, seen.rogues) + _one_of(_ROGUES, seen.drawn)
    vector += _counted(_ROGUES, seen.sunk) + _counted(_CARDS, seen.plots)
    vector += _one_of(_CARDS, seen.playing) + _counted(_CARDS, seen.discards)
    vector += [seen.pile_size, seen.bag_size, seen.seine_size]
    standoff = seen.standoff
    vector += _one_of(_PLACES, standoff.neighbourhood if standoff else None)
    vector += [float(standoff.asked_rank) if standoff else 0.0]
    return vector + [float(place in seen.pending) for place in _PLACES]


def _one_of(kinds: Sequence[Any], one: Any) -> list[float]:
    return [float(kind == one) for kind in kinds]


def _counted(kinds: Sequence[IntEnum], pieces: Iterable[IntEnum]) -> list[float]:
    counts = [0.0] * len(kinds)
    for piece in pieces:
        counts[piece - 1] += 1
    return counts


def _player(one: Player) -> list[float]:
    lines = [float(line in one.lines) for line in LINES]
    facts = (one.coins, one.rogues_at_hand, one.plot_cards, one.renown, one.right_hand_taken)
    return [*map(float, facts), *lines]


def _control(control: Control | None, order: Sequence[Seat]) -> list[float]:
    if control is None:
        return [0.0] * (len(order) + 1)
    return [*_one_of(order, control.seat), control.tokens]


def _rogue(lying: RogueInPlay | None, order: Sequence[Seat]) -> list[float]:
    if lying is None:
        return [0.0] * (len(order) + len(_ROGUES) + 1)
    faces = _one_of(_ROGUES, lying.rogue)
    return [*_one_of(order, lying.owner), *faces, float(lying.revealed)]
