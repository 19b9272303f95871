"""The steps of `referee check`, in order: each tests one rule of docs/protocol.md."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace

from referee.conformance.check import future_messages
from referee.conformance.check.check_match import CheckMatch, expect_silence
from referee.conformance.check.probe import Probe
from referee.conformance.check.subject import MOST_DECISIONS, CheckedBot, again
from referee.conformance.check.violation import Violation
from referee.core.clock import ClockConfig
from referee.core.faults import Fault, FaultKind
from referee.core.rules import Rule
from referee.games import game_named
from referee.transports import PIPED

_LONGEST_ID = 64
_HASTE = ClockConfig(decision_limit_ms=400, bank_ms=400, increment_ms=200)
"""Little time, but enough for a bot that heeds it."""
_ONLY_A_CHECK = (
    "only a test by `referee check`: your answers were legal; the match goes on after this fault"
)

Attempt = Callable[[CheckedBot], Awaitable[str]]
"""Tests one rule; returns a note for the report, raises `Violation` or `Skipped`."""


class Skipped(Exception):  # noqa: N818 -- it is no error
    """A step has nothing to test; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of a check."""

    rule: Rule
    title: str
    """The conduct of a bot that passes."""
    attempt: Attempt
    must: bool = True
    """Whether the rule has MUST; otherwise SHOULD."""


def steps(subject: CheckedBot) -> Iterator[CheckStep]:
    """Yield the steps for the games of this bot."""
    yield from (CheckStep(rule, title, _introduced(rule)) for rule, title in _HELLO.items())
    yield CheckStep(Rule.QUIET, "waits after Welcome", _quiet_after_welcome)
    tables = [(game, seats) for game in subject.games for seats in game_named(game).seats]
    yield _whole_match(*tables[0])
    yield CheckStep(Rule.MATCH_NEXT, "plays the next match on the same stream", _next_match)
    yield from (_whole_match(game, seats) for game, seats in tables[1:])
    yield CheckStep(Rule.ANSWER_MATCH, "bears a match id of 64 characters", _longest_id)
    yield CheckStep(Rule.MATCH_SAME, "plays a deal that comes again", _same_deal)
    yield CheckStep(Rule.ANSWER_TIME, "answers in time when little is left", _in_haste)
    for game in subject.games:
        title = f"ignores unknown fields in {game}"
        yield CheckStep(
            Rule.REQUEST_UNKNOWN, title, _changed(game, future_messages.with_unknown_fields)
        )
    yield CheckStep(Rule.REQUEST_UNKNOWN_BODY, "ignores an unknown message", _unknown_body)
    for game in subject.games:
        title = f"takes requests of 1 MiB in {game}"
        yield CheckStep(
            Rule.REQUEST_LARGE, title, _changed(game, future_messages.as_large_as_can_be, most=2)
        )
    for game in subject.games:
        title = f"needs no events in {game}"
        yield CheckStep(
            Rule.REQUEST_ENOUGH, title, _changed(game, future_messages.without_events), must=False
        )
    yield CheckStep(Rule.MATCH_VOID, "plays on after a match without MatchEnd", _after_a_void_match)
    yield CheckStep(Rule.MATCH_FAULT, "plays on after a fault", _after_a_fault)
    yield CheckStep(Rule.QUIET, "leaves MatchEnd unanswered", _quiet_after_end)
    yield CheckStep(Rule.PROCESS_STOPPED, "survives being stopped for a while", _stopped_meanwhile)
    yield CheckStep(Rule.PROCESS_ANOTHER, "plays in a second process too", _another_process)
    yield CheckStep(Rule.PROCESS_EXIT, "exits when the stream ends", _exits)
    yield CheckStep(
        Rule.PROCESS_EXIT, "exits after a fault that ends the stream", _exits_after_a_fault
    )


# Saying Hello

_HELLO = {
    Rule.START: "starts",
    Rule.HELLO_FIRST: "says Hello first",
    Rule.HELLO_VERSION: "speaks version 1",
    Rule.HELLO_LIMITS: "keeps the limits of Hello",
    Rule.HELLO_TOKEN: "bears its token",
}
"""In the order in which the referee checks them."""


def _introduced(rule: Rule) -> Attempt:
    """Return the step that tests whether the bot's start got past this rule."""
    order = list(_HELLO)

    async def attempt(subject: CheckedBot) -> str:
        try:
            bot = await subject.bot()
        except Violation as violation:
            if order.index(violation.rule) <= order.index(rule):
                raise
            return ""
        if rule is Rule.HELLO_TOKEN and subject.bot_spec.transport in PIPED:
            raise Skipped(f"{subject.bot_spec.transport} uses no tokens")
        return f"Hello after {bot.started_after_s:.2f} s" if rule is Rule.START else ""

    return attempt


