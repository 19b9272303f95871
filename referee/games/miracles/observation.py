"""What one seat may know, and what it may do, as values."""

from enum import IntEnum
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.pieces import Neighbourhood, PlotCard, RenownPlace, Rogue, Spot


class Decision(IntEnum):
    """What the seat to act is asked."""

    PLACE = 1
    """Place (or move) a rogue, or first play a Plot card."""
    ACT = 2
    """Perform the neighbourhood's action, play a Plot card, or end the turn."""
    SINK = 3
    """Which rogue goes into the Seine: the one just drawn from the bag or one at hand."""
    DISCARD = 4
    """Which Plot card goes, so that the hand limit leaves room for the cards to draw."""
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
    """Which Plot card is played before the spot takes effect; asked of who wanted to be asked."""


class RogueInPlay(NamedTuple):
    """A rogue on the board."""

    spot: Spot
    owner: Seat
    rogue: Rogue | None
    """None where its face is hidden from the reader."""
    revealed: bool
    """Whether it lies face up, in the standoff that is being settled."""


class Control(NamedTuple):
    """Who controls a neighbourhood."""

    seat: Seat
    tokens: int
    """Their Renown tokens there: 1, or more with `controller_places_again`."""


class Player(NamedTuple):
    """What everybody may know of one player."""

    coins: int
    rogues_at_hand: int
    plot_cards: int
    """How many they hold."""
    lines: tuple[int, ...]
    """The lines of the Renown Square where they have a token, ascending."""
    renown: int
    """Their Renown tokens in play, on lines and neighbourhoods."""
    right_hand_taken: bool


class Standoff(NamedTuple):
    """The standoff that is being settled."""

    neighbourhood: Neighbourhood
    paid: tuple[int, ...]
    """The ranks of Swordsmen who were paid, in the order paid."""
    winner: Seat | None
    """None until it is known."""
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
    """Who decides next; None when the game is over."""
    decision: Decision | None
    """What they are asked; None when the game is over."""
    placed: Spot | None
    """Where the rogue lies that the active seat put or moved in its first step; None before.

    It follows the token when a card moves it, and is None once the token has left the board.
    """
    visited: Neighbourhood | None
    """The neighbourhood of that first step, whose action may be performed; None before."""
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
    """The index is the seat."""
    controls: tuple[Control | None, ...]
    """Five; the index is the neighbourhood's number - 1."""
    in_play: tuple[RogueInPlay, ...]
    """By neighbourhood, then by rank."""
    rogues: tuple[Rogue, ...]
    """The reader's at hand, sorted."""
    drawn: Rogue | None
    """What the reader has drawn from the bag, until it says which rogue goes; otherwise None."""
    plots: tuple[PlotCard, ...]
    """The reader's hand, sorted."""
    playing: PlotCard | None
    """The Plot card that is taking effect; discarded after it."""
    discards: tuple[PlotCard, ...]
    """The discarded Plot cards, sorted."""
    pile_size: int
    bag_size: int
    seine_size: int
    """Rogues in the Seine."""
    sunk: tuple[Rogue, ...]
    """What the reader put there, sorted."""
    standoff: Standoff | None
    """None when none is being settled."""
    pending: tuple[Neighbourhood, ...]
    """The other standoffs that are due in this turn, ascending; empty before they begin."""


class Legal(NamedTuple):
    """What the seat to act may do: its kinds of action with their parameters.

    An empty list closes what it is for. Free choices multiply: any of `rogues` to any of `targets`.
    """

    decision: Decision | None
    """None when the game is over."""
    rogues: tuple[Rogue, ...] = ()
    """PLACE: which may be placed. SINK: which of those at hand may go; the drawn one always may."""
    origins: tuple[Spot, ...] = ()
    """PLACE: own rogues to move, when none is at hand. ACT: rogues for the Rue de l'Égyptienne."""
    targets: tuple[Spot, ...] = ()
    """Free spots, for placing, for moving and for The Chariot."""
    may_stay: bool = False
    """PLACE: whether a rogue may be moved to where it is (`move_may_stay`)."""
    perform: bool = False
    """ACT: whether PerformAction is open."""
    lines: tuple[int, ...] = ()
    """ACT: the lines for BuyRenown."""
    end_turn: bool = False
    """ACT: whether EndTurn is open (always)."""
    cards: tuple[PlotCard, ...] = ()
    """Plot cards that may be played now, but DISCARD: those that may be discarded."""
    neighbourhoods: tuple[Neighbourhood, ...] = ()
    """WRATH, ORDER, COURTESAN: which may be chosen."""
    empress_tokens: tuple[RenownPlace, ...] = ()
    empress_targets: tuple[Neighbourhood, ...] = ()
    devil_opponents: tuple[Seat, ...] = ()
    hanged_man_spots: tuple[Spot, ...] = ()
    chariot_origins: tuple[Spot, ...] = ()
    tower_spots: tuple[Spot, ...] = ()
    """Any two in different neighbourhoods, that of the lower number first."""
    hermit_spots: tuple[Spot, ...] = ()
    fool_spaces: int = 0
    """At most so many; 0 when The Fool cannot be played."""
    plot_first: bool = False
    """PLACE: whether the spot may wait for a Plot card (`plot_first` of an action)."""
    playable: tuple[PlotCard, ...] = ()
    """DISCARD: Plot cards that may be played now instead."""
