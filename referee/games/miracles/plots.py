"""The Plot cards' effects. A card leaves its hand, takes effect, and goes to the discards."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.miracles import action as actions
from referee.games.miracles.agenda import DrawStep, FinishPlotStep
from referee.games.miracles.event import (
    PlotPlayed,
    Reason,
    RenownMoved,
    RogueReturned,
    RogueSeen,
    RoguesSwapped,
)
from referee.games.miracles.facts import looked_at, moved
from referee.games.miracles.observation import Control
from referee.games.miracles.pieces import PlotCard
from referee.games.miracles.play import Play, with_at, without
from referee.games.miracles.position import renown_of
from referee.games.miracles.turn import move_token, recruit

CARD_OF: Mapping[type[Any], PlotCard] = {
    actions.PlayEmpress: PlotCard.THE_EMPRESS,
    actions.PlayDevil: PlotCard.THE_DEVIL,
    actions.PlayHangedMan: PlotCard.THE_HANGED_MAN,
    actions.PlayChariot: PlotCard.THE_CHARIOT,
    actions.PlayTower: PlotCard.THE_TOWER,
    actions.PlayHermit: PlotCard.THE_HERMIT,
    actions.PlayFool: PlotCard.THE_FOOL,
}
"""The card of each kind of play with a choice."""

PLAIN_CARDS = tuple(card for card in PlotCard if card not in CARD_OF.values())
"""The cards without a choice, played with PlayCard."""


def card_of(action: actions.PlotPlay) -> PlotCard:
    """Return the card that an action plays."""
    return action.card if isinstance(action, actions.PlayCard) else CARD_OF[type(action)]


def play_plot(play: Play, action: actions.PlotPlay) -> None:
    """Play this turn's Plot card."""
    seat, card = play.now.active, card_of(action)
    hand = without(play.now.plots[seat], card)
    play.set(plots=with_at(play.now.plots, seat, hand), plot_played=True, playing=card)
    play.record(PlotPlayed(seat, card))
    play.then(FinishPlotStep(seat))
    if isinstance(action, actions.PlayCard):
        _PLAIN[card](play, play.data.plot_card(card).amount)
    else:
        _CHOSEN[type(action)](play, action)


def finish_plot(play: Play) -> None:
    """Discard the card that has taken effect."""
    card = play.now.playing
    if card is None:
        raise TypeError("a Plot card was played before")
    play.set(playing=None)
    play.discard(card)


def _strength(play: Play, _: int) -> None:
    recruit(play)


def _judgment(play: Play, amount: int) -> None:
    active, seats = play.now.active, len(play.now.coins)
    own = renown_of(play.now, active)
    for seat in ((active + i) % seats for i in range(1, seats)):
        if renown_of(play.now, seat) > own:
            play.give(seat, active, amount, Reason.JUDGMENT)


def _sun(play: Play, amount: int) -> None:
    play.gain(play.now.active, amount, Reason.THE_SUN)


def _wheel(play: Play, amount: int) -> None:
    play.then(DrawStep(play.now.active, amount))


def _emperor(play: Play, _: int) -> None:
    play.set(emperor=True)


def _empress(play: Play, action: actions.PlayEmpress) -> None:
    seat = play.now.active
    (place, line), target = action
    if place is None:
        lines = without(play.now.lines[seat], line)
        play.set(lines=with_at(play.now.lines, seat, lines))
    else:
        control = play.now.controls[place - 1]
        left = Control(seat, control.tokens - 1) if control and control.tokens > 1 else None
        play.set(controls=with_at(play.now.controls, place - 1, left))
    play.set(controls=with_at(play.now.controls, target - 1, Control(seat, 1)))
    play.record(RenownMoved(seat, action.token, target))


def _devil(play: Play, action: actions.PlayDevil) -> None:
    amount = play.data.plot_card(PlotCard.THE_DEVIL).amount
    play.give(action.opponent, play.now.active, amount, Reason.THE_DEVIL)


def _hanged_man(play: Play, action: actions.PlayHangedMan) -> None:
    fact = play.at(action.spot)
    play.take_off(fact)
    play.record(RogueReturned(play.now.active, fact.public.owner, action.spot))


def _chariot(play: Play, action: actions.PlayChariot) -> None:
    move_token(play, *action)


def _tower(play: Play, action: actions.PlayTower) -> None:
    first, second = action
    one, other = play.at(first), play.at(second)
    play.change((one, moved(one, second)), (other, moved(other, first)))
    play.record(RoguesSwapped(play.now.active, first, second))


def _hermit(play: Play, action: actions.PlayHermit) -> None:
    seat, fact = play.now.active, play.at(action.spot)
    play.change((fact, looked_at(fact, seat)))
    play.record(RogueSeen(seat, action.spot, fact.public.owner, fact.whole.rogue))


def _fool(play: Play, action: actions.PlayFool) -> None:
    play.move_king(action.spaces)


_PLAIN: Mapping[PlotCard, Callable[[Play, int], None]] = {
    PlotCard.STRENGTH: _strength,
    PlotCard.JUDGMENT: _judgment,
    PlotCard.THE_SUN: _sun,
    PlotCard.WHEEL_OF_FORTUNE: _wheel,
    PlotCard.THE_EMPEROR: _emperor,
}

_CHOSEN: Mapping[type[Any], Callable[[Play, Any], None]] = {
    actions.PlayEmpress: _empress,
    actions.PlayDevil: _devil,
    actions.PlayHangedMan: _hanged_man,
    actions.PlayChariot: _chariot,
    actions.PlayTower: _tower,
    actions.PlayHermit: _hermit,
    actions.PlayFool: _fool,
}
