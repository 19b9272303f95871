"""Run the steps of a check in order."""

from collections.abc import Callable
from dataclasses import dataclass

from referee.conformance.check.report import StepStatus
from referee.conformance.game_check.promises import GameFault, Promise
from referee.conformance.game_check.steps import STEPS, GameStep, SkippedStep
from referee.conformance.game_check.subject import Subject


@dataclass(frozen=True, slots=True)
class GameStepResult:
    """The result of one step."""

    number: int
    """From 1."""
    promise: Promise
    """The promise under test."""
    title: str
    verdict: StepStatus
    seen: str = ""
    """A note shown on the same line."""
    fault: GameFault | None = None


def check(subject: Subject, say: Callable[[GameStepResult], None]) -> list[GameStepResult]:
    """Hold a game to every promise; call `say` with each result at once.

    Steps that need whole games are skipped once random games do not end.
    """
    taken: list[GameStepResult] = []
    for number, step in enumerate(STEPS, 1):
        result = _taken(number, step, taken)
        if result is None:
            result = _attempted(number, step, subject, taken)
        taken.append(result)
        say(result)
    return taken


def _taken(number: int, step: GameStep, before: list[GameStepResult]) -> GameStepResult | None:
    """Return the result of a step that cannot be tried."""
    if before and before[0].verdict is StepStatus.FAILED:
        why = "random games cannot be played to their end"
        return GameStepResult(number, step.promise, step.title, StepStatus.SKIPPED, why)
    return None


def _attempted(
    number: int, step: GameStep, subject: Subject, before: list[GameStepResult]
) -> GameStepResult:
    try:
        seen = step.attempt(subject)
    except SkippedStep as skipped:
        return GameStepResult(number, step.promise, step.title, StepStatus.SKIPPED, str(skipped))
    except GameFault as fault:
        known = any(str(fault) == str(one.fault) for one in before)
        verdict = StepStatus.SAME if known else StepStatus.FAILED
        return GameStepResult(number, step.promise, step.title, verdict, "", fault)
    return GameStepResult(number, step.promise, step.title, StepStatus.PASSED, seen)
