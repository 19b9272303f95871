"""Running the steps of a check, one after the other."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import uvloop

from referee.conformance.check import SECONDS, blame
from referee.conformance.check.broken import Broken
from referee.conformance.check.report import Result, Verdict
from referee.conformance.check.rules import Rule
from referee.conformance.check.stand import Stand
from referee.conformance.check.steps import Skipped, Step, steps
from referee.core.clock import ClockConfig
from referee.core.errors import PausedError, RefereeError
from referee.hosting.build import build_in_place
from referee.hosting.manifest import Manifest
from referee.hosting.running_bot import entrant_of
from referee.sandbox.levels import Sandbox

_MOST_PAUSES = 10
"""How often a step is taken that a pause of the check may have spoilt."""


def check(
    manifest: Manifest,
    games: Sequence[str],
    sandbox: Sandbox,
    *,
    say: Callable[[Result], None],
    clock: ClockConfig = ClockConfig(),  # noqa: B008 -- frozen
    seconds: float = SECONDS,
) -> list[Result]:
    """Build a bot and try every rule on it with these games; `say` is told each result at once.

    After so many seconds what is left is not tried. Raise `RefereeError` if the machine fails, and
    not the bot.
    """
    taken: list[Result] = []

    def tell(result: Result) -> None:
        taken.append(result)
        say(result)

    entrant = entrant_of(manifest)
    tell(_built(manifest, sandbox))
    if taken[0].verdict is Verdict.FAILED:
        return taken
    with (
        tempfile.TemporaryDirectory(prefix="courtyard-") as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        stand = Stand(entrant, games, clock, sandbox, Path(folder))
        runner.run(_try_all(stand, tell, seconds))
    return taken


def _built(manifest: Manifest, sandbox: Sandbox) -> Result:
    """Build the bot in its own folder, contained as the bot is, but with the network."""
    title = "builds"
    if not manifest.build:
        return Result(1, Rule.BUILD, title, Verdict.SKIPPED, "there is nothing to build")
    built = build_in_place(manifest, sandbox, network=True, say=lambda _: None)
    if not built.failure:
        return Result(1, Rule.BUILD, title, Verdict.PASSED)
    broken = Broken(Rule.BUILD, "nothing", built.failure)
    return Result(1, Rule.BUILD, title, Verdict.FAILED, "", broken, Rule.BUILD, printed=built.log)


async def _try_all(stand: Stand, tell: Callable[[Result], None], seconds: float) -> None:
    try:
        async for result in results(stand, steps(stand), first=2, seconds=seconds):
            tell(result)
    except OSError as error:
        raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error
    finally:
        await stand.stop()


async def results(
    stand: Stand, wanted: Iterable[Step], first: int = 1, seconds: float = SECONDS
) -> AsyncIterator[Result]:
    """Take steps and yield how each ended; a bot that broke a rule is stopped after it.

    When the time is over, or nothing more can be learnt, the others are not tried.
    """
    before: list[Result] = []
    stand.deadline = asyncio.get_running_loop().time() + seconds
    over = f"the {seconds:g} s of the check are over"
    with stand.pauses.watching():
        for number, step in enumerate(wanted, start=first):
            result = await _undisturbed(stand, step, number, before, over)
            before.append(result)
            yield result


async def _undisturbed(
    stand: Stand, step: Step, number: int, before: Sequence[Result], over: str
) -> Result:
    """Take one step and return how it ended, again if a pause may be why it did not go well.

    `over` is what to say of a step for which there is no time.
    """
    first_match, talks, alone = stand.matches, stand.talks, stand.alone
    for _ in range(_MOST_PAUSES):
        since_ns = stand.pauses.now_ns()
        result = None
        try:
            result = await _taken(stand, step, number, before)
        except TimeoutError:
            await stand.stop()
            result = Result(number, step.rule, step.title, Verdict.LEFT, over)
        except PausedError:
            await stand.stop()
        pause = stand.pauses.last(since_ns)
        went_well = result is not None and result.verdict in (Verdict.PASSED, Verdict.SKIPPED)
        if result is not None and (pause is None or went_well):
            return result
        stand.begin_again(first_match, stand.pauses.paused_us(since_ns) / 1e6)
        stand.talks, stand.alone = talks, alone
    raise RefereeError(f"the check was paused {_MOST_PAUSES} times in one step: {pause}")


async def _taken(stand: Stand, step: Step, number: int, before: Sequence[Result]) -> Result:
    """Take one step and return how it ended; raise `TimeoutError` if there is no time for it."""
    if stand.hopeless:
        return Result(number, step.rule, step.title, Verdict.SKIPPED, stand.hopeless)
    first_match = stand.matches
    try:
        async with asyncio.timeout_at(stand.deadline):
            seen = await step.attempt(stand)
    except Skipped as skipped:
        return Result(number, step.rule, step.title, Verdict.SKIPPED, str(skipped))
    except Broken as broken:
        result = await blame.failure(stand, step, number, broken, first_match, before)
        stand.hopeless = _hopeless(stand, result)
        stand.alone = stand.alone or result.blamed is Rule.MATCH_NEXT
        return result
    return Result(number, step.rule, step.title, Verdict.PASSED, seen)


def _hopeless(stand: Stand, result: Result) -> str:
    """Return why nothing more can be learnt after a failure; empty if something can."""
    broken = result.broken
    if broken is not None and broken is stand.refused:
        return "it did not start"
    if broken is None or not broken.is_silent:
        return ""
    if not stand.answered:
        return "it has not answered a single request"
    return "it was silent again" if result.verdict is Verdict.SAME else ""
