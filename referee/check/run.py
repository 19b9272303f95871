"""Running the steps of a check, one after the other."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from pathlib import Path

import uvloop

from referee.bot import entrant_of
from referee.build import build_in_place
from referee.check.playing import Broken
from referee.check.report import Result, Verdict, likeness
from referee.check.rules import Rule
from referee.check.stand import Stand
from referee.check.steps import Skipped, Step, steps
from referee.clock import ClockConfig
from referee.errors import RefereeError
from referee.manifest import Manifest
from referee.sandbox.levels import Sandbox

_OF_EVERY_MATCH = frozenset({Rule.STREAM_KEPT, *(rule for rule in Rule if "answer." in rule)})
"""Rules that a bot can break in any step, whatever the step tries."""
_NOT_OF_THE_STEP = frozenset({Rule.ANSWER_ONCE})
"""Of these, what no step brings about."""


def check(
    manifest: Manifest,
    games: Sequence[str],
    sandbox: Sandbox,
    *,
    say: Callable[[Result], None],
    clock: ClockConfig = ClockConfig(),  # noqa: B008 -- frozen
) -> list[Result]:
    """Build a bot and try every rule on it with these games; `say` is told each result at once.

    Raise `RefereeError` if the machine fails, and not the bot.
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
        runner.run(_try_all(stand, tell))
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
    return Result(1, Rule.BUILD, title, Verdict.FAILED, "", broken, Rule.BUILD, built.log)


async def _try_all(stand: Stand, tell: Callable[[Result], None]) -> None:
    try:
        async for result in results(stand, steps(stand), first=2):
            tell(result)
    except OSError as error:
        raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error
    finally:
        await stand.stop()


async def results(stand: Stand, wanted: Iterable[Step], first: int = 1) -> AsyncIterator[Result]:
    """Take steps and yield how each ended; a bot that broke a rule is stopped after it."""
    before: list[Result] = []
    for number, step in enumerate(wanted, start=first):
        try:
            seen = await step.attempt(stand)
        except Skipped as skipped:
            result = Result(number, step.rule, step.title, Verdict.SKIPPED, str(skipped))
        except Broken as broken:
            printed = broken.printed + await stand.stop()
            result = _failure(number, step, broken, printed, before)
        else:
            result = Result(number, step.rule, step.title, Verdict.PASSED, seen)
        before.append(result)
        yield result


def _failure(
    number: int, step: Step, broken: Broken, printed: str, before: Sequence[Result]
) -> Result:
    """Return the result of a step in which the bot broke a rule, this one or another."""
    if any(one.broken is broken for one in before):
        return Result(number, step.rule, step.title, Verdict.SKIPPED, "it did not start")
    verdict = Verdict.FAILED if step.must else Verdict.ADVICE
    same = likeness(broken, printed)
    known = next(
        (one for one in before if one.broken and likeness(one.broken, one.printed) == same), None
    )
    if known is not None:
        seen = f"the same as in step {known.number}"
        return Result(number, step.rule, step.title, verdict, seen, broken, known.blamed, printed)
    every = step.rule is Rule.GAMES_ALL or step.rule in _OF_EVERY_MATCH
    brought_about = broken.rule in _OF_EVERY_MATCH - _NOT_OF_THE_STEP and not every
    blamed = step.rule if brought_about else broken.rule
    return Result(number, step.rule, step.title, verdict, "", broken, blamed, printed)
