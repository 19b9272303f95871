"""An observation as a vector, for learners.

Cards are counted: their order in an area means nothing. Seats stand relative to the reader, so that
what was learned on one seat holds on all.
"""

from collections.abc import Iterable, Mapping, Sequence

from referee.games.courtisans.cards import CARDS, Family, Role, Side
from referee.games.courtisans.missions import BLUE, WHITE
from referee.games.courtisans.observation import CardInPlay, Observation

_KINDS: Mapping[tuple[Family | None, Role], int] = {
    (family, role): place for place, (family, role) in enumerate(dict.fromkeys(CARDS))
}
"""The place of each kind of card in a count, by family, then by role."""
_HIDDEN = len(_KINDS)
"""The place of spies that lie face down."""
_PLACES = {**_KINDS, (None, Role.SPY): _HIDDEN}


def features_of(seen: Observation) -> Sequence[float]:
    """Return an observation as numbers from 0, always as many for one number of seats.

    In this order: the turn, the cards in the deck; how many of each kind are at hand; the white and
    the blue mission, a number for each that there is; by seat, the reader first, the turns left;
    above the mat, below it, and in each domain, the cards of each kind, then the spies face down;
    how many of each kind the reader has never seen.
    """
    seats = len(seen.domains)
    order = [(seen.seat + step) % seats for step in range(seats)]
    vector: list[float] = [seen.turn, seen.deck_size]
    at_hand = _counted([(family, role) for family, role in seen.hand])
    vector += at_hand[:_HIDDEN]
    vector += [float(mission is seen.white) for mission in WHITE]
    vector += [float(mission is seen.blue) for mission in BLUE]
    vector += [seen.turns_left[seat] for seat in order]
    areas = [
        _lying(card for card in seen.table if card.side is Side.ABOVE),
        _lying(card for card in seen.table if card.side is Side.BELOW),
        *[_lying(seen.domains[seat]) for seat in order],
    ]
    gone = _lying(card for card, _ in seen.eliminated)
    for area in areas:
        vector += area
    known = [sum(counts) for counts in zip(at_hand, gone, *areas, strict=True)]
    return vector + [copies - seen for copies, seen in zip(_COPIES, known, strict=False)]


def _counted(kinds: Iterable[tuple[Family | None, Role]]) -> list[float]:
    counts = [0.0] * (_HIDDEN + 1)
    for kind in kinds:
        counts[_PLACES[kind]] += 1
    return counts


def _lying(cards: Iterable[CardInPlay]) -> list[float]:
    return _counted([(card.family, card.role) for card in cards])


_COPIES = _counted([(family, role) for family, role in CARDS])[:_HIDDEN]
