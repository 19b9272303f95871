"""Run the steps of a check in order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.theme import Theme

from referee.conformance.check.report import StepStatus, coloured, labelled
from referee.conformance.game_check.promises import DEMANDS, GameFault, Promise
from referee.conformance.game_check.steps import STEPS, GameStep, SkippedStep
from referee.conformance.game_check.subject import CheckedGame, running
from referee.core.plain import plain

_INDENT = " " * 10


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


def check(
    subject: CheckedGame, on_result: Callable[[GameStepResult], None]
) -> list[GameStepResult]:
    """Hold a game to every promise; report each result at once.

    Steps that need whole games are skipped once random games do not end.
    """
    taken: list[GameStepResult] = []
    for number, step in enumerate(STEPS, 1):
        result = _taken(number, step, taken)
        if result is None:
            result = _attempted(number, step, subject, taken)
        taken.append(result)
        on_result(result)
    return taken


def _taken(number: int, step: GameStep, before: list[GameStepResult]) -> GameStepResult | None:
    """Return the result of a step that cannot be tried."""
    if before and before[0].verdict is StepStatus.FAILED:
        why = "random games cannot be played to their end"
        return GameStepResult(number, step.promise, step.title, StepStatus.SKIPPED, why)
    return None


def _attempted(
    number: int, step: GameStep, subject: CheckedGame, before: list[GameStepResult]
) -> GameStepResult:
    try:
        with running():
            seen = step.attempt(subject)
    except SkippedStep as skipped:
        return GameStepResult(number, step.promise, step.title, StepStatus.SKIPPED, str(skipped))
    except GameFault as fault:
        known = any(str(fault) == str(one.fault) for one in before)
        verdict = StepStatus.SAME if known else StepStatus.FAILED
        return GameStepResult(number, step.promise, step.title, verdict, "", fault)
    return GameStepResult(number, step.promise, step.title, StepStatus.PASSED, seen)


def show(console: Console, result: GameStepResult) -> None:
    """Print a step: one line, and the details of a new fault."""
    fault = result.fault
    promise = result.promise if fault is None else fault.promise
    note = "as before" if result.verdict is StepStatus.SAME else result.seen
    seen = f"  [dim]{escape(note)}[/]" if note else ""
    line = f"{result.number:4} {coloured(result.verdict)}  {promise:21}{escape(result.title)}{seen}"
    console.print(line, soft_wrap=True, emoji=False)
    if fault is not None and result.verdict is StepStatus.FAILED:
        styles = fault.position.game.text.STYLES if fault.position else {}
        with console.use_theme(Theme(dict(styles))):
            for detail in _details(fault):
                console.print(_INDENT + detail, soft_wrap=True, emoji=False)


def _details(fault: GameFault) -> Iterator[str]:
    """Yield the details of a fault as lines of markup."""
    yield labelled("promise", escape(DEMANDS[fault.promise].replace("`", "")))
    yield labelled("found", escape(plain(str(fault))))
    if fault.position is not None:
        yield labelled("position", fault.position.where())
        for line in fault.position.lines():
            yield labelled("", line)
