"""The legal actions: in short form, and each one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from referee.games.base import Seat
from referee.games.miracles import action as actions
from referee.games.miracles.agenda import (
    ActStep,
    CourtesanStep,
    DrawStep,
    EffectStep,
    LoneStep,
    OrderStep,
    PlaceStep,
    SinkStep,
    SwordsmanStep,
    WrathStep,
)
from referee.games.miracles.config import Config
from referee.games.miracles.observation import Decision, Legal
from referee.games.miracles.pieces import Neighbourhood, PlotCard, Rogue, Spot
from referee.games.miracles.plots import PLAIN_CARDS
from referee.games.miracles.position import (
    Position,
    affordable_lines,
    can_act,
    free_spots,
    may_interrupt,
    may_play,
    renown_places,
    spots_of,
    uncontrolled,
)


def legal_of(config: Config, position: Position) -> Legal:
    """Return the legal actions in short form."""
    found = Legal(None)
    match position.agenda[0] if position.agenda else None:
        case PlaceStep() | EffectStep() | ActStep() as step:
            found = _with_plots(config, position, _IN_TURN[type(step)](config, position))
        case SinkStep(seat=seat):
            sinking = Legal(Decision.SINK, rogues=_kinds(position.hands[seat]))
            found = _interrupted(config, position, sinking)
        case DrawStep(seat=seat):
            hand = tuple(dict.fromkeys(position.plots[seat]))
            open_ = _interrupted(config, position, Legal(Decision.DISCARD))
            found = open_._replace(cards=hand, playable=open_.cards)
        case WrathStep(choices=choices):
            found = Legal(Decision.WRATH, neighbourhoods=choices)
        case OrderStep(due=due):
            found = Legal(Decision.ORDER, neighbourhoods=due)
        case CourtesanStep(choices=choices):
            found = Legal(Decision.COURTESAN, neighbourhoods=choices)
        case SwordsmanStep():
            found = Legal(Decision.SWORDSMAN)
        case LoneStep():
            found = Legal(Decision.LONE)
    return found


def _kinds(rogues: tuple[Rogue, ...]) -> tuple[Rogue, ...]:
    return tuple(dict.fromkeys(rogues))


def _placing(config: Config, position: Position) -> Legal:
    hand = position.hands[position.active]
    return Legal(
        Decision.PLACE,
        rogues=_kinds(hand),
        origins=() if hand else spots_of(position, own=True),
        targets=free_spots(position),
        may_stay=not hand and config.move_may_stay,
        plot_first=config.plots_at_any_time and may_play(position),
    )


def _acting(config: Config, position: Position) -> Legal:
    data, place = config.data, position.visited
    possible = can_act(position, data)
    at_halles = possible and place is Neighbourhood.LES_HALLES
    in_rue = possible and place is Neighbourhood.RUE_DE_L_EGYPTIENNE
    for_income = config.income_without_action and not possible and not position.acted
    others = [fact.public.spot for fact in position.board if fact.public.spot != position.placed]
    return Legal(
        Decision.ACT,
        origins=tuple(others) if in_rue else (),
        targets=free_spots(position) if in_rue else (),
        perform=for_income or (possible and not at_halles and not in_rue),
        lines=affordable_lines(position, data) if at_halles else (),
        end_turn=True,
    )


_IN_TURN: Mapping[type[Any], Callable[[Config, Position], Legal]] = {
    PlaceStep: _placing,
    EffectStep: lambda _config, _position: Legal(Decision.EFFECT),
    ActStep: _acting,
}
"""Legal forms, less Plot cards, of steps that always allow them."""


def _with_plots(config: Config, position: Position, moment: Legal) -> Legal:
    """Return the legal form with the playable Plot cards.

    A card that asks for a choice is playable only if one exists.
    """
    if not may_play(position):
        return moment
    hand = dict.fromkeys(position.plots[position.active])
    if moment.decision is Decision.SINK:  # no second draw from the bag in the middle of one
        hand.pop(PlotCard.STRENGTH, None)
    choices = {card: _CHOICES[card](config, position) if card in _CHOICES else {} for card in hand}
    cards = tuple([card for card, choice in choices.items() if all(choice.values())])
    fields = {name: value for card in cards for name, value in choices[card].items()}
    if PlotCard.THE_CHARIOT in cards:
        fields["targets"] = free_spots(position)
    return moment._replace(cards=cards, **fields)


def _interrupted(config: Config, position: Position, moment: Legal) -> Legal:
    """Return the legal form with the Plot cards that may interrupt this decision."""
    if config.plots_at_any_time and may_interrupt(position):
        return _with_plots(config, position, moment)
    return moment


def _spots_in_play(position: Position) -> tuple[Spot, ...]:
    return tuple([fact.public.spot for fact in position.board])


def _tower_spots(position: Position) -> tuple[Spot, ...]:
    in_play = _spots_in_play(position)
    return in_play if len({spot.neighbourhood for spot in in_play}) > 1 else ()


def _opponents(position: Position) -> tuple[Seat, ...]:
    return tuple([seat for seat in range(len(position.coins)) if seat != position.active])


_CHOICES: Mapping[PlotCard, Callable[[Config, Position], dict[str, Any]]] = {
    PlotCard.THE_EMPRESS: lambda _, now: {
        "empress_tokens": renown_places(now, now.active),
        "empress_targets": uncontrolled(now),
    },
    PlotCard.THE_DEVIL: lambda _, now: {"devil_opponents": _opponents(now)},
    PlotCard.THE_HANGED_MAN: lambda _, now: {"hanged_man_spots": spots_of(now, own=False)},
    PlotCard.THE_CHARIOT: lambda _, now: {"chariot_origins": spots_of(now, own=True)},
    PlotCard.THE_TOWER: lambda _, now: {"tower_spots": _tower_spots(now)},
    PlotCard.THE_HERMIT: lambda _, now: {"hermit_spots": _spots_in_play(now)},
    PlotCard.THE_FOOL: lambda config, _: {
        "fool_spaces": config.data.plot_card(PlotCard.THE_FOOL).amount
    },
}
"""The choices of each card that has any, by field of `Legal`."""


def actions_of(legal: Legal) -> tuple[actions.Action, ...]:
    """Return every legal action once, from the short form alone; none when the game is over."""
    return tuple(_ACTIONS[legal.decision](legal)) if legal.decision else ()


def _placements(legal: Legal) -> Iterator[actions.Action]:
    for plot_first in (False, True) if legal.plot_first else (False,):
        for rogue in legal.rogues:
            yield from (actions.PlaceRogue(rogue, spot, plot_first) for spot in legal.targets)
        yield from _moves(legal, plot_first=plot_first)
    yield from _plot_plays(legal)


def _effects(legal: Legal) -> Iterator[actions.Action]:
    yield from _plot_plays(legal)
    yield actions.TakeEffect()


def _sinkings(legal: Legal) -> Iterator[actions.Action]:
    yield from map(actions.SinkRogue, (None, *legal.rogues))
    yield from _plot_plays(legal)


def _discards(legal: Legal) -> Iterator[actions.Action]:
    yield from map(actions.DiscardPlot, legal.cards)
    yield from _plot_plays(legal._replace(cards=legal.playable))


def _acts(legal: Legal) -> Iterator[actions.Action]:
    if legal.perform:
        yield actions.PerformAction()
    yield from map(actions.BuyRenown, legal.lines)
    yield from (
        actions.MoveOther(origin, spot) for origin in legal.origins for spot in legal.targets
    )
    yield from _plot_plays(legal)
    yield actions.EndTurn()


def _moves(legal: Legal, *, plot_first: bool) -> Iterator[actions.Action]:
    for origin in legal.origins:
        stay = (origin,) if legal.may_stay else ()
        yield from (
            actions.MoveRogue(origin, target, plot_first) for target in (*legal.targets, *stay)
        )


def _plot_plays(legal: Legal) -> Iterator[actions.Action]:
    yield from (actions.PlayCard(card) for card in legal.cards if card in PLAIN_CARDS)
    for token in legal.empress_tokens:
        yield from (actions.PlayEmpress(token, target) for target in legal.empress_targets)
    yield from map(actions.PlayDevil, legal.devil_opponents)
    yield from map(actions.PlayHangedMan, legal.hanged_man_spots)
    for origin in legal.chariot_origins:
        yield from (actions.PlayChariot(origin, target) for target in legal.targets)
    for first in legal.tower_spots:
        for second in legal.tower_spots:
            if first.neighbourhood < second.neighbourhood:
                yield actions.PlayTower(first, second)
    yield from map(actions.PlayHermit, legal.hermit_spots)
    yield from map(actions.PlayFool, range(1, legal.fool_spaces + 1))


_ACTIONS: Mapping[Decision, Callable[[Legal], Iterable[actions.Action]]] = {
    Decision.PLACE: _placements,
    Decision.ACT: _acts,
    Decision.EFFECT: _effects,
    Decision.SINK: _sinkings,
    Decision.DISCARD: _discards,
    Decision.WRATH: lambda legal: map(actions.ChooseWrath, legal.neighbourhoods),
    Decision.ORDER: lambda legal: map(actions.SettleNext, legal.neighbourhoods),
    Decision.SWORDSMAN: lambda _: map(actions.PaySwordsman, (False, True)),
    Decision.LONE: lambda _: map(actions.RevealLone, (False, True)),
    Decision.COURTESAN: lambda legal: map(actions.UseCourtesan, legal.neighbourhoods),
}
"""The actions of each decision."""
