"""Plays one decision out: applies it, then runs the agenda up to the next decision."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.miracles import plots, standoff, turn
from referee.games.miracles.action import (
    Action,
    BuyRenown,
    ChooseWrath,
    DiscardPlot,
    EndTurn,
    MoveOther,
    MoveRogue,
    PaySwordsman,
    PerformAction,
    PlaceRogue,
    RevealLone,
    SettleNext,
    SinkRogue,
    UseCourtesan,
)
from referee.games.miracles.observation import Decision
from referee.games.miracles.play import Play
from referee.games.miracles.position import (
    AbilityStep,
    ActStep,
    CloseStep,
    CourtesanStep,
    DrawStep,
    EndStep,
    FinishPlotStep,
    LoneStep,
    OrderStep,
    PlaceStep,
    SinkStep,
    StandoffsStep,
    Step,
    SwordsmanStep,
    WinnerStep,
    WrathStep,
)

DECISIONS: Mapping[type[Any], Decision] = {
    PlaceStep: Decision.PLACE,
    ActStep: Decision.ACT,
    SinkStep: Decision.SINK,
    DrawStep: Decision.DISCARD,
    WrathStep: Decision.WRATH,
    OrderStep: Decision.ORDER,
    SwordsmanStep: Decision.SWORDSMAN,
    LoneStep: Decision.LONE,
    CourtesanStep: Decision.COURTESAN,
}
"""What a step asks, when it asks."""

_ACTIONS: Mapping[type[Any], Callable[[Play, Any], None]] = {
    PlaceRogue: turn.place,
    MoveRogue: turn.move,
    PerformAction: turn.perform,
    BuyRenown: turn.perform,
    MoveOther: turn.perform,
    EndTurn: turn.end_actions,
    SinkRogue: turn.sink,
    DiscardPlot: turn.discard,
    ChooseWrath: standoff.choose_wrath,
    SettleNext: standoff.settle,
    PaySwordsman: standoff.answer_swordsman,
    RevealLone: standoff.answer_lone,
    UseCourtesan: standoff.use_courtesan,
}
"""What every action does, but for those that play a Plot card."""


def play_out(play: Play, action: Action) -> None:
    """Apply a checked action, and all that follows of itself."""
    if isinstance(play.agenda[0], PlaceStep):
        turn.announce(play)
    _ACTIONS.get(type(action), plots.play_plot)(play, action)
    while play.agenda and not _asks(play, play.agenda[0]):
        _run(play, play.next_step())


def _asks(play: Play, step: Step) -> bool:
    """Tell whether a step needs a decision. That depends on public facts alone."""
    asks = False
    match step:
        case PlaceStep() | SinkStep() | LoneStep() | CourtesanStep():
            asks = True
        case ActStep():
            asks = not turn.is_idle(play)
        case DrawStep():
            asks = turn.must_discard(play, step)
        case WrathStep():
            asks = len(step.choices) > 1
        case OrderStep():
            asks = len(step.due) > 1
        case SwordsmanStep():
            asks = standoff.can_pay(play, step)
    return asks


def _run(play: Play, step: Step) -> None:
    """Do what a step that asks nobody does."""
    match step:
        case DrawStep():
            play.draw_plots(step.seat, step.number)
        case FinishPlotStep():
            plots.finish_plot(play)
        case StandoffsStep():
            standoff.find_due(play)
        case WrathStep():
            standoff.hit(play, step, step.choices[0])
        case OrderStep() if step.due:
            standoff.begin(play, step, step.due[0])
        case WinnerStep():
            standoff.decide(play)
        case AbilityStep():
            standoff.apply_ability(play, step)
        case CloseStep():
            standoff.close(play)
        case EndStep():
            turn.end_turn(play)
        case _:  # an ActStep, OrderStep or SwordsmanStep with nothing to decide
            pass
