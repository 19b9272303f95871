"""The print on the board, the tokens and the cards, as one value.

Not all printed tables are known. So a data set has a name and a version, and every part names its
source; an owner of the box can type in another set, for `referee.games.miracles.reading`, without
touching code.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from referee.games.miracles.pieces import LINES, RANKS, Neighbourhood, PlotCard, Rogue, Spot


class Source(IntEnum):
    """The source of an entry."""

    RULEBOOK = 1
    """The text of the printed rulebook."""
    RECONSTRUCTION = 2
    """Made up for this project, because no available source gives it."""
    PRINT = 3
    """Typed in from the printed board or cards by an owner of the game."""


class EffectKind(IntEnum):
    """An effect of a spot or a Renown Square line."""

    KING = 1
    """Spaces that the Penniless King moves."""
    COIN = 2
    """Coins from the reserve."""
    PLOT = 3
    """Plot cards to draw."""
    RIGHT_HAND = 4
    """Take the Right-Hand; on a line only."""


class Effect(NamedTuple):
    """A kind of effect and its amount."""

    kind: EffectKind
    amount: int
    """From 1; 1 for the Right-Hand."""


class NeighbourhoodData(NamedTuple):
    """One neighbourhood of the board."""

    source: Source
    spots: tuple[Effect, ...]
    """Three, indexed by rank - 1."""


class Wrath(NamedTuple):
    """A Wrath space of the King's path."""

    space: int
    """From 1 to the last before the final space."""
    neighbourhood: Neighbourhood | None
    """Gets a standoff; None: the active player chooses."""


class KingData(NamedTuple):
    """The path of the Penniless King, from space 0."""

    source: Source
    final_space: int
    wraths: tuple[Wrath, ...]
    """Ascending by space."""


class LineData(NamedTuple):
    """One line of the Renown Square."""

    source: Source
    cost: int
    """Coins."""
    bonus: Effect


class RogueData(NamedTuple):
    """One kind of rogue. Numbers without a use are 0."""

    source: Source
    """Of numbers without their own source."""
    bag: int
    """Copies in the bag."""
    strength: int
    coins: int = 0
    """Coins for a Beggar, Pickpocket or Soothsayer."""
    plots: int = 0
    """Plot cards that a Defrocked Priest or Soothsayer draws."""
    price: int = 0
    """Coins that a Swordsman may pay."""
    paid_strength: int = 0
    """A paid Swordsman's strength."""
    bag_source: Source | None = None
    """The source of `bag`; None: `source`."""
    strength_source: Source | None = None
    """The source of `strength`; None: `source`."""


class PlotCardData(NamedTuple):
    """One kind of Plot card."""

    source: Source
    """Of numbers without their own source."""
    copies: int
    amount: int = 0
    """Coins, cards, spaces or influence; 0 for a card without a number."""
    copies_source: Source | None = None
    """The source of `copies`; None: `source`."""


