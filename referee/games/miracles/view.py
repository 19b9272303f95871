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
        players=tuple([_player(position, other) for other in range(len(position.coins))]),
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


def _player(position: Position, seat: Seat) -> Player:
    return Player(
        coins=position.coins[seat],
        rogues_at_hand=len(position.hands[seat]),
        plot_cards=len(position.plots[seat]),
        lines=position.lines[seat],
        renown=renown_of(position, seat),
        right_hand_taken=position.right_hands[seat],
    )


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
