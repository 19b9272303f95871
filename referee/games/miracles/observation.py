"""One seat's observation and legal actions, as values."""

from enum import IntEnum
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot


class Decision(IntEnum):
    """The decision of the seat to act."""

    PLACE = 1
    """Place (or move) a rogue, or first play a Plot card."""
    ACT = 2
    """Perform the neighbourhood's action, play a Plot card, or end the turn."""
    SINK = 3
    """Which rogue to sink: the one just drawn from the bag or one at hand."""
    DISCARD = 4
    """Which Plot card to discard, to make room for the cards to draw."""
    WRATH = 5
    """Which neighbourhood the Wrath hits."""
    ORDER = 6
    """Which standoff comes next."""
    SWORDSMAN = 7
    """Whether to pay a revealed Swordsman."""
    LONE = 8
    """Whether to reveal a rogue that is alone in its standoff."""
    COURTESAN = 9
    """Where the Renown token of a standoff won with a Courtesan goes."""
    EFFECT = 10
    """Which Plot card to play before the spot takes effect; only on request."""


class RogueInPlay(NamedTuple):
    """A rogue on the board."""

    spot: Spot
    owner: Seat
    rogue: Rogue | None
    """None if hidden from the reader."""
    revealed: bool
    """Whether it lies face up, in the current standoff."""


class Control(NamedTuple):
    """Control of a neighbourhood."""

    seat: Seat
    tokens: int
    """Renown tokens there: 1, or more with `controller_places_again`."""


class Player(NamedTuple):
    """The public facts of one player."""

    coins: int
    rogues_at_hand: int
    plot_cards: int
    """Cards at hand."""
    lines: tuple[int, ...]
    """The player's lines of the Renown Square, ascending."""
    renown: int
    """Renown tokens in play, on lines and neighbourhoods."""
    right_hand_taken: bool


class Standoff(NamedTuple):
    """The current standoff."""

    neighbourhood: Neighbourhood
    paid: tuple[int, ...]
    """The ranks of paid Swordsmen, in the order paid."""
    winner: Seat | None
    """None until known."""
    asked_rank: int
    """The rank of the rogue that the decision is about (Swordsman, lone rogue); otherwise 0."""


class Observation(NamedTuple):
    """All that one seat may know now."""

    seat: Seat
    """The reader's own."""
    round: int
    """From 1."""
    turn: int
    """From 1, over the whole game."""
    active: Seat
    """Whose turn it is."""
    to_act: Seat | None
    """Decides next; None when the game is over."""
    decision: Decision | None
    """The question; None when the game is over."""
    placed: Spot | None
    """Spot of the rogue that the active seat put or moved in its first step; None before.

    Follows the rogue when a card moves it; None once the rogue has left the board.
    """
    visited: Neighbourhood | None
    """The neighbourhood of that first step, whose action is open; None before."""
    acted: bool
    """Whether the neighbourhood's action was performed in this turn."""
    plot_played: bool
    """Whether a Plot card was played in this turn."""
    emperor: bool
    """Whether that was The Emperor."""
    king: int
    """The space of the Penniless King."""
    king_stopped: bool
    """Whether he met a Wrath in this turn."""
    players: tuple[Player, ...]
    """Indexed by seat."""
    controls: tuple[Control | None, ...]
    """Five, indexed by neighbourhood number - 1."""
    in_play: tuple[RogueInPlay, ...]
    """By neighbourhood, then by rank."""
    rogues: tuple[Rogue, ...]
    """The reader's at hand, sorted."""
    drawn: Rogue | None
    """The rogue the reader drew from the bag, until it chooses which to sink; otherwise None."""
    plots: tuple[PlotCard, ...]
    """The reader's hand, sorted."""
    playing: PlotCard | None
    """The Plot card taking effect; discarded afterwards."""
    discards: tuple[PlotCard, ...]
    """The discarded Plot cards, sorted."""
    pile_size: int
    bag_size: int
    seine_size: int
    """Rogues in the Seine."""
    sunk: tuple[Rogue, ...]
    """Those the reader sank, sorted."""
    standoff: Standoff | None
    """None between standoffs."""
    pending: tuple[Neighbourhood, ...]
    """The other standoffs due in this turn, ascending; empty before they begin."""


class Legal(NamedTuple):
    """The legal actions in short form: kinds of action with their parameters.

    An empty list closes its option. Free choices multiply: any of `rogues` to any of `targets`.
    """

    decision: Decision | None
    """None when the game is over."""
    rogues: tuple[Rogue, ...] = ()
    """PLACE: rogues to place. SINK: rogues at hand to sink; the drawn one is always legal."""
    origins: tuple[Spot, ...] = ()
    """PLACE: own rogues to move, when none is at hand. ACT: rogues for the Rue de l'Égyptienne."""
    targets: tuple[Spot, ...] = ()
    """Free spots, for placing, for moving and for The Chariot."""
    may_stay: bool = False
    """PLACE: whether a rogue may move to its own spot (`move_may_stay`)."""
    perform: bool = False
    """ACT: whether PerformAction is open."""
    lines: tuple[int, ...] = ()
    """ACT: the lines for BuyRenown."""
    end_turn: bool = False
    """ACT: whether EndTurn is open (always)."""
    cards: tuple[PlotCard, ...] = ()
    """Plot cards to play now, but DISCARD: Plot cards to discard."""
    neighbourhoods: tuple[Neighbourhood, ...] = ()
    """WRATH, ORDER, COURTESAN: the choices."""
    empress_tokens: tuple[RenownPlace, ...] = ()
    empress_targets: tuple[Neighbourhood, ...] = ()
    devil_opponents: tuple[Seat, ...] = ()
    hanged_man_spots: tuple[Spot, ...] = ()
    chariot_origins: tuple[Spot, ...] = ()
    tower_spots: tuple[Spot, ...] = ()
    """Any two in different neighbourhoods, the lower number first."""
    hermit_spots: tuple[Spot, ...] = ()
    fool_spaces: int = 0
    """At most this many; 0 without a playable Fool."""
    plot_first: bool = False
    """PLACE: whether the spot may wait for a Plot card (`plot_first` of an action)."""
    playable: tuple[PlotCard, ...] = ()
    """DISCARD: Plot cards to play now instead."""
