"""A running bot with the extra operations that a check needs."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any, Self

from referee.conformance.check import future_messages
from referee.core.faults import BotFault, Fault, FaultKind
from referee.core.verdicts import Came, Facts, Verdict, judge, void, with_memory
from referee.hosting.running_bot import Answer, BotSpec, RunningBot
from referee.match.match import Request
from referee.sandbox.freeze.pauses import Pauses
from referee.sandbox.levels import Sandbox
from referee.transports.framing import JsonLines
from referee.transports.handshake import Refusal
from referee.transports.stdio import PipeConnection

SECONDS_TO_EXIT = 1.0
"""A bot must exit within this time after the end of its stream."""
_QUIET_S = 0.2
"""How long the check waits for messages that a bot must not send."""

_STILL_S = 0.5
"""How long the check stops the bot between two requests."""


class Probe(RunningBot):
    """A bot that has sent Hello."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        """Hold what `start` has started."""
        super().__init__(*parts, **more)
        self.started_after_s = 0.0
        """Seconds from the start of the process to Hello."""
        self.answered = 0
        """Number of requests that it answered correctly."""
        self._speak_later_json()

    @classmethod
    async def launch(
        cls, bot_spec: BotSpec, startup_ms: int, parent: Path, sandbox: Sandbox, pauses: Pauses
    ) -> Self:
        """Start a bot; raise `BotFault` if it does not start."""
        began = time.monotonic()
        probe = await cls.start(bot_spec, startup_ms, parent, sandbox, pauses)
        if not isinstance(probe, cls):
            raise TypeError("a probe starts probes")
        probe.started_after_s = time.monotonic() - began
        return probe

    def _speak_later_json(self) -> None:
        """Make the stdio-json transport send unknown fields, which its encoder would drop."""
        connection = self._connection
        if isinstance(connection, PipeConnection):
            framing: Any = connection._framing  # noqa: SLF001 -- no match needs a way to do this
            if isinstance(framing, JsonLines):
                framing.encode = future_messages.json_line  # type: ignore[method-assign]

    @property
    def refusal(self) -> Refusal | None:
        """Why the referee refused another stream of the bot; None if it opened none."""
        return self._endpoint.refusal

    async def answer_to(self, due: Request, payload: bytes) -> Answer:
        """Send this payload as a request and return the answer.

        The charged time excludes the wait for a core. Raise `RefereeError` if it is uncertain what
        else the bot would have done, `PausedError` if a pause of the referee is why.
        """
        answer = await self.ask(due._replace(payload=payload))
        facts, reply = answer.facts, answer.reply
        if facts is None:
            return answer
        row, held_up = judge(facts), facts.held_up
        if row.verdict is Verdict.VOID and isinstance(reply, bytes) and held_up is not None:
            return answer._replace(charged_us=held_up.worked_us)
        if row.is_void:
            raise void(row, facts, "the bot", answer.reason)
        return answer

    async def overheard(self) -> str:
        """Wait a moment; return what the bot sent unasked, empty if nothing.

        Raise `ConnectionError` if it ended its stream.
        """
        self._process.thaw()
        try:
            async with asyncio.timeout(_QUIET_S):
                message = await self._connection.receive()
        except TimeoutError:
            return ""
        except BotFault as error:
            return error.fault.reason
        return f"a message of {len(message)} bytes"

    async def stand_still(self) -> None:
        """Stop the bot for a moment, as the referee does between turns."""
        self._process.freeze()
        await asyncio.sleep(_STILL_S)

    async def leave(self) -> Fault:
        """End the stream; return how the process ended, or that it still ran after 1 s."""
        self._process.thaw()
        self._connection.close()
        ending = Fault(FaultKind.DISCONNECTED, f"it still ran after {SECONDS_TO_EXIT:.0f} s")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_EXIT):
                await self._process.exited()
                ending = await self._process.ending(ending.kind, "its stream ended")
        ending, facts = with_memory(ending, Facts(Came.END), self._process.memory(ending))
        if (row := judge(facts)).is_void:
            raise void(row, facts, "the bot", ending.reason)
        return ending