class BoardData(NamedTuple):
    """A whole data set. Public."""

    name: str
    version: int
    neighbourhoods: tuple[NeighbourhoodData, ...]
    """Five, indexed by neighbourhood number - 1."""
    king: KingData
    lines: tuple[LineData, ...]
    """Five, indexed by line - 1."""
    rogues: tuple[RogueData, ...]
    """Nine, indexed by rogue number - 1."""
    plot_cards: tuple[PlotCardData, ...]
    """Twelve, indexed by card number - 1."""

    @property
    def label(self) -> str:
        """The set's name in texts and records, such as "standard-reconstruction-1"."""
        return f"{self.name}-{self.version}"

    def spot(self, spot: Spot) -> Effect:
        """Return the effect of a spot."""
        return self.neighbourhoods[spot.neighbourhood - 1].spots[spot.rank - 1]

    def line(self, line: int) -> LineData:
        """Return a line of the Renown Square."""
        return self.lines[line - 1]

    def rogue(self, rogue: Rogue) -> RogueData:
        """Return a kind of rogue."""
        return self.rogues[rogue - 1]

    def plot_card(self, card: PlotCard) -> PlotCardData:
        """Return a kind of Plot card."""
        return self.plot_cards[card - 1]

    def wrath_at(self, space: int) -> Wrath | None:
        """Return the Wrath on a space of the King's path, or None."""
        return next((wrath for wrath in self.king.wraths if wrath.space == space), None)

    def bag(self) -> tuple[Rogue, ...]:
        """Return the bag's rogues at the start, by kind."""
        return tuple(rogue for rogue in Rogue for _ in range(self.rogue(rogue).bag))

    def all_plot_cards(self) -> tuple[PlotCard, ...]:
        """Return all Plot cards, by kind."""
        return tuple(card for card in PlotCard for _ in range(self.plot_card(card).copies))

    def to_mapping(self) -> dict[str, Any]:
        """Return the set as the mapping of a parsed TOML file."""
        return {
            "name": self.name,
            "version": self.version,
            "king": _king_mapping(self.king),
            "neighbourhoods": {
                key(place): _spots_mapping(self.neighbourhoods[place - 1])
                for place in Neighbourhood
            },
            "renown_square": {f"line_{line}": _line_mapping(self.line(line)) for line in LINES},
            "rogues": {
                key(rogue): _numbers(self.rogue(rogue), ROGUE_NUMBERS.get(rogue, ()))
                for rogue in Rogue
            },
            "plot_cards": {
                key(card): _numbers(self.plot_card(card), ("amount",) if card in COUNTING else ())
                for card in PlotCard
            },
        }


ROGUE_NUMBERS: Mapping[Rogue, tuple[str, ...]] = {
    Rogue.BEGGAR: ("coins",),
    Rogue.PICKPOCKET: ("coins",),
    Rogue.DEFROCKED_PRIEST: ("plots",),
    Rogue.SOOTHSAYER: ("coins", "plots"),
    Rogue.SWORDSMAN: ("price", "paid_strength"),
}
"""The numbers of abilities, by rogue."""

ROGUE_ALWAYS = ("bag", "strength")
"""The numbers of every rogue; each may have a source of its own."""

PLOT_CARD_ALWAYS = ("copies",)
"""The numbers of every Plot card; each may have a source of its own."""

COUNTING = frozenset(
    {
        PlotCard.JUDGMENT,
        PlotCard.THE_SUN,
        PlotCard.WHEEL_OF_FORTUNE,
        PlotCard.THE_DEVIL,
        PlotCard.THE_FOOL,
        PlotCard.THE_EMPEROR,
    }
)
"""The Plot cards with an amount."""


def source_name(number: str) -> str:
    """Return the key of a number's own source."""
    return f"{number}_source"


def key(member: IntEnum) -> str:
    """Return the data file key of a neighbourhood, rogue, card, source or effect."""
    return member.name.lower()


def _king_mapping(king: KingData) -> dict[str, Any]:
    wraths = {str(space): "choice" if place is None else key(place) for space, place in king.wraths}
    return {"source": key(king.source), "final_space": king.final_space, "wrath": wraths}


def _spots_mapping(data: NeighbourhoodData) -> dict[str, Any]:
    spots = {f"rank_{rank}": effect_text(data.spots[rank - 1]) for rank in RANKS}
    return {"source": key(data.source), **spots}


def _line_mapping(data: LineData) -> dict[str, Any]:
    return {"source": key(data.source), "cost": data.cost, "bonus": effect_text(data.bonus)}


def _numbers(data: RogueData | PlotCardData, extra: tuple[str, ...]) -> dict[str, Any]:
    always = ROGUE_ALWAYS if isinstance(data, RogueData) else PLOT_CARD_ALWAYS
    numbers = {name: getattr(data, name) for name in (*always, *extra)}
    sources = {name: getattr(data, name) for name in map(source_name, always)}
    given = {name: key(source) for name, source in sources.items() if source is not None}
    return {"source": key(data.source), **numbers, **given}


def effect_text(effect: Effect) -> str:
    """Return an effect as in a data file, such as "king 2" or "right_hand"."""
    kind, amount = effect
    return key(kind) if kind is EffectKind.RIGHT_HAND else f"{key(kind)} {amount}"