async def _quiet_after_welcome(subject: CheckedBot) -> str:
    bot = await subject.bot()
    subject.talks = True
    await expect_silence(bot, Rule.QUIET, "Welcome")
    subject.talks = False
    if refusal := bot.refusal:
        rule = Rule.HELLO_TOKEN if refusal.rule is Rule.HELLO_TOKEN else Rule.QUIET
        raise Violation(rule, "Welcome", f"more than one stream: {refusal}")
    return ""


# Matches


def _whole_match(game: str, seats: int) -> CheckStep:
    async def attempt(subject: CheckedBot) -> str:
        return str(await subject.play(subject.table(game, seats), most=None))

    return CheckStep(Rule.GAMES_ALL, f"plays {game} with {seats} seats", attempt)


async def _next_match(subject: CheckedBot) -> str:
    await subject.stop()
    await subject.play(most=2)
    for _ in range(2 * len(subject.games)):
        await subject.play()
    return ""


async def _longest_id(subject: CheckedBot) -> str:
    table = subject.table()
    longest = f"{table.match_id} ~{'0123456789' * 6}"[:_LONGEST_ID]
    return str(await subject.play(again(table, longest)))


async def _same_deal(subject: CheckedBot) -> str:
    table = subject.table()
    await subject.play(table)
    return str(await subject.play(again(table, f"{table.match_id}-again")))


async def _in_haste(subject: CheckedBot) -> str:
    times = await subject.play(replace(subject.table(), clock=_HASTE))
    return f"{times}, {_HASTE.bank_ms} ms in the bank"


def _changed(game: str, change: Callable[[bytes], bytes], most: int = MOST_DECISIONS) -> Attempt:
    """Return the step that alters a game's requests in a way the bot must tolerate."""

    async def attempt(subject: CheckedBot) -> str:
        return str(await subject.play(subject.table(game), change, most))

    return attempt


async def _unknown_body(subject: CheckedBot) -> str:
    bot, table = await subject.bot(), subject.table()
    match = CheckMatch(bot, table)
    await match.decide(1)
    await match.settle()
    await bot.notify(future_messages.with_unknown_body(table.match_id))
    sent = "a message of an unknown kind"
    await expect_silence(bot, Rule.REQUEST_UNKNOWN_BODY, sent)
    return str(await match.play(MOST_DECISIONS))


async def _after_a_void_match(subject: CheckedBot) -> str:
    table = subject.table()
    await CheckMatch(await subject.bot(), table).decide(2)
    await subject.play(table)
    await CheckMatch(await subject.bot(), subject.table()).decide(2)
    return str(await subject.play())


async def _after_a_fault(subject: CheckedBot) -> str:
    bot = await subject.bot()
    match = CheckMatch(bot, subject.table())
    await match.decide(1)
    await match.send_fault(Fault(FaultKind.ILLEGAL_ACTION, _ONLY_A_CHECK))
    await expect_silence(bot, Rule.QUIET, "a Fault")
    await match.send_end()
    return str(await subject.play())


async def _quiet_after_end(subject: CheckedBot) -> str:
    if subject.talks:
        raise Skipped("the bot already sends messages after Welcome")
    bot = await subject.bot()
    match = CheckMatch(bot, subject.table())
    await match.decide(1)
    await match.settle()
    await match.play(1)
    await expect_silence(bot, Rule.QUIET, "MatchEnd")
    return ""


# Processes


async def _stopped_meanwhile(subject: CheckedBot) -> str:
    bot = await subject.bot()
    match = CheckMatch(bot, subject.table())
    await match.decide(1)
    await bot.stand_still()
    return str(await match.play(MOST_DECISIONS))


async def _another_process(subject: CheckedBot) -> str:
    await subject.play(most=1)
    try:
        second = await subject.launch()
    except Violation as violation:
        violation.rule = Rule.PROCESS_ANOTHER
        raise
    try:
        times = await CheckMatch(second, subject.table()).play(MOST_DECISIONS)
    except Violation as violation:
        await second.stop()
        violation.printed = second.output()
        raise
    finally:
        await second.stop()
    await subject.play(most=1)
    return str(times)


async def _exits(subject: CheckedBot) -> str:
    await subject.stop()
    await subject.play(most=1)
    return await _left(await subject.bot(), "the end of the stream")


async def _exits_after_a_fault(subject: CheckedBot) -> str:
    await subject.stop()
    bot = await subject.bot()
    match = CheckMatch(bot, subject.table())
    await match.decide(1)
    await match.send_fault(Fault(FaultKind.TIMEOUT, _ONLY_A_CHECK))
    return await _left(bot, "a Fault and the end of the stream")


async def _left(bot: Probe, sent: str) -> str:
    ending = await bot.leave()
    if ending.exit_code != 0:
        raise Violation(Rule.PROCESS_EXIT, sent, ending.reason)
    return ""
