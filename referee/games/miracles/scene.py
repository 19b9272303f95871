"""La Cour des Miracles for a web page: events and the tokens they move.

Public keys:

    turn, round, active    the turn, the round and the active seat
    act, ask               the seat that decides next, and its decision (a word)
    king, stopped          the King's space, and whether a Wrath has stopped him this turn
    coins, rogues, plots, renown, right
                           for each seat: coins, rogues and Plot cards at hand, Renown in play,
                           whether the Right-Hand was taken
    lines, control         for each seat its lines; for each neighbourhood 0 or [seat, tokens]
    pile, bag, seine       the number there
    discards, playing, emperor
                           Plot cards by number; whether The Emperor rules
    standoff, pending      0 or [neighbourhood, winner or -1, totals, ranks paid]; those due next
    r<n>                   the n-th rogue put in play: [owner, neighbourhood, rank, face]

A face is a rogue's number, 0 face down. Keys of one seat:

    hand/<seat>, cards/<seat>, drawn/<seat>, sunk/<seat>
                           its rogues and Plot cards, what it drew, what it put into the Seine
    face/r<n>              the face of a rogue that lies face down
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from referee.games.base import Seat
from referee.games.markup import Span, line
from referee.games.miracles.data import BoardData, Effect, RogueData, Source, key
from referee.games.miracles.engine import DECISIONS
from referee.games.miracles.event import (
    SECRET,
    ActionPerformed,
    Event,
    GameEnded,
    StandoffWon,
    TurnStarted,
)
from referee.games.miracles.observation import Observation
from referee.games.miracles.pieces import (
    LINES,
    RENOWN_TOKENS,
    SEATS,
    Neighbourhood,
    PlotCard,
    Rogue,
    place_name,
    plot_name,
    rogue_name,
)
from referee.games.miracles.position import Position
from referee.games.miracles.scoring import Ending
from referee.games.miracles.state import MiraclesState, pending
from referee.games.miracles.table import CHANGES, Table
from referee.games.miracles.telling import event_spans
from referee.games.miracles.words import seat_span
from referee.games.stage import Changes, Names, Step


class MiraclesScene:
    """Follows one game."""

    def __init__(self, state: MiraclesState, names: Names) -> None:
        """Follow a game from this first state."""
        self._names = tuple(names)
        self._seats = range(len(state.position.coins))
        self._data = state.config.data
        self._table = Table()
        self._turn = 0
        self._words = _teller(self._names)
        self._announced: list[str] = []
        """The words of events that only announce the next one, with which they are shown."""
        self._begun = False
        """Whether a turn has started, which is shown with its first event."""

    def board(self) -> Mapping[str, Any]:
        """Return the print on the board and the tokens."""
        return printed_board(self._data)

    def opening(self, state: MiraclesState) -> Step:
        """Return the step before the first decision."""
        seen = [state.observation(seat) for seat in self._seats]
        changes = {**_counts(seen[0]), **_moment(state.position)}
        own = {one.seat: _own(one) for one in seen}
        self._table = Table(dict(changes), {seat: dict(own[seat]) for seat in self._seats})
        starter = seat_span(state.deal.starting_seat, self._names)
        return Step(0, None, line([starter, Span(" starts")]), changes, own)

    def steps(self, form_for: Callable[[Seat], Event]) -> Sequence[Step]:
        """Return the one step of an event; none of one that only announces the next."""
        public = own = form_for(0)
        seat: Seat | None = getattr(public, "seat", None)
        if seat is not None and isinstance(public, SECRET):  # others are the same for everybody
            public, own = form_for((seat + 1) % len(self._seats)), form_for(seat)
        changes, own_changes = self._changed(public, own)
        if isinstance(public, TurnStarted):
            return ()
        if isinstance(public, ActionPerformed):
            self._announced.append(self._words(public))
            return ()
        words = self._announced_words(public)
        own_words = words if own is public else self._announced_words(own)
        self._announced = []
        own_forms = {} if seat is None or own_words == words else {seat: own_words}
        return (Step(self._turn, seat, words, changes, own_changes, own_forms),)

    def _announced_words(self, form: Event) -> str:
        """Return an event in words, after those that announced it."""
        words = self._words(form)
        if isinstance(form, StandoffWon):
            words += self._why_won(form)
        return ": ".join([*self._announced, words])

    def _why_won(self, event: StandoffWon) -> str:
        """Return why a tied standoff has its winner; empty if it is not tied."""
        best = max((total for _, total in event.totals), default=0)
        if sum(total == best for _, total in event.totals) < 2:  # noqa: PLR2004 a tie
            return ""
        rank = self._table.nearest(event.neighbourhood, event.winner)
        return f": tied, and the rogue on spot {rank} is closest to the crown"

    def _changed(self, public: Event, own: Event) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Apply an event to the table and the turn."""
        if not self._begun:
            self._table.begin()
        self._begun = isinstance(public, TurnStarted)
        change: Callable[[Table, Any, Any], None] = CHANGES[type(public)]
        change(self._table, public, own)
        if isinstance(public, TurnStarted):
            self._turn = public.turn
        elif isinstance(public, GameEnded):
            self._turn = public.turn + 1
        return self._table.changed, self._table.changed_own

    def settled(self, state: MiraclesState) -> tuple[Changes, Mapping[Seat, Changes]]:
        """Return the public changes that no event shows."""
        return self._table.differing(_moment(state.position)), {}

    def ending(self, state: MiraclesState) -> Iterator[Step]:
        """Yield the winners."""
        result = state.result()
        winners = [seat for seat in self._seats if result.seats[seat].rank == 1]
        spans = [seat_span(seat, self._names) for seat in winners]
        parts = [part for span in spans for part in (Span(" and "), span)][1:]
        verb = " share the victory" if len(winners) > 1 else " wins"
        renown = f" with {result.seats[winners[0]].renown} Renown tokens in play"
        yield Step(self._turn, None, line([*parts, Span(verb + renown)]), {})

    def explained(self, state: MiraclesState) -> Mapping[str, Any]:
        """Return how the game ended and what decided every rank."""
        result = state.result()
        controls = self._table.public["control"]
        return {
            "why": _ENDINGS[result.ending],
            "data": result.data,
            "seats": [
                {
                    "rank": one.rank,
                    "renown": one.renown,
                    "places": [i for i, owner in enumerate(controls) if owner and owner[0] == seat],
                    "lines": list(one.lines),
                    "coins": one.coins,
                    "tied": [
                        other
                        for other in self._seats
                        if other != seat and result.seats[other].renown == one.renown
                    ],
                }
                for seat, one in enumerate(result.seats)
            ],
        }


