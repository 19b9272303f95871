"""Applies one decision, then runs the agenda up to the next decision."""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.miracles import action as actions
from referee.games.miracles import plots, standoff, turn
from referee.games.miracles.agenda import (
    AbilityStep,
    ActStep,
    CloseStep,
    CourtesanStep,
    DrawStep,
    EffectStep,
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
from referee.games.miracles.observation import Decision
from referee.games.miracles.play import Play
from referee.games.miracles.position import may_play

DECISIONS: Mapping[type[Any], Decision] = {
    PlaceStep: Decision.PLACE,
    EffectStep: Decision.EFFECT,
    ActStep: Decision.ACT,
    SinkStep: Decision.SINK,
    DrawStep: Decision.DISCARD,
    WrathStep: Decision.WRATH,
    OrderStep: Decision.ORDER,
    SwordsmanStep: Decision.SWORDSMAN,
    LoneStep: Decision.LONE,
    CourtesanStep: Decision.COURTESAN,
}
"""The decision a step asks for."""

_ACTIONS: Mapping[type[Any], Callable[[Play, Any], None]] = {
    actions.PlaceRogue: turn.place,
    actions.MoveRogue: turn.move,
    actions.TakeEffect: turn.take_effect,
    actions.PerformAction: turn.perform,
    actions.BuyRenown: turn.perform,
    actions.MoveOther: turn.perform,
    actions.EndTurn: turn.end_actions,
    actions.SinkRogue: turn.sink,
    actions.DiscardPlot: turn.discard,
    actions.ChooseWrath: standoff.choose_wrath,
    actions.SettleNext: standoff.settle,
    actions.PaySwordsman: standoff.answer_swordsman,
    actions.RevealLone: standoff.answer_lone,
    actions.UseCourtesan: standoff.use_courtesan,
}
"""The effect of every action that plays no Plot card."""


def play_out(play: Play, action: actions.Action) -> None:
    """Apply a checked action, and all automatic steps."""
    if isinstance(play.agenda[0], PlaceStep):
        turn.announce(play)
    _ACTIONS.get(type(action), plots.play_plot)(play, action)
    while play.agenda and not _asks(play, play.agenda[0]):
        _run(play, play.next_step())


def _asks(play: Play, step: Step) -> bool:
    """Return whether a step needs a decision, from public facts alone."""
    asks = _ASKS.get(type(step))
    return asks is not None and asks(play, step)


def _run(play: Play, step: Step) -> None:
    """Run a step that asks no seat."""
    if run := _RUNS.get(type(step)):
        run(play, step)


def _always(_play: Play, _step: Step) -> bool:
    return True


def _begin_next(play: Play, step: OrderStep) -> None:
    if step.due:
        standoff.begin(play, step, step.due[0])


_ASKS: Mapping[type[Any], Callable[[Play, Any], bool]] = {
    PlaceStep: _always,
    EffectStep: lambda play, _: may_play(play.now),
    ActStep: lambda play, _: not turn.is_idle(play),
    SinkStep: _always,
    DrawStep: turn.must_discard,
    WrathStep: lambda _, step: len(step.choices) > 1,
    OrderStep: lambda _, step: len(step.due) > 1,
    SwordsmanStep: standoff.can_pay,
    LoneStep: _always,
    CourtesanStep: _always,
}
"""Whether a step asks, of those that can."""

_RUNS: Mapping[type[Any], Callable[[Play, Any], None]] = {
    EffectStep: turn.spot_effect,
    DrawStep: lambda play, step: play.draw_plots(step.seat, step.number),
    FinishPlotStep: lambda play, _: plots.finish_plot(play),
    StandoffsStep: lambda play, _: standoff.find_due(play),
    WrathStep: lambda play, step: standoff.hit(play, step, step.choices[0]),
    OrderStep: _begin_next,
    WinnerStep: lambda play, _: standoff.decide(play),
    AbilityStep: standoff.apply_ability,
    CloseStep: lambda play, _: standoff.close(play),
    EndStep: lambda play, _: turn.end_turn(play),
}
"""The effect of a step that asks no seat; a missing step has none."""
