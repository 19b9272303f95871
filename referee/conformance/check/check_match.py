"""Matches that a bot plays while it is checked: among stand-ins, every answer judged."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from referee.conformance.check import future_messages
from referee.conformance.check.probe import Probe
from referee.conformance.check.rules import Rule, rule_of_answer
from referee.conformance.check.violation import Moment, Table, Violation
from referee.core.faults import Fault, FaultKind
from referee.games.base import State
from referee.games.randomness import Stream
from referee.hosting.running_bot import Answer
from referee.match.match import Match, MatchSetup, Request
from referee.wire import envelope

Change = Callable[[bytes], bytes]
"""What is done to a request before it is sent."""


def unchanged(request: bytes) -> bytes:
    """Send a request as it is."""
    return request


async def hear_nothing(bot: Probe, rule: Rule, sent: str) -> None:
    """Raise `Violation` of this rule if the bot sends anything now, or if it ends its stream."""
    try:
        heard = await bot.overheard()
    except ConnectionError:
        raise Violation(Rule.STREAM_KEPT, sent, "the bot ended its stream") from None
    if heard:
        raise Violation(rule, sent, heard)


@dataclass(frozen=True, slots=True)
class Times:
    """How long each decision took, in microseconds."""

    charged: tuple[int, ...]
    wall: tuple[int, ...]

    def __str__(self) -> str:
        """Give the number, the median and the slowest by the clock, and the slowest on the wall."""
        if not self.charged:
            return "no decisions"
        middle, slowest = median(self.charged) / 1000, max(self.charged) / 1000
        return (
            f"{len(self.charged)} decisions, median {middle:.1f} ms, slowest {slowest:.1f} ms "
            f"charged, {max(self.wall) / 1000:.1f} ms on the wall"
        )


class CheckMatch:
    """One match in which the bot has one seat."""

    def __init__(self, bot: Probe, table: Table, change: Change = unchanged) -> None:
        """Deal; `change` is done to every request before it is sent."""
        self._bot = bot
        self._table = table
        self._change = change
        others = frozenset(range(table.seats)) - {table.seat}
        setup = MatchSetup(
            match_id=table.match_id,
            game=table.game,
            seats=table.seats,
            master_seed=table.seed,
            clock=table.clock,
            without_bot=others,
        )
        self._match = Match(setup)
        self._taken: list[Answer] = []

    async def play(self, most: int | None = None) -> Times:
        """Play to the end and tell it; after `most` decisions of the bot, it decides no more."""
        await self.decide(most)
        untold = self._play_on_without_it()
        await self.tell_end(untold)
        return Times(
            tuple(answer.charged_us for answer in self._taken),
            tuple(answer.measured.wall_us for answer in self._taken),
        )

    async def decide(self, most: int | None = None) -> None:
        """Let the bot decide so many times, or to the end."""
        while (due := self._match.due) is not None and (most is None or len(self._taken) < most):
            state, answer = self._match.state, await self.ask(due)
            fault = self._fault(answer)
            if fault is not None:
                raise await self._broken(fault, due, state, answer)
            self._taken.append(answer)
            self._bot.answered += 1

    def _fault(self, answer: Answer) -> Fault | None:
        """Take an answer into the match; return what is wrong with it, if anything is."""
        if isinstance(answer.reply, Fault):
            return answer.reply
        return self._match.answer(answer.reply, answer.charged_us, answer.measured, answer.machine)

    async def settle(self) -> None:
        """Make sure that the last answer was the only one."""
        where = f"match {self._table.match_id} ({self._table})"
        sent = f"request {len(self._taken)} of {where}, which was answered"
        await hear_nothing(self._bot, Rule.ANSWER_ONCE, sent)

    async def ask(self, due: Request) -> Answer:
        """Send what is due to the bot."""
        return await self._bot.asked(due, self._change(due.payload))

    async def tell_fault(self, fault: Fault) -> None:
        """Ask once more, and tell the bot that whatever it answered was a fault."""
        due = self._match.due
        if due is not None:
            answer = await self.ask(due)
            if isinstance(answer.reply, Fault):
                raise await self._broken(answer.reply, due, self._match.state, answer)
            await self.settle()
            self._match.forfeit(fault, 0)
        await self._bot.tell(envelope.told_fault(self._table.match_id, fault))

    async def tell_end(self, untold: list[bytes] | None = None) -> None:
        """Tell the bot how a match that is over ended."""
        ending = self._match.endings()[self._table.seat]
        await self._bot.tell(future_messages.with_events_before(ending, untold or []))

    def _play_on_without_it(self) -> list[bytes]:
        """Play at random to the end; return the events that the bot would have been told."""
        stream, untold = Stream(self._table.seed, "instead of the bot"), list[bytes]()
        while (due := self._match.due) is not None:
            untold += future_messages.events_of(due.payload)
            self._match.decide(self._match.state.random_action(stream), 0)
        return untold

    async def _broken(self, fault: Fault, due: Request, state: State, answer: Answer) -> Violation:
        """Return which rule a fault breaks, and how."""
        rule, number = rule_of_answer(fault), len(self._taken) + 1
        if rule is Rule.ANSWER_NUMBER:
            with contextlib.suppress(ConnectionError):
                if await self._bot.overheard():
                    rule = Rule.ANSWER_ONCE  # the answer before it came again, and this one too
        size, ms = len(self._change(due.payload)), due.allowed_us // 1000
        where = f"match {self._table.match_id} ({self._table})"
        sent = f"request {number} of {where}: {size:,} bytes, {ms:,} ms to answer"
        kind = "" if fault.kind is FaultKind.DISCONNECTED else f"{fault.kind.name}: "
        reply = fault.received if isinstance(answer.reply, Fault) else answer.reply
        observation = state.observation(self._table.seat)
        moment = Moment(self._table, number, observation, reply, is_silent=_is_silent(fault))
        return Violation(rule, sent, f"{kind}{fault.reason}", moment=moment)


def _is_silent(fault: Fault) -> bool:
    """Tell whether a fault is that nothing came at all, and not that it came late."""
    return fault.kind is FaultKind.TIMEOUT and not fault.overrun_ms
