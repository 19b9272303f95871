"""Which rule a bot broke: what a step tries, or one that it could break in any match.

What a step does may bring about a crash or an illegal action; but these may also come now and then
in any match. So the step is taken again, and its match is played as any other: only what comes
again with the step, and not without it, is blamed on the step's own rule.
"""

import asyncio
import contextlib
from collections.abc import Sequence

from referee.conformance.check.check_match import CheckMatch
from referee.conformance.check.report import Result, Verdict, likeness
from referee.conformance.check.rules import Rule
from referee.conformance.check.steps import Skipped, Step
from referee.conformance.check.subject import Subject
from referee.conformance.check.violation import Violation
from referee.transports import PIPED

_OF_EVERY_MATCH = frozenset({Rule.STREAM_KEPT, *(rule for rule in Rule if "answer." in rule)})
"""Rules that a bot can break in any step, whatever the step tries."""
_NOT_OF_THE_STEP = frozenset({Rule.ANSWER_ONCE})
"""Of these, what no step brings about."""
_ONE_FAILURE = frozenset({Rule.ANSWER_LEGAL, Rule.ANSWER_TIME})
"""Rules whose breaches are told once, whatever the details."""


async def failure(
    subject: Subject,
    step: Step,
    number: int,
    violation: Violation,
    first_match: int,
    before: Sequence[Result],
) -> Result:
    """Return the result of a step in which the bot broke a rule, this one or another.

    `first_match` is the number of the step's first match; `before` are the results so far.
    """
    printed = violation.printed + await subject.stop()
    known = _known(violation, printed, before)
    if known is not None and (known.verdict is not Verdict.ADVICE or not step.must):
        return _same(step, number, violation, printed, known)
    blamed = violation.rule
    if _may_be_brought_about(step, violation):
        with contextlib.suppress(TimeoutError):  # without time to find out, it is the rule's own
            async with asyncio.timeout_at(subject.deadline):
                if await _is_brought_about(subject, step, violation, first_match):
                    blamed = step.rule
        await subject.stop()
    advised = blamed is step.rule and not step.must
    return Result(
        number=number,
        rule=step.rule,
        title=step.title,
        verdict=Verdict.ADVICE if advised else Verdict.FAILED,
        violation=violation,
        blamed=blamed,
        printed=printed,
        advice=_advice(subject, violation),
    )


def _known(violation: Violation, printed: str, before: Sequence[Result]) -> Result | None:
    """Return the first step that failed in this way."""
    like = likeness(violation, printed)
    for one in before:
        if one.violation is None or one.verdict is Verdict.SAME:
            continue
        told_once = violation.rule in _ONE_FAILURE and one.blamed is violation.rule
        if told_once or likeness(one.violation, one.printed) == like:
            return one
    return None


def _same(step: Step, number: int, violation: Violation, printed: str, known: Result) -> Result:
    seen = f"the same as in step {known.number}"
    verdict = Verdict.ADVICE if known.verdict is Verdict.ADVICE else Verdict.SAME
    return Result(
        number, step.rule, step.title, verdict, seen, violation, known.blamed, printed=printed
    )


def _may_be_brought_about(step: Step, violation: Violation) -> bool:
    of_every_step = step.rule is Rule.GAMES_ALL or step.rule in _OF_EVERY_MATCH
    return violation.rule in _OF_EVERY_MATCH - _NOT_OF_THE_STEP and not of_every_step


async def _is_brought_about(
    subject: Subject, step: Step, violation: Violation, first_match: int
) -> bool:
    """Tell whether the bot fails so with what the step does, and not without it."""
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
    """Tell whether a new process fails so in the same match, played as any other."""
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
    """Return what the author of a silent bot might try; empty for any other."""
    if not violation.is_silent:
        return ""
    if subject.entrant.transport in PIPED and not subject.answered:
        return "is the answer flushed? If it is, let the bot print to stderr where it is"
    return "let the bot print to stderr where it is: what it prints is shown here"
