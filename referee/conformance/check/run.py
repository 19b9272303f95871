"""Run the steps of a check in order."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence

import uvloop

from referee.conformance.check import SECONDS, blame
from referee.conformance.check.report import StepResult, StepStatus
from referee.conformance.check.steps import CheckStep, Skipped, steps
from referee.conformance.check.subject import Subject
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


def check(
    manifest: Manifest,
    games: Sequence[str],
    sandbox: Sandbox,
    *,
    say: Callable[[StepResult], None],
    clock: ClockConfig = ClockConfig(),  # noqa: B008 -- frozen
    seconds: float = SECONDS,
) -> list[StepResult]:
    """Build a bot and test every rule on it with these games; call `say` with each result at once.

    Steps left after `seconds` are not tried. Raise `RefereeError` if the machine fails, not the
    bot.
    """
    taken: list[StepResult] = []

    def tell(result: StepResult) -> None:
        taken.append(result)
        say(result)

    bot_spec = bot_spec_of(manifest)
    tell(_built(manifest, sandbox))
    if taken[0].verdict is StepStatus.FAILED:
        return taken
    with (
        short_folder() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        subject = Subject(bot_spec, games, clock, sandbox, folder)
        runner.run(_try_all(subject, tell, seconds))
    return taken


def _built(manifest: Manifest, sandbox: Sandbox) -> StepResult:
    """Build the bot in its own folder, in the bot's sandbox but with the network."""
    title = "builds"
    if not manifest.build:
        return StepResult(1, Rule.BUILD, title, StepStatus.SKIPPED, "there is nothing to build")
    built = build_in_place(manifest, sandbox, network=True, say=lambda _: None)
    if not built.failure:
        return StepResult(1, Rule.BUILD, title, StepStatus.PASSED)
    violation = Violation(Rule.BUILD, "nothing", built.failure)
    return StepResult(
        1, Rule.BUILD, title, StepStatus.FAILED, "", violation, Rule.BUILD, printed=built.log
    )


async def _try_all(subject: Subject, tell: Callable[[StepResult], None], seconds: float) -> None:
    try:
        async for result in results(subject, steps(subject), first=2, seconds=seconds):
            tell(result)
    except OSError as error:
        raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error
    finally:
        await subject.stop()


async def results(
    subject: Subject, wanted: Iterable[CheckStep], first: int = 1, seconds: float = SECONDS
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
    subject: Subject, step: CheckStep, number: int, before: Sequence[StepResult], over: str
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
    subject: Subject, step: CheckStep, number: int, before: Sequence[StepResult]
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
        result = await blame.failure(subject, step, number, violation, first_match, before)
        subject.hopeless = _hopeless(subject, result)
        subject.alone = subject.alone or result.blamed is Rule.MATCH_NEXT
        return result
    return StepResult(number, step.rule, step.title, StepStatus.PASSED, seen)


def _hopeless(subject: Subject, result: StepResult) -> str:
    """Return why a failure makes further steps pointless; empty if it does not."""
    violation = result.violation
    if violation is not None and violation is subject.refused:
        return "it did not start"
    if violation is None or not violation.is_silent:
        return ""
    if not subject.answered:
        return "it has not answered a single request"
    return "it was silent again" if result.verdict is StepStatus.SAME else ""
