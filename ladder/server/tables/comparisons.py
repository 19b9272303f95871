"""People's decisions beside those of sample bots, which are told what the people were told."""

import asyncio
from http import HTTPStatus

from ladder.server.tables.messages import Compared, ComparedDecision, TableError
from ladder.server.tables.opponents import samples
from referee.conformance.repro import Comparison, judge
from referee.core.errors import CourtyardError
from referee.core.faults import Fault
from referee.games.base import Seat
from referee.hosting.match_runner import MatchRunner
from referee.hosting.running_bot import BotSpec
from referee.match.record import Record
from referee.view.transcript import transcript_of

WAIT_S = 20.0
"""How long who asks waits for a bot: less than any web server waits for an answer."""


class Comparisons:
    """The comparisons of one match, which are made one at a time and kept."""

    def __init__(self, runner: MatchRunner, record: Record, startup_ms: int) -> None:
        """Let bots decide again in a recorded match; they have this time to start."""
        self._runner = runner
        self._record = record
        self._startup_ms = startup_ms
        self._made: dict[tuple[Seat, str], asyncio.Task[Compared]] = {}

    async def of(self, seat: Seat, bot: str) -> Compared | None:
        """Compare a seat with a sample bot; None: the bot needs more time.

        Raise `TableError` if there is no such bot, if it cannot be asked, or if another is asked.
        """
        known = samples(self._record.game)
        if bot not in known:
            raise TableError("There is no such sample bot.", HTTPStatus.NOT_FOUND)
        if (seat, bot) not in self._made:
            if not all(task.done() for task in self._made.values()):
                raise TableError(
                    "Another bot is being asked at this table: try again in a moment.",
                    HTTPStatus.CONFLICT,
                )
            self._made[seat, bot] = asyncio.create_task(self._compared(seat, known[bot]))
        made = self._made[seat, bot]
        await asyncio.wait([made], timeout=WAIT_S)
        if not made.done():
            return None
        try:
            return made.result()
        except (CourtyardError, OSError) as error:
            self._made.pop((seat, bot), None)
            raise TableError(
                f"{bot} could not be asked: {error}.", HTTPStatus.SERVICE_UNAVAILABLE
            ) from error

    async def _compared(self, seat: Seat, bot: BotSpec) -> Compared:
        """Ask a bot for each decision, as if all before it were the bot's own."""
        # Long matches take a while, in which other tables play on.
        transcript = await asyncio.to_thread(transcript_of, self._record, seat)
        transcript, replies = await self._runner.ask_again(bot, transcript, self._startup_ms)
        decisions: list[ComparedDecision] = []
        for turn, reply in zip(transcript.turns, replies, strict=False):
            if isinstance(reply, Fault):
                return Compared(decisions, f"{bot.name} failed at the next one: {reply.reason}.")
            answered = judge(transcript, turn, reply)
            own = turn.answer_text if turn.fault is None else turn.fault.reason
            is_same = answered.verdict is Comparison.SAME
            decisions.append(ComparedDecision(own, answered.text, is_same))
        return Compared(decisions, "")

    async def close(self) -> None:
        """Stop asking, and wait until the bot is free."""
        for task in self._made.values():
            task.cancel()
        await asyncio.gather(*self._made.values(), return_exceptions=True)
