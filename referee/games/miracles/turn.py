"""The steps of a turn before its standoffs: place or move, spot effect, neighbourhood action."""

from referee.games.base import Seat
from referee.games.miracles import action as actions
from referee.games.miracles.agenda import DrawStep, EffectStep, SinkStep, turn_steps
from referee.games.miracles.event import (
    ActionPerformed,
    PlotDiscarded,
    Reason,
    RogueDrawn,
    RogueMoved,
    RoguePlaced,
    RogueSunk,
    TurnStarted,
)
from referee.games.miracles.facts import face_down, moved, ordered
from referee.games.miracles.pieces import HAND_LIMIT, Neighbourhood, Spot
from referee.games.miracles.play import Play, with_at, without
from referee.games.miracles.position import Sunk, can_act, may_play, round_of
from referee.games.miracles.scoring import Ending

_GRANDE_COUR_COINS = 2
_CHATELET_CARDS = 1


def announce(play: Play) -> None:
    """Announce a turn at its first decision."""
    now = play.now
    if now.visited is None and not now.plot_played:
        play.record(TurnStarted(now.turn, round_of(now), now.active))


def place(play: Play, action: actions.PlaceRogue) -> None:
    """Put a rogue on the board; its spot takes effect."""
    seat = play.now.active
    rogue, spot, plot_first = action
    play.next_step()
    play.from_hand(seat, rogue)
    play.set(board=ordered((*play.now.board, face_down(seat, rogue, spot))))
    play.record(RoguePlaced(seat, spot, rogue))
    _arrive(play, seat, spot, plot_first=plot_first)


def move(play: Play, action: actions.MoveRogue) -> None:
    """Move the seat's rogue; its new spot takes effect."""
    play.next_step()
    origin, target, plot_first = action
    move_token(play, origin, target)
    _arrive(play, play.now.active, target, plot_first=plot_first)


def _arrive(play: Play, seat: Seat, spot: Spot, *, plot_first: bool) -> None:
    play.set(placed=spot, visited=spot.neighbourhood)
    step = EffectStep(seat, spot)
    if plot_first:
        play.then(step)
    else:
        spot_effect(play, step)


def spot_effect(play: Play, step: EffectStep) -> None:
    """Apply the effect of the spot where the rogue was put, even if a card moved it since."""
    play.apply_effect(step.seat, play.data.spot(step.spot), Reason.SPOT)


def take_effect(play: Play, _: actions.TakeEffect) -> None:
    """Let the spot take effect without a Plot card."""
    step = play.next_step()
    if not isinstance(step, EffectStep):
        raise TypeError("a spot takes effect when it is asked for")
    spot_effect(play, step)


def move_token(play: Play, origin: Spot, target: Spot) -> None:
    """Move any rogue in play, without the effect of the spot."""
    fact = play.at(origin)
    play.change((fact, moved(fact, target)))
    play.record(RogueMoved(play.now.active, fact.public.owner, origin, target))


def perform(
    play: Play, action: actions.PerformAction | actions.BuyRenown | actions.MoveOther
) -> None:
    """Perform the neighbourhood's action, with the income of its controller.

    The seat pays the cost before the income comes: the income cannot cover it.
    """
    seat, visited = play.now.active, play.now.visited
    if visited is None:
        raise TypeError("an action follows a placement")
    possible = can_act(play.now, play.data)
    play.set(acted=True)
    play.record(ActionPerformed(seat, visited))
    if isinstance(action, actions.BuyRenown):
        play.pay(seat, play.data.line(action.line).cost, Reason.RENOWN)
    _income(play, visited)
    if isinstance(action, actions.BuyRenown):
        _renown(play, seat, action.line)
    elif isinstance(action, actions.MoveOther):
        move_token(play, *action)
    elif possible:
        _plain_action(play, seat, visited)


def _income(play: Play, place: Neighbourhood) -> None:
    control = play.now.controls[place - 1]
    if control:
        play.gain(control.seat, 1, Reason.INCOME)


def _renown(play: Play, seat: Seat, line: int) -> None:
    play.put_on_line(seat, line)
    if not play.over:
        play.apply_effect(seat, play.data.line(line).bonus, Reason.RENOWN_BONUS)


def _plain_action(play: Play, seat: Seat, place: Neighbourhood) -> None:
    if place is Neighbourhood.TAVERNE:
        recruit(play)
    elif place is Neighbourhood.LE_CHATELET:
        play.then(DrawStep(seat, _CHATELET_CARDS))
    elif place is Neighbourhood.GRANDE_COUR:
        play.gain(seat, _GRANDE_COUR_COINS, Reason.GRANDE_COUR)


def recruit(play: Play) -> None:
    """Let the active seat draw a rogue from the bag, if it has one at hand to swap."""
    seat = play.now.active
    if play.now.hands[seat] and play.now.bag:
        drawn, *bag = play.now.bag
        play.set(bag=tuple(bag), drawn=drawn)
        play.record(RogueDrawn(seat, drawn))
        play.then(SinkStep(seat))


def sink(play: Play, action: actions.SinkRogue) -> None:
    """Put the drawn rogue, or one at hand instead, into the Seine."""
    seat, drawn = play.next_step().seat, play.now.drawn
    if drawn is None:
        raise TypeError("a rogue was drawn before")
    sunk = action.rogue
    if sunk is not None:
        play.from_hand(seat, sunk)
        play.to_hand(seat, [drawn])
    gone = drawn if sunk is None else sunk
    play.set(drawn=None, seine=(*play.now.seine, Sunk(seat, gone)))
    play.record(RogueSunk(seat, gone, sunk is None))


def must_discard(play: Play, step: DrawStep) -> bool:
    """Return whether the hand limit leaves too little room for the cards to draw."""
    return len(play.now.plots[step.seat]) + step.number > HAND_LIMIT


def discard(play: Play, action: actions.DiscardPlot) -> None:
    """Discard a Plot card before drawing; the draw stays on the agenda."""
    seat, card = play.agenda[0].seat, action.card
    hand = without(play.now.plots[seat], card)
    play.set(plots=with_at(play.now.plots, seat, hand))
    play.discard(card)
    play.record(PlotDiscarded(seat, card))


def is_idle(play: Play) -> bool:
    """Return whether the active seat has nothing more to decide before the standoffs.

    The answer uses public facts alone: an unplayable Plot card keeps the decision open.
    """
    now, config = play.now, play.config
    may_act = can_act(now, play.data) or (config.income_without_action and not now.acted)
    return not may_act and not may_play(now)


def end_actions(play: Play, _: actions.EndTurn) -> None:
    """Go on to the standoffs."""
    play.next_step()


def end_turn(play: Play) -> None:
    """End the turn; then end the game or begin the next turn."""
    now, seats = play.now, len(play.now.coins)
    if now.king == play.data.king.final_space:
        play.end(Ending.KING)
    elif now.turn == seats * play.config.max_rounds:
        play.end(Ending.ROUNDS)
    else:
        seat = (now.active + 1) % seats
        play.then(*turn_steps(seat))
        play.set(
            turn=now.turn + 1,
            active=seat,
            placed=None,
            visited=None,
            acted=False,
            plot_played=False,
            emperor=False,
            king_stopped=False,
        )
