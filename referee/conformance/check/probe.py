"""A running bot that is looked at more closely than in a match."""

import asyncio
import contextlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from referee.conformance.check import future_messages
from referee.core.errors import PausedError
from referee.core.faults import BotFault, Fault, FaultKind
from referee.hosting.running_bot import Answer, BotSpec, RunningBot
from referee.match.match import Request
from referee.sandbox.levels import Sandbox
from referee.sandbox.pauses import Pauses
from referee.transports.json_lines import JsonLines
from referee.transports.stdio import PipeConnection

SECONDS_TO_EXIT = 1.0
"""How soon after the end of its stream a bot has exited."""
_QUIET_S = 0.2
"""How long it is listened for what a bot must not say."""

_STILL_S = 0.5
"""How long it is stopped, to see whether it minds."""


class Probe(RunningBot):
    """One bot that has said Hello, and all that it did about it."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        """SignalFreezer what `start` has started."""
        super().__init__(*parts, **more)
        self.started_after_s = 0.0
        """How long it took from the start of the process to Hello."""
        self.answered = 0
        """How many requests it answered as it should."""
        self._speak_later_json()

    @classmethod
    async def launch(
        cls, entrant: BotSpec, startup_ms: int, parent: Path, sandbox: Sandbox, pauses: Pauses
    ) -> Self:
        """Start a bot; raise `BotFault` if it does not start."""
        began = time.monotonic()
        probe = await cls.start(entrant, startup_ms, parent, sandbox, pauses)
        if not isinstance(probe, cls):
            raise TypeError("a probe starts probes")
        probe.started_after_s = time.monotonic() - began
        return probe

    def _speak_later_json(self) -> None:
        """Let unknown fields pass on the carrier of JSON lines, which has no bytes for them."""
        connection = self._connection
        if isinstance(connection, PipeConnection):
            framing: Any = connection._framing  # noqa: SLF001 -- no match needs a way to do this
            if isinstance(framing, JsonLines):
                framing.encode = future_messages.json_line  # type: ignore[method-assign]

    @property
    def refusal(self) -> str:
        """Why another stream of the bot was refused; empty if there was none."""
        return self._endpoint.refusal

    async def asked(self, due: Request, payload: bytes) -> Answer:
        """Send this payload as a request and return what came of it.

        No bot is charged for the time in which the machine did not let it run. Raise `PausedError`
        if nobody can tell whether it would have answered in time.
        """
        answer = await self.ask(replace(due, payload=payload))
        if answer.pause is not None:
            raise PausedError(str(answer.pause))
        if answer.held_up is None:
            return answer
        return replace(answer, charged_us=answer.held_up.worked_us)

    async def overheard(self) -> str:
        """Listen for a while; return what the bot sent though nobody asked, empty if nothing.

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
        """Stop the bot for a while, as one that is not to move."""
        self._process.freeze()
        await asyncio.sleep(_STILL_S)

    async def leave(self) -> Fault:
        """End the stream; return how the process ended, if it does so soon enough."""
        self._process.thaw()
        self._connection.close()
        ending = Fault(FaultKind.DISCONNECTED, f"it still ran after {SECONDS_TO_EXIT:.0f} s")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SECONDS_TO_EXIT):
                await self._process.exited()
                ending = await self._process.ending(ending.kind, "its stream ended")
        return ending
