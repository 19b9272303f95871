"""Matches of a check: the bot plays against stand-ins, and every answer is judged."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from referee.conformance.check import future_messages
from referee.conformance.check.probe import Probe
from referee.conformance.check.rules import broken_rule
from referee.conformance.check.violation import CheckedMatch, Violation, WrongAnswer
from referee.core.faults import Fault, FaultKind
from referee.core.rules import Rule
from referee.games.base import State
from referee.games.choice import Choice
from referee.games.randomness import Stream
from referee.hosting.running_bot import Answer
from referee.match.match import Match, MatchSetup, Request
from referee.wire import envelope

Change = Callable[[bytes], bytes]
"""Alters a request before it is sent."""


def unchanged(request: bytes) -> bytes:
    """Return a request unaltered."""
    return request


async def expect_silence(bot: Probe, rule: Rule, sent: str) -> None:
    """Raise `Violation` of this rule if the bot sends anything now, or if it ends its stream."""
    try:
        sent_now = await bot.overheard()
    except ConnectionError:
        raise Violation(Rule.STREAM_KEPT, sent, "the bot ended its stream") from None
    if sent_now:
        raise Violation(rule, sent, sent_now)


@dataclass(frozen=True, slots=True)
class Times:
    """Charged and wall time of each answer, in microseconds."""

    charged: tuple[int, ...]
    wall: tuple[int, ...]

    def __str__(self) -> str:
        """Return the number of answers, median and slowest charged time, slowest wall time."""
        if not self.charged:
            return "no answers"
        middle, slowest = median(self.charged) / 1000, max(self.charged) / 1000
        return (
            f"{len(self.charged)} answers, median {middle:.1f} ms, slowest {slowest:.1f} ms "
            f"charged, {max(self.wall) / 1000:.1f} ms on the wall"
        )


class CheckMatch:
    """One match in which the bot plays one seat."""

    def __init__(self, bot: Probe, table: CheckedMatch, change: Change = unchanged) -> None:
        """Deal; `change` alters every request before it is sent."""
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
        if bot.speaks_plain:
            self._match.use_plain_dialect([table.seat])
        self._taken: list[Answer] = []

    async def play(self, most: int | None = None) -> Times:
        """Play to the end and send MatchEnd; after `most` answers a stand-in replaces the bot."""
        await self.decide(most)
        unsent = self._play_on_without_it()
        await self.send_end(unsent)
        return Times(
            tuple(answer.charged_us for answer in self._taken),
            tuple(answer.measured.wall_us for answer in self._taken),
        )

    async def decide(self, most: int | None = None) -> None:
        """Let the bot give at most `most` answers; None: play to the end."""
        while (due := self._match.due) is not None and (most is None or len(self._taken) < most):
            state, step = self._match.state, self._match.step
            answer = await self.ask(due)
            fault = self._fault(answer)
            if fault is not None:
                raise await self._violation(fault, due, state, step, answer)
            self._taken.append(answer)
            self._bot.answered += 1

    def _fault(self, answer: Answer) -> Fault | None:
        """Apply an answer to the match; return its fault, None if it is fine."""
        if isinstance(answer.reply, Fault):
            return answer.reply
        return self._match.answer(answer.reply, answer.charged_us, answer.measured, answer.machine)

    async def settle(self) -> None:
        """Raise `Violation` if the bot answers the last request once more."""
        where = f"match {self._table.match_id} ({self._table})"
        sent = f"request {len(self._taken)} of {where}, which was answered"
        await expect_silence(self._bot, Rule.ANSWER_ONCE, sent)

    async def ask(self, due: Request) -> Answer:
        """Send the request that is due, and return the answer."""
        return await self._bot.answer_to(due, self._change(due.payload))

    async def send_fault(self, fault: Fault) -> None:
        """Send one more request, and answer the bot's reply with this fault."""
        due = self._match.due
        if due is not None:
            answer = await self.ask(due)
            if isinstance(answer.reply, Fault):
                raise await self._violation(
                    answer.reply, due, self._match.state, self._match.step, answer
                )
            await self.settle()
            self._match.forfeit(fault, 0)
        await self._bot.notify(envelope.fault_notice(self._table.match_id, fault))

    async def send_end(self, unsent: list[bytes] | None = None) -> None:
        """Send the MatchEnd of a finished match."""
        ending = self._match.endings()[self._table.seat]
        await self._bot.notify(future_messages.with_events_before(ending, unsent or []))

    def _play_on_without_it(self) -> list[bytes]:
        """Play random actions to the end; return the events that the bot was not sent."""
        stream, unsent = Stream(self._table.seed, "instead of the bot"), list[bytes]()
        while (due := self._match.due) is not None:
            unsent += future_messages.events_of(due.payload)
            self._match.decide(self._match.state.random_action(stream), 0)
        return unsent

    async def _violation(
        self, fault: Fault, due: Request, state: State, step: Choice | None, answer: Answer
    ) -> Violation:
        """Return the violation that a fault amounts to."""
        rule, number = broken_rule(fault), len(self._taken) + 1
        if rule is Rule.ANSWER_NUMBER:
            with contextlib.suppress(ConnectionError):
                if await self._bot.overheard():
                    rule = Rule.ANSWER_ONCE  # it repeated the earlier answer before this one
        size, ms = len(self._change(due.payload)), due.allowed_us // 1000
        where = f"match {self._table.match_id} ({self._table})"
        sent = f"request {number} of {where}: {size:,} bytes, {ms:,} ms to answer"
        kind = "" if fault.kind is FaultKind.DISCONNECTED else f"{fault.kind.name}: "
        reply = fault.received if isinstance(answer.reply, Fault) else answer.reply
        observation = state.observation(self._table.seat)
        moment = WrongAnswer(
            self._table, number, observation, step, reply, is_silent=_is_silent(fault)
        )
        return Violation(rule, sent, f"{kind}{fault.reason}", moment=moment)


def _is_silent(fault: Fault) -> bool:
    """Return whether no answer came at all, as opposed to a late one."""
    return fault.kind is FaultKind.TIMEOUT and not fault.overrun_ms
