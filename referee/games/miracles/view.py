"""One seat's view of a position, built up from public facts and its own."""

from referee.games.base import Seat
from referee.games.miracles.agenda import LoneStep, OrderStep, SwordsmanStep
from referee.games.miracles.engine import DECISIONS
from referee.games.miracles.facts import seen_by
from referee.games.miracles.observation import Observation, Player, Standoff
from referee.games.miracles.pieces import Neighbourhood
from referee.games.miracles.position import Position, renown_of, round_of


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