_ENDINGS: Mapping[Ending, str] = {
    Ending.RENOWN: "A player has all six Renown tokens in play, which ends the game at once.",
    Ending.KING: "The Penniless King has reached the end of his path.",
    Ending.ROUNDS: "The last round that is allowed is over.",
}


_ASKED = {step: decision.name.lower() for step, decision in DECISIONS.items()}


def _counts(seen: Observation) -> Changes:
    """Return what events change."""
    players = seen.players
    return {
        "turn": 0,
        "round": seen.round,
        "active": seen.active,
        "king": seen.king,
        "stopped": 0,
        "coins": [player.coins for player in players],
        "rogues": [player.rogues_at_hand for player in players],
        "plots": [player.plot_cards for player in players],
        "renown": [player.renown for player in players],
        "right": [int(player.right_hand_taken) for player in players],
        "lines": [list(player.lines) for player in players],
        "control": [0 for _ in seen.controls],
        "bag": seen.bag_size,
        "seine": seen.seine_size,
        "standoff": 0,
    }


def _moment(position: Position) -> Changes:
    """Return the public values that no event shows.

    Reading the position saves making an observation after every decision.
    """
    step = position.agenda[0] if position.agenda else None
    return {
        "act": step.seat if step else None,
        "ask": _ASKED[type(step)] if step else None,
        "pile": len(position.pile),
        "discards": list(map(int, position.discards)),
        "playing": int(position.playing or 0),
        "emperor": int(position.emperor),
        "pending": [place - 1 for place in pending(position)],
    }


@lru_cache(maxsize=len(SEATS))
def _teller(names: Names) -> Callable[[Event], str]:
    """Return a cached renderer of events: the same events recur in many games."""

    @lru_cache(maxsize=8192, typed=True)  # events of two types may be equal as tuples
    def words(form: Event) -> str:
        return line(event_spans(form, names))

    return words


def _own(seen: Observation) -> Changes:
    seat = seen.seat
    return {
        f"hand/{seat}": [int(rogue) for rogue in seen.rogues],
        f"cards/{seat}": [int(card) for card in seen.plots],
        f"drawn/{seat}": 0,
        f"sunk/{seat}": [],
    }


def printed_board(data: BoardData) -> dict[str, Any]:
    """Return the names of all pieces, the effects of spots and lines, and the King's path.

    Lists are by number; where numbers begin at 1, index 0 is a filler. A Wrath's neighbourhood
    counts from 0; -1: the active player chooses. "reconstructed" holds the rogues of made-up
    strength.
    """
    return {
        "data": data.label,
        "places": [place_name(place) for place in Neighbourhood],
        "spots": [[_effect(effect) for effect in place.spots] for place in data.neighbourhoods],
        "final": data.king.final_space,
        "wraths": [
            [wrath.space, -1 if wrath.neighbourhood is None else wrath.neighbourhood - 1]
            for wrath in data.king.wraths
        ],
        "lines": [[data.line(line).cost, *_effect(data.line(line).bonus)] for line in LINES],
        "rogues": ["", *[rogue_name(rogue) for rogue in Rogue]],
        "strengths": [0, *[data.rogue(rogue).strength for rogue in Rogue]],
        "reconstructed": [int(rogue) for rogue in Rogue if _is_made_up(data.rogue(rogue))],
        "plots": ["", *[plot_name(card) for card in PlotCard]],
        "renown": RENOWN_TOKENS,
    }


def _is_made_up(rogue: RogueData) -> bool:
    return (rogue.strength_source or rogue.source) is Source.RECONSTRUCTION


def _effect(effect: Effect) -> list[Any]:
    return [key(effect.kind), effect.amount]
