"""The steps of `referee check`, in order: each tries one rule of docs/protocol.md on the bot."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace

from referee.conformance.check import later
from referee.conformance.check.broken import Broken
from referee.conformance.check.playing import Trial, hear_nothing
from referee.conformance.check.probe import Probe
from referee.conformance.check.rules import Rule
from referee.conformance.check.stand import MOST_DECISIONS, Stand, again
from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind
from referee.games import game_named
from referee.transports import PIPED

_LONGEST_ID = 64
_HASTE = ClockConfig(decision_limit_ms=400, bank_ms=400, increment_ms=200)
"""Little time, but enough for whoever looks at it."""
_A_TRIAL = (
    "only a trial by `referee check`: your answers were legal, but a match is to go on like this"
)

Attempt = Callable[[Stand], Awaitable[str]]
"""Tries one rule; returns what was seen, raises `Broken` or `Skipped`."""


class Skipped(Exception):  # noqa: N818 -- it is no error
    """A step has nothing to try; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step."""

    rule: Rule
    title: str
    """What the bot does if it passes."""
    attempt: Attempt
    must: bool = True
    """Whether the rule says MUST; otherwise SHOULD."""


def steps(stand: Stand) -> Iterator[Step]:
    """Yield the steps for the games of a stand."""
    yield from (Step(rule, title, _introduced(rule)) for rule, title in _HELLO.items())
    yield Step(Rule.QUIET, "waits after Welcome", _quiet_after_welcome)
    tables = [(game, seats) for game in stand.games for seats in game_named(game).seats]
    yield _whole_match(*tables[0])
    yield Step(Rule.MATCH_NEXT, "plays the next match on the same stream", _next_match)
    yield from (_whole_match(game, seats) for game, seats in tables[1:])
    yield Step(Rule.ANSWER_MATCH, "bears a match id of 64 characters", _longest_id)
    yield Step(Rule.MATCH_SAME, "plays a deal that comes again", _same_deal)
    yield Step(Rule.ANSWER_TIME, "answers in time when little is left", _in_haste)
    for game in stand.games:
        title = f"ignores unknown fields in {game}"
        yield Step(Rule.REQUEST_UNKNOWN, title, _changed(game, later.with_unknown_fields))
    yield Step(Rule.REQUEST_UNKNOWN_BODY, "ignores an unknown message", _unknown_body)
    for game in stand.games:
        title = f"takes requests of 1 MiB in {game}"
        yield Step(Rule.REQUEST_LARGE, title, _changed(game, later.as_large_as_can_be, most=2))
    for game in stand.games:
        title = f"needs no events in {game}"
        yield Step(Rule.REQUEST_ENOUGH, title, _changed(game, later.without_events), must=False)
    yield Step(Rule.MATCH_VOID, "plays on after a match that just stopped", _after_a_void_match)
    yield Step(Rule.MATCH_FAULT, "plays on after a fault", _after_a_fault)
    yield Step(Rule.QUIET, "leaves MatchEnd unanswered", _quiet_after_end)
    yield Step(Rule.PROCESS_STOPPED, "bears being stopped for a while", _stopped_meanwhile)
    yield Step(Rule.PROCESS_ANOTHER, "plays in a second process too", _another_process)
    yield Step(Rule.PROCESS_EXIT, "exits when the stream ends", _exits)
    yield Step(Rule.PROCESS_EXIT, "exits after a fault that ends the stream", _exits_after_a_fault)


# Saying Hello

_HELLO = {
    Rule.START: "starts",
    Rule.HELLO_FIRST: "says Hello first",
    Rule.HELLO_VERSION: "speaks version 1",
    Rule.HELLO_LIMITS: "keeps the limits of Hello",
    Rule.HELLO_TOKEN: "bears its token",
}
"""In the order in which the referee looks at them."""


def _introduced(rule: Rule) -> Attempt:
    """Return the step that finds whether the bot got beyond this rule when it started."""
    order = list(_HELLO)

    async def attempt(stand: Stand) -> str:
        try:
            bot = await stand.bot()
        except Broken as broken:
            if order.index(broken.rule) <= order.index(rule):
                raise
            return ""
        if rule is Rule.HELLO_TOKEN and stand.entrant.transport in PIPED:
            raise Skipped(f"there are no tokens on {stand.entrant.transport}")
        return f"Hello after {bot.started_after_s:.2f} s" if rule is Rule.START else ""

    return attempt


async def _quiet_after_welcome(stand: Stand) -> str:
    bot = await stand.bot()
    stand.talks = True
    await hear_nothing(bot, Rule.QUIET, "Welcome")
    stand.talks = False
    if refusal := bot.refusal:
        rule = Rule.HELLO_TOKEN if "token" in refusal else Rule.QUIET
        raise Broken(rule, "Welcome", f"more than one stream: {refusal}")
    return ""


# Matches


def _whole_match(game: str, seats: int) -> Step:
    async def attempt(stand: Stand) -> str:
        return str(await stand.play(stand.table(game, seats), most=None))

    return Step(Rule.GAMES_ALL, f"plays {game} with {seats} seats", attempt)


async def _next_match(stand: Stand) -> str:
    await stand.stop()
    await stand.play(most=2)
    for _ in range(2 * len(stand.games)):
        await stand.play()
    return ""


async def _longest_id(stand: Stand) -> str:
    table = stand.table()
    longest = f"{table.match_id} ~{'0123456789' * 6}"[:_LONGEST_ID]
    return str(await stand.play(again(table, longest)))


async def _same_deal(stand: Stand) -> str:
    table = stand.table()
    await stand.play(table)
    return str(await stand.play(again(table, f"{table.match_id}-again")))


async def _in_haste(stand: Stand) -> str:
    times = await stand.play(replace(stand.table(), clock=_HASTE))
    return f"{times}, {_HASTE.bank_ms} ms in the bank"


def _changed(game: str, change: Callable[[bytes], bytes], most: int = MOST_DECISIONS) -> Attempt:
    """Return the step in which requests of a game are changed in a way that the bot can bear."""

    async def attempt(stand: Stand) -> str:
        return str(await stand.play(stand.table(game), change, most))

    return attempt


async def _unknown_body(stand: Stand) -> str:
    bot, table = await stand.bot(), stand.table()
    trial = Trial(bot, table)
    await trial.decide(1)
    await trial.settle()
    await bot.tell(later.with_unknown_body(table.match_id))
    sent = "a message of a kind that is not known"
    await hear_nothing(bot, Rule.REQUEST_UNKNOWN_BODY, sent)
    return str(await trial.play(MOST_DECISIONS))


async def _after_a_void_match(stand: Stand) -> str:
    table = stand.table()
    await Trial(await stand.bot(), table).decide(2)
    await stand.play(table)
    await Trial(await stand.bot(), stand.table()).decide(2)
    return str(await stand.play())


async def _after_a_fault(stand: Stand) -> str:
    bot = await stand.bot()
    trial = Trial(bot, stand.table())
    await trial.decide(1)
    await trial.tell_fault(Fault(FaultKind.ILLEGAL_ACTION, _A_TRIAL))
    await hear_nothing(bot, Rule.QUIET, "a Fault")
    await trial.tell_end()
    return str(await stand.play())


async def _quiet_after_end(stand: Stand) -> str:
    if stand.talks:
        raise Skipped("it speaks unasked after Welcome already")
    bot = await stand.bot()
    trial = Trial(bot, stand.table())
    await trial.decide(1)
    await trial.settle()
    await trial.play(1)
    await hear_nothing(bot, Rule.QUIET, "MatchEnd")
    return ""


# Processes


async def _stopped_meanwhile(stand: Stand) -> str:
    bot = await stand.bot()
    trial = Trial(bot, stand.table())
    await trial.decide(1)
    await bot.stand_still()
    return str(await trial.play(MOST_DECISIONS))


async def _another_process(stand: Stand) -> str:
    await stand.play(most=1)
    try:
        second = await stand.launch()
    except Broken as broken:
        broken.rule = Rule.PROCESS_ANOTHER
        raise
    try:
        times = await Trial(second, stand.table()).play(MOST_DECISIONS)
    except Broken as broken:
        await second.stop()
        broken.printed = second.output()
        raise
    finally:
        await second.stop()
    await stand.play(most=1)
    return str(times)


async def _exits(stand: Stand) -> str:
    await stand.stop()
    await stand.play(most=1)
    return await _left(await stand.bot(), "the end of the stream")


async def _exits_after_a_fault(stand: Stand) -> str:
    await stand.stop()
    bot = await stand.bot()
    trial = Trial(bot, stand.table())
    await trial.decide(1)
    await trial.tell_fault(Fault(FaultKind.TIMEOUT, _A_TRIAL))
    return await _left(bot, "a Fault and the end of the stream")


async def _left(bot: Probe, sent: str) -> str:
    ending = await bot.leave()
    if ending.exit_code != 0:
        raise Broken(Rule.PROCESS_EXIT, sent, ending.reason)
    return ""
