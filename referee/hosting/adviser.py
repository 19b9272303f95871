"""What a bot would do in a seat that somebody else plays, while the match goes on.

The bot sits in a copy of the match, in which all that was decided is decided again. There it is
asked each decision of the seat, in its own dialect. So it is told what the seat was told, and
nothing else; what it would have done before the pending decision is asked and not followed.
"""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

from referee.core.errors import CourtyardError
from referee.core.faults import BotFault, Fault
from referee.games.base import Seat, plain_names
from referee.games.choice import Choice
from referee.hosting.match_runner import MatchRunner
from referee.hosting.running_bot import BotSpec, RunningBot
from referee.match.match import Match

ADVICE_S = 60.0
"""How long a bot has for advice, with its start and the decisions before, which it has to see."""


class NoAdviceError(CourtyardError):
    """A bot gives no advice."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What a bot would do at a decision."""

    path: tuple[int, ...]
    """The options that it would take, step by step, in the plain dialect."""
    labels: tuple[str, ...]
    """The same in words."""


class Adviser:
    """Asks a bot for advice to one seat.

    The bot's process starts with the first advice and waits, stopped, for the next.
    """

    def __init__(self, runner: MatchRunner, bot_spec: BotSpec, startup_ms: int, seat: Seat) -> None:
        """Let a bot that has this time to start advise a seat."""
        self._runner = runner
        self._bot_spec = bot_spec
        self._startup_ms = startup_ms
        self._seat = seat
        self._running = AsyncExitStack()
        """Ends the bot."""
        self._seated: tuple[RunningBot, Match] | None = None
        """The bot, and its copy of the match."""
        self._advised = -1
        """The number of the decision that it was asked last."""
        self._advice = Advice((), ())
        self._one_at_a_time = asyncio.Lock()

    @property
    def name(self) -> str:
        """The bot's name."""
        return self._bot_spec.name

    async def advise(self, match: Match) -> Advice:
        """Return what the bot would do at the pending decision of a match, which is the seat's.

        Raise `NoAdviceError` if it fails or is slow: then it ends, as it does if this is cancelled.
        """
        pending = len(match.decisions)
        async with self._one_at_a_time:
            try:
                async with asyncio.timeout(ADVICE_S):
                    return await self._advice_at(match, pending)
            except BaseException as error:
                await self.close()
                if isinstance(error, CourtyardError | OSError):
                    reason = str(error) or f"it took more than {ADVICE_S:.0f} s"
                    raise NoAdviceError(reason) from error
                raise

    async def _advice_at(self, match: Match, pending: int) -> Advice:
        if self._seated is None:
            bot = await self._running.enter_async_context(
                self._runner.beside(self._bot_spec, self._startup_ms)
            )
            self._seated = bot, _copy(match, self._seat, plain=bot.speaks_plain)
            self._advised = -1
        bot, copy = self._seated
        while True:
            if copy.due is not None and copy.due.seat == self._seat:
                await self._ask(bot, copy)
            if len(copy.decisions) >= pending:
                return self._advice
            _repeat(copy, match)

    async def _ask(self, bot: RunningBot, copy: Match) -> None:
        """Ask the bot the pending decision, once."""
        if self._advised < len(copy.decisions):
            self._advice = _in_steps(copy, self._seat, await _decision(bot, copy))
            self._advised = len(copy.decisions)

    async def close(self) -> None:
        """End the bot."""
        self._seated = None
        await self._running.aclose()


def _copy(match: Match, seat: Seat, *, plain: bool) -> Match:
    """Return a match before its first decision, in which the stand-ins decide as in this one."""
    taken = (decided.action for decided in match.decisions if decided.stand_in)
    copy = Match(
        match.setup,
        deal=match.deal,
        commitment=match.commitment,
        stand_in=lambda *_: next(taken),
    )
    copy.use_plain_dialect([seat] if plain else [])
    return copy


def _repeat(copy: Match, match: Match) -> None:
    """Take in the copy the next decision that was taken in the match."""
    decided = match.decisions[len(copy.decisions)]
    if decided.fault is None:
        copy.decide(decided.action, decided.elapsed_us)
    else:
        copy.forfeit(decided.fault, decided.elapsed_us)


async def _decision(bot: RunningBot, copy: Match) -> Any:
    """Return the action that a bot decides on, over all its steps; raise `BotFault` without one."""
    while copy.due is not None:
        reply = (await bot.ask(copy.due)).reply
        if isinstance(reply, Fault):
            raise BotFault(reply)
        decided = copy.read(reply)
        if not isinstance(decided, Choice):
            return decided
        copy.answer(reply, 0)
    raise RuntimeError("no decision is pending")


def _in_steps(copy: Match, seat: Seat, action: Any) -> Advice:
    state = copy.state
    names = plain_names(copy.setup.seats)
    step = copy.game.choice(state.observation(seat), state.legal(), names)
    path = step.path(action)
    labels = []
    for index in path:
        labels.append(step.options[index].label)
        step = step.take(index)
    return Advice(path, tuple(labels))
