"""The full state of one game, and the decisions that lead on."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from referee.games.base import Seat
from referee.games.miracles import event as events
from referee.games.miracles.action import Action
from referee.games.miracles.agenda import LoneStep, OrderStep, SwordsmanStep
from referee.games.miracles.config import Config
from referee.games.miracles.deal import Deal, check_deal
from referee.games.miracles.engine import DECISIONS, play_out
from referee.games.miracles.event import Event
from referee.games.miracles.facts import rogue_of, seen_by
from referee.games.miracles.legality import check
from referee.games.miracles.observation import Legal, Observation, Player, Standoff
from referee.games.miracles.options import actions_of, legal_of
from referee.games.miracles.pieces import Neighbourhood, PlotCard, Rogue
from referee.games.miracles.play import Play
from referee.games.miracles.position import (
    Position,
    controlled_by,
    initial_position,
    renown_of,
    round_of,
)
from referee.games.miracles.scoring import Ending, Result, SeatResult, ranks
from referee.games.randomness import Stream


@dataclass(frozen=True)
class MiraclesState:
    """A game at one moment. Immutable; `apply` returns the next."""

    config: Config
    deal: Deal
    position: Position

    @property
    def to_act(self) -> Seat | None:
        """The seat that decides next, or None when the game is over."""
        agenda = self.position.agenda
        return agenda[0].seat if agenda else None

    def check(self, action: Action) -> None:
        """Raise `IllegalAction` unless the seat to act may do this."""
        check(self.legal(), self.position, action)

    def apply(self, action: Action) -> tuple["MiraclesState", tuple[Event, ...]]:
        """Return the state after a checked action, and the events it made, in order."""
        self._acting()
        play = Play(self.config, self.deal, self.position)
        play_out(play, action)
        return MiraclesState(self.config, self.deal, play.settled()), tuple(play.events)

    def event_for(self, event: Event, seat: Seat) -> Event:
        """Return the event as the seat may see it."""
        return events.event_for(event, seat)

    def observation(self, seat: Seat) -> Observation:
        """Return all that the seat may know now."""
        return observe(self.position, seat)

    def legal(self) -> Legal:
        """Return the compact legal form; empty when the game is over."""
        return self._legal

    @cached_property  # a request shows it, and the check of the answer needs it again
    def _legal(self) -> Legal:
        return legal_of(self.config, self.position)

    def legal_actions(self) -> tuple[Action, ...]:
        """Return the distinct legal actions of the seat to act; none when the game is over."""
        return actions_of(self.legal())

    def pieces(self) -> Mapping[str, int]:
        """Count each kind of rogue and Plot card, wherever they lie."""
        now = self.position
        rogues = [
            *chain.from_iterable(now.hands),
            *[rogue_of(fact) for fact in now.board],
            *now.bag,
            *[sunk.rogue for sunk in now.seine],
            *[Rogue.RIGHT_HAND for taken in now.right_hands if not taken],
        ]
        cards = [*chain.from_iterable(now.plots), *now.pile, *now.discards]
        single = [one for one in (now.drawn, now.playing) if one is not None]
        return Counter((*_kinds(rogues), *_kinds(cards), *_kinds(single)))

    def random_action(self, stream: Stream) -> Action:
        """Draw one of the distinct legal actions uniformly at random."""
        self._acting()
        return stream.choice(self.legal_actions())

    def scores(self) -> tuple[int, ...]:
        """Return the Renown tokens that every seat has in play, once the game is over."""
        return tuple(seat.renown for seat in self.result().seats)

    def ranks(self) -> tuple[int, ...]:
        """Return every seat's rank from 1, ties sharing a rank, once the game is over."""
        return tuple(seat.rank for seat in self.result().seats)

    def ending(self) -> str:
        """Return in a few words how the game ended."""
        return _ENDINGS[self.result().ending]

    def rounds(self) -> int:
        """Return the number of the last round."""
        return self.result().round

    def result(self) -> Result:
        """Return how the game ended, once it is over."""
        position = self.position
        if position.ending is None:
            raise RuntimeError(f"the game is not over: seat {self.to_act} is to act")
        return Result(
            data=self.config.data.label,
            ending=position.ending,
            turn=position.turn,
            round=round_of(position),
            king=position.king,
            seats=_seat_results(position),
        )

    def _acting(self) -> None:
        if not self.position.agenda:
            raise RuntimeError("the game is over: no seat is to act")


_ENDINGS = {
    Ending.RENOWN: "sixth Renown",
    Ending.KING: "King arrived",
    Ending.ROUNDS: "last round over",
}


def _kinds(pieces: Iterable[Rogue | PlotCard]) -> list[str]:
    """Return names that tell a rogue from a Plot card of the same number."""
    return [f"{type(piece).__name__} {piece.name}" for piece in pieces]


def _seat_results(position: Position) -> tuple[SeatResult, ...]:
    seats = range(len(position.coins))
    standings = [(renown_of(position, s), len(controlled_by(position, s))) for s in seats]
    return tuple(
        SeatResult(rank, *standings[seat], position.lines[seat], position.coins[seat])
        for seat, rank in zip(seats, ranks(standings), strict=True)
    )


def initial_state(config: Config, seats: int, deal: Deal) -> MiraclesState:
    """Return the state before the first decision; raise `ConfigError` on an impossible deal."""
    check_deal(deal, config.data, seats)
    return MiraclesState(config, deal, initial_position(deal))


def observe(position: Position, seat: Seat) -> Observation:
    """Return all that the seat may know now."""
    step = position.agenda[0] if position.agenda else None
    drew = seat == position.active and step is not None
    return Observation(
        seat=seat,
        round=round_of(position),
        turn=position.turn,
        active=position.active,
        to_act=step.seat if step else None,
        decision=DECISIONS[type(step)] if step else None,
        placed=position.placed,
        visited=position.visited,
        acted=position.acted,
        plot_played=position.plot_played,
        emperor=position.emperor,
        king=position.king,
        king_stopped=position.king_stopped,
        players=_players(position),
        controls=position.controls,
        in_play=seen_by(seat, position.board),
        rogues=position.hands[seat],
        drawn=position.drawn if drew else None,
        plots=position.plots[seat],
        playing=position.playing,
        discards=position.discards,
        pile_size=len(position.pile),
        bag_size=len(position.bag),
        seine_size=len(position.seine),
        sunk=tuple(sorted([sunk.rogue for sunk in position.seine if sunk.seat == seat])),
        standoff=_standoff(position),
        pending=pending(position),
    )


def _players(position: Position) -> tuple[Player, ...]:
    hands, plots = map(len, position.hands), map(len, position.plots)
    renown = [renown_of(position, seat) for seat in range(len(position.coins))]
    facts = (position.coins, hands, plots, position.lines, renown, position.right_hands)
    return tuple(map(Player._make, zip(*facts, strict=True)))


def _standoff(position: Position) -> Standoff | None:
    step = position.agenda[0] if position.agenda else None
    if position.standoff is None or not isinstance(step, LoneStep | SwordsmanStep):
        return position.standoff
    return position.standoff._replace(asked_rank=step.spot.rank)


def pending(position: Position) -> tuple[Neighbourhood, ...]:
    """Return this turn's standoffs still to be ordered; public."""
    for step in position.agenda:
        if isinstance(step, OrderStep):
            return step.due
    return ()
