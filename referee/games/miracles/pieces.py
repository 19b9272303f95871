"""Neighbourhoods, spots, rogues and Plot cards, and their names.

Numbers equal those of the protocol's enums, so encoding needs no table.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple


class Neighbourhood(IntEnum):
    """The five neighbourhoods."""

    TAVERNE = 1
    LES_HALLES = 2
    LE_CHATELET = 3
    RUE_DE_L_EGYPTIENNE = 4
    GRANDE_COUR = 5


class Rogue(IntEnum):
    """The face of a rogue token."""

    HENCHMAN = 1
    BEGGAR = 2
    RIGHT_HAND = 3
    BRUTE = 4
    PICKPOCKET = 5
    DEFROCKED_PRIEST = 6
    SOOTHSAYER = 7
    SWORDSMAN = 8
    COURTESAN = 9


class PlotCard(IntEnum):
    """The twelve kinds of Plot cards."""

    STRENGTH = 1
    THE_EMPRESS = 2
    JUDGMENT = 3
    THE_SUN = 4
    WHEEL_OF_FORTUNE = 5
    THE_DEVIL = 6
    THE_HANGED_MAN = 7
    THE_CHARIOT = 8
    THE_TOWER = 9
    THE_HERMIT = 10
    THE_FOOL = 11
    THE_EMPEROR = 12


class Spot(NamedTuple):
    """A place for one rogue. A spot identifies its token for everybody."""

    neighbourhood: Neighbourhood
    rank: int
    """1 (closest to the crown, wins ties) to 3 (farthest)."""


class RenownPlace(NamedTuple):
    """The place of a Renown token: a neighbourhood or a line, never both."""

    neighbourhood: Neighbourhood | None
    """None on the Renown Square."""
    line: int
    """1 to 5; 0 on a neighbourhood."""


RANKS = (1, 2, 3)
"""The ranks of the spots of a neighbourhood, from the crown outwards."""

SPOTS: tuple[Spot, ...] = tuple(Spot(place, rank) for place in Neighbourhood for rank in RANKS)
"""All fifteen spots, by neighbourhood, then by rank."""

LINES = (1, 2, 3, 4, 5)
"""The lines of the Renown Square."""

STARTING_ROGUES = (Rogue.HENCHMAN, Rogue.HENCHMAN, Rogue.BEGGAR)
"""Every player's rogues at the start; the Right-Hand waits at the Renown Square."""

BAG_SIZE = 12
"""Rogues in the bag at the start."""

PLOT_CARDS = 24
"""Plot cards in all."""

HAND_LIMIT = 4
"""Plot cards that a player may hold."""

RENOWN_TOKENS = 6
"""Renown tokens of a player; placing the last ends the game."""

STARTING_COINS = (1, 2, 3, 3, 3)
"""Coins at the start, in turn order."""

SEATS = range(2, 6)
"""Supported numbers of seats."""

_PLACE_NAMES: Mapping[int, str] = {
    Neighbourhood.TAVERNE: "Taverne",
    Neighbourhood.LES_HALLES: "Les Halles",
    Neighbourhood.LE_CHATELET: "Le Châtelet",
    Neighbourhood.RUE_DE_L_EGYPTIENNE: "Rue de l'Égyptienne",
    Neighbourhood.GRANDE_COUR: "Grande Cour",
}


def place_name(place: Neighbourhood) -> str:
    """Return the neighbourhood's name, such as "Le Châtelet"."""
    return _PLACE_NAMES[place]


def rogue_name(rogue: Rogue) -> str:
    """Return the rogue's name, such as "Defrocked Priest"."""
    name = rogue.name.replace("_", " ").title()
    return "Right-Hand" if rogue is Rogue.RIGHT_HAND else name


def plot_name(card: PlotCard) -> str:
    """Return the Plot card's name, such as "Wheel of Fortune"."""
    return card.name.replace("_", " ").title().replace(" Of ", " of ")


def spot_name(spot: Spot) -> str:
    """Return the spot's name, such as "Taverne 2"."""
    return f"{place_name(spot.neighbourhood)} {spot.rank}"
