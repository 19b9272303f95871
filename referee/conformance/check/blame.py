"""Decide which rule a bot broke: the one that a step tests, or one of every match.

A step can cause a crash or an illegal action, but these also happen now and then in any match. So
the check repeats the step, and also plays its match normally: only a failure that recurs with the
step and not without it counts against the step's own rule.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from referee.conformance.check.check_match import CheckMatch
from referee.conformance.check.report import StepResult, StepStatus, likeness
from referee.conformance.check.steps import CheckStep, Skipped
from referee.conformance.check.subject import Subject
from referee.conformance.check.violation import Violation
from referee.core.rules import Rule
from referee.transports import PIPED

_OF_EVERY_MATCH = frozenset({Rule.STREAM_KEPT, *(rule for rule in Rule if "answer." in rule)})
"""Rules that a bot can break in any step, whatever the step tests."""
_NOT_OF_THE_STEP = frozenset({Rule.ANSWER_ONCE})
"""Those that no step can make a bot break."""
_ONE_FAILURE = frozenset({Rule.ANSWER_LEGAL, Rule.ANSWER_TIME})
"""Rules of which the report shows only the first violation, whatever the details."""


async def failure(
    subject: Subject,
    step: CheckStep,
    number: int,
    violation: Violation,
    first_match: int,
    before: Sequence[StepResult],
) -> StepResult:
    """Return the result of a step in which the bot broke a rule, the step's own or another.

    `first_match` is the number of the step's first match; `before` holds the results so far.
    """
    printed = violation.printed + await subject.stop()
    known = _known(violation, printed, before)
    if known is not None and (known.verdict is not StepStatus.ADVICE or not step.must):
        return _same(step, number, violation, printed, known)
    blamed = violation.rule
    if _may_be_brought_about(step, violation):
        with contextlib.suppress(TimeoutError):  # out of time: blame the rule that was broken
            async with asyncio.timeout_at(subject.deadline):
                if await _is_brought_about(subject, step, violation, first_match):
                    blamed = step.rule
        await subject.stop()
    advised = blamed is step.rule and not step.must
    return StepResult(
        number=number,
        rule=step.rule,
        title=step.title,
        verdict=StepStatus.ADVICE if advised else StepStatus.FAILED,
        violation=violation,
        blamed=blamed,
        printed=printed,
        advice=_advice(subject, violation),
    )


def _known(violation: Violation, printed: str, before: Sequence[StepResult]) -> StepResult | None:
    """Return the first earlier result with the same failure; None if there is none."""
    like = likeness(violation, printed)
    for one in before:
        if one.violation is None or one.verdict is StepStatus.SAME:
            continue
        told_once = violation.rule in _ONE_FAILURE and one.blamed is violation.rule
        if told_once or likeness(one.violation, one.printed) == like:
            return one
    return None


def _same(
    step: CheckStep, number: int, violation: Violation, printed: str, known: StepResult
) -> StepResult:
    seen = f"the same as in step {known.number}"
    verdict = StepStatus.ADVICE if known.verdict is StepStatus.ADVICE else StepStatus.SAME
    return StepResult(
        number, step.rule, step.title, verdict, seen, violation, known.blamed, printed=printed
    )


def _may_be_brought_about(step: CheckStep, violation: Violation) -> bool:
    of_every_step = step.rule is Rule.GAMES_ALL or step.rule in _OF_EVERY_MATCH
    return violation.rule in _OF_EVERY_MATCH - _NOT_OF_THE_STEP and not of_every_step


async def _is_brought_about(
    subject: Subject, step: CheckStep, violation: Violation, first_match: int
) -> bool:
    """Return whether the bot fails this way in the step, but not in an ordinary match."""
    if violation.moment is not None and await _fails_anyhow(subject, violation):
        return False
    last_match, subject.matches = subject.matches, first_match
    try:
        await step.attempt(subject)
    except Violation as again:
        return again.rule is violation.rule
    except Skipped:
        return False
    finally:
        subject.matches = max(last_match, subject.matches)
        await subject.stop()
    return False


async def _fails_anyhow(subject: Subject, violation: Violation) -> bool:
    """Return whether a new process fails the same way in the same match, played normally."""
    moment = violation.moment
    if moment is None:
        return False
    try:
        await CheckMatch(await subject.bot(), moment.table).decide(moment.number)
    except Violation as again:
        return again.rule is violation.rule
    finally:
        await subject.stop()
    return False


def _advice(subject: Subject, violation: Violation) -> str:
    """Return advice for the author of a silent bot; empty for any other."""
    if not violation.is_silent:
        return ""
    if subject.bot_spec.transport in PIPED and not subject.answered:
        return "does the bot flush its answer? If so, let it print its progress to stderr"
    return "let the bot print its progress to stderr: this report shows the output"
