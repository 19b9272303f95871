"""The changing state of a game, and queries on it."""

from typing import NamedTuple

from referee.games.base import Seat
from referee.games.miracles.agenda import StandoffsStep, Step, turn_steps
from referee.games.miracles.data import BoardData
from referee.games.miracles.deal import Deal
from referee.games.miracles.facts import Board
from referee.games.miracles.observation import Control, Standoff
from referee.games.miracles.pieces import (
    SPOTS,
    STARTING_COINS,
    STARTING_ROGUES,
    Neighbourhood,
    PlotCard,
    RenownPlace,
    Rogue,
    Spot,
)
from referee.games.miracles.scoring import Ending

_PLACES = tuple(Neighbourhood)  # an enum takes ten times as long to iterate


class Sunk(NamedTuple):
    """A rogue in the Seine."""

    seat: Seat
    """Sank the rogue, and alone knows it."""
    rogue: Rogue


class Position(NamedTuple):
    """The full state at one moment, without the constants (configuration and deal)."""

    turn: int
    """From 1, over the whole game."""
    active: Seat
    agenda: tuple[Step, ...]
    """The next step first; empty when the game is over. The first one always asks its seat."""
    placed: Spot | None
    visited: Neighbourhood | None
    acted: bool
    plot_played: bool
    emperor: bool
    king: int
    king_stopped: bool
    coins: tuple[int, ...]
    hands: tuple[tuple[Rogue, ...], ...]
    """Each seat's rogues at hand, sorted so that their order hides how they came."""
    right_hands: tuple[bool, ...]
    """Whether each seat has taken its Right-Hand."""
    lines: tuple[tuple[int, ...], ...]
    """Each seat's lines of the Renown Square, ascending."""
    controls: tuple[Control | None, ...]
    board: Board
    plots: tuple[tuple[PlotCard, ...], ...]
    """Each seat's Plot cards, sorted."""
    playing: PlotCard | None
    pile: tuple[PlotCard, ...]
    """In draw order."""
    discards: tuple[PlotCard, ...]
    """Sorted."""
    reshuffles: int
    bag: tuple[Rogue, ...]
    """In draw order."""
    drawn: Rogue | None
    seine: tuple[Sunk, ...]
    standoff: Standoff | None
    ending: Ending | None


def initial_position(deal: Deal) -> Position:
    """Return the position before the first decision of a checked deal."""
    seats, first = len(deal.hands), deal.starting_seat
    return Position(
        turn=1,
        active=first,
        agenda=turn_steps(first),
        placed=None,
        visited=None,
        acted=False,
        plot_played=False,
        emperor=False,
        king=0,
        king_stopped=False,
        coins=tuple(STARTING_COINS[(seat - first) % seats] for seat in range(seats)),
        hands=(tuple(sorted(STARTING_ROGUES)),) * seats,
        right_hands=(False,) * seats,
        lines=((),) * seats,
        controls=(None,) * len(Neighbourhood),
        board=(),
        plots=tuple((card,) for card in deal.hands),
        playing=None,
        pile=deal.pile,
        discards=(),
        reshuffles=0,
        bag=deal.bag,
        drawn=None,
        seine=(),
        standoff=None,
        ending=None,
    )


def round_of(position: Position) -> int:
    """Return the number of the round, from 1."""
    return 1 + (position.turn - 1) // len(position.coins)


def free_spots(position: Position) -> tuple[Spot, ...]:
    """Return the spots without a rogue, in their order."""
    taken = {fact.public.spot for fact in position.board}
    return tuple([spot for spot in SPOTS if spot not in taken])


def spots_of(position: Position, *, own: bool) -> tuple[Spot, ...]:
    """Return the spots of the active seat's (`own`) or all other rogues."""
    active = position.active
    return tuple(
        [fact.public.spot for fact in position.board if (fact.public.owner == active) is own]
    )


def renown_of(position: Position, seat: Seat) -> int:
    """Return how many Renown tokens the seat has in play."""
    tokens = sum([one.tokens for one in position.controls if one and one.seat == seat])
    return tokens + len(position.lines[seat])


def controlled_by(position: Position, seat: Seat) -> tuple[Neighbourhood, ...]:
    """Return the neighbourhoods that the seat controls."""
    controls = zip(_PLACES, position.controls, strict=True)
    return tuple([place for place, one in controls if one and one.seat == seat])


def uncontrolled(position: Position) -> tuple[Neighbourhood, ...]:
    """Return the uncontrolled neighbourhoods."""
    controls = zip(_PLACES, position.controls, strict=True)
    return tuple([place for place, one in controls if one is None])


def renown_places(position: Position, seat: Seat) -> tuple[RenownPlace, ...]:
    """Return the places of the seat's Renown tokens: neighbourhoods, then lines."""
    places = [RenownPlace(place, 0) for place in controlled_by(position, seat)]
    return (*places, *[RenownPlace(None, line) for line in position.lines[seat]])


def may_play(position: Position) -> bool:
    """Return whether the active seat holds a Plot card and has not played one in this turn.

    The answer uses public facts alone, so asking a seat reveals nothing.
    """
    return bool(position.plots[position.active]) and not position.plot_played


def may_interrupt(position: Position) -> bool:
    """Return whether the active seat is asked, before the standoffs begin."""
    agenda = position.agenda
    before = any(isinstance(step, StandoffsStep) for step in agenda)
    return before and agenda[0].seat == position.active


def can_act(position: Position, data: BoardData) -> bool:
    """Return whether the action of the neighbourhood just visited can be performed.

    The answer uses public facts alone, so asking a seat reveals nothing.
    """
    seat, place = position.active, position.visited
    if place is None or position.acted:
        return False
    if place is Neighbourhood.TAVERNE:
        return bool(position.hands[seat] and position.bag)
    if place is Neighbourhood.LES_HALLES:
        return bool(affordable_lines(position, data))
    if place is Neighbourhood.RUE_DE_L_EGYPTIENNE:
        return len(position.board) > 1
    return True


def affordable_lines(position: Position, data: BoardData) -> tuple[int, ...]:
    """Return the lines of the Renown Square that the active seat can buy with its coins."""
    seat = position.active
    coins, held = position.coins[seat], position.lines[seat]
    return tuple(
        [
            number
            for number, line in enumerate(data.lines, 1)
            if number not in held and line.cost <= coins
        ]
    )
