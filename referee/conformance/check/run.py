"""Run the steps of a check in order, and decide which rule a bot broke.

It is the one that a step tests, or one of every match. A step can cause a crash or an illegal
action, but these also happen now and then in any match. So the check repeats the step, and also
plays its match normally: only a failure that recurs with the step and not without it counts against
the step's own rule.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable, Sequence

from referee.conformance.check import SECONDS
from referee.conformance.check.check_match import CheckMatch
from referee.conformance.check.report import StepResult, StepStatus, likeness
from referee.conformance.check.steps import CheckStep, Skipped, steps
from referee.conformance.check.subject import CheckedBot
from referee.conformance.check.violation import Violation
from referee.core.clock import ClockConfig
from referee.core.errors import PausedError, RefereeError
from referee.core.rules import Rule
from referee.core.scratch import short_folder
from referee.core.verdicts import MOST_PAUSES, Came, Facts, judge
from referee.hosting.build import build_in_place
from referee.hosting.manifest import Manifest
from referee.hosting.running_bot import bot_spec_of
from referee.sandbox.levels import Sandbox
from referee.transports import PIPED


def check(
    manifest: Manifest,
    games: Sequence[str],
    sandbox: Sandbox,
    *,
    on_result: Callable[[StepResult], None],
    clock: ClockConfig = ClockConfig(),  # noqa: B008 -- frozen
    seconds: float = SECONDS,
) -> list[StepResult]:
    """Build a bot and test every rule on it with these games; report each result at once.

    Steps left after `seconds` are not tried. Raise `RefereeError` if the machine fails, not the
    bot.
    """
    taken: list[StepResult] = []

    def report(result: StepResult) -> None:
        taken.append(result)
        on_result(result)

    bot_spec = bot_spec_of(manifest)
    report(_built(manifest, sandbox))
    if taken[0].verdict is StepStatus.FAILED:
        return taken
    with short_folder() as folder, asyncio.Runner() as runner:
        subject = CheckedBot(bot_spec, games, clock, sandbox, folder)
        runner.run(_try_all(subject, report, seconds))
    return taken


def _built(manifest: Manifest, sandbox: Sandbox) -> StepResult:
    """Build the bot in its own folder, in the bot's sandbox but with the network."""
    title = "builds"
    if not manifest.build:
        return StepResult(1, Rule.BUILD, title, StepStatus.SKIPPED, "there is nothing to build")
    built = build_in_place(manifest, sandbox, network=True, on_command=lambda _: None)
    if not built.failure:
        return StepResult(1, Rule.BUILD, title, StepStatus.PASSED)
    violation = Violation(Rule.BUILD, "nothing", built.failure)
    return StepResult(
        1, Rule.BUILD, title, StepStatus.FAILED, "", violation, Rule.BUILD, printed=built.log
    )


async def _try_all(
    subject: CheckedBot, report: Callable[[StepResult], None], seconds: float
) -> None:
    try:
        async for result in results(subject, steps(subject), first=2, seconds=seconds):
            report(result)
    except OSError as error:
        raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error
    finally:
        await subject.stop()


async def results(
    subject: CheckedBot, wanted: Iterable[CheckStep], first: int = 1, seconds: float = SECONDS
) -> AsyncIterator[StepResult]:
    """Run the steps and yield their results; stop the bot after each violation.

    Skips the rest when the time is over or nothing more can be learnt.
    """
    before: list[StepResult] = []
    subject.deadline = asyncio.get_running_loop().time() + seconds
    over = f"the time limit of {seconds:g} s is over"
    with subject.pauses.watching():
        for number, step in enumerate(wanted, start=first):
            result = await _undisturbed(subject, step, number, before, over)
            before.append(result)
            yield result


async def _undisturbed(
    subject: CheckedBot, step: CheckStep, number: int, before: Sequence[StepResult], over: str
) -> StepResult:
    """Run one step and return its result; repeat it if a pause may have made it fail.

    `over` is the note for a step that runs out of time.
    """
    first_match, talks, alone = subject.matches, subject.talks, subject.alone
    for _ in range(MOST_PAUSES):
        since_ns = subject.pauses.now_ns()
        result = None
        try:
            result = await _taken(subject, step, number, before)
        except TimeoutError:
            await subject.stop()
            result = StepResult(number, step.rule, step.title, StepStatus.LEFT, over)
        except PausedError:
            await subject.stop()
        pause = subject.pauses.latest()
        went_well = result is not None and result.verdict in (StepStatus.PASSED, StepStatus.SKIPPED)
        failure = judge(Facts(Came.END, pause=pause, seen_ns=since_ns))
        if result is not None and (went_well or not failure.is_void):
            return result
        subject.begin_again(first_match, subject.pauses.paused_us(since_ns) / 1e6)
        subject.talks, subject.alone = talks, alone
    raise RefereeError(f"the check was paused {MOST_PAUSES} times in one step: {pause}")


async def _taken(
    subject: CheckedBot, step: CheckStep, number: int, before: Sequence[StepResult]
) -> StepResult:
    """Run one step and return its result; raise `TimeoutError` if time runs out."""
    if subject.hopeless:
        return StepResult(number, step.rule, step.title, StepStatus.SKIPPED, subject.hopeless)
    first_match = subject.matches
    try:
        async with asyncio.timeout_at(subject.deadline):
            seen = await step.attempt(subject)
    except Skipped as skipped:
        return StepResult(number, step.rule, step.title, StepStatus.SKIPPED, str(skipped))
    except Violation as violation:
        result = await _failed(subject, step, number, violation, first_match, before)
        subject.hopeless = _hopeless(subject, result)
        subject.alone = subject.alone or result.blamed is Rule.MATCH_NEXT
        return result
    return StepResult(number, step.rule, step.title, StepStatus.PASSED, seen)


def _hopeless(subject: CheckedBot, result: StepResult) -> str:
    """Return why a failure makes further steps pointless; empty if it does not."""
    violation = result.violation
    if violation is not None and violation is subject.refused:
        return "it did not start"
    if violation is None or not violation.is_silent:
        return ""
    if not subject.answered:
        return "it has not answered a single request"
    return "it was silent again" if result.verdict is StepStatus.SAME else ""


_OF_EVERY_MATCH = frozenset({Rule.STREAM_KEPT, *(rule for rule in Rule if "answer." in rule)})
"""Rules that a bot can break in any step, whatever the step tests."""
_NOT_OF_THE_STEP = frozenset({Rule.ANSWER_ONCE})
"""Those that no step can make a bot break."""
_ONE_FAILURE = frozenset({Rule.ANSWER_LEGAL, Rule.ANSWER_TIME})
"""Rules of which the report shows only the first violation, whatever the details."""


async def _failed(
    subject: CheckedBot,
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
        is_reported_once = violation.rule in _ONE_FAILURE and one.blamed is violation.rule
        if is_reported_once or likeness(one.violation, one.printed) == like:
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
    subject: CheckedBot, step: CheckStep, violation: Violation, first_match: int
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


async def _fails_anyhow(subject: CheckedBot, violation: Violation) -> bool:
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


def _advice(subject: CheckedBot, violation: Violation) -> str:
    """Return advice for the author of a silent bot; empty for any other."""
    if not violation.is_silent:
        return ""
    if subject.bot_spec.transport in PIPED and not subject.answered:
        return "does the bot flush its answer? If so, let it print its progress to stderr"
    return "let the bot print its progress to stderr: this report shows the output"
