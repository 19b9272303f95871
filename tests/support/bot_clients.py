"""Many remote bots in one process, which play any legal action."""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

import grpc
import grpc.aio
from courtyard.v1 import referee_pb2
from courtyard_kit.connection import Conversation, Turn
from courtyard_kit.courtisans import Position, _fill
from courtyard_kit.pipes import Answer
from courtyard_kit.remote import answered_once

from tests.support.remote_bots import Stream, dialled, hello, joined


def choose(turn: Turn, decision: referee_pb2.Decision) -> None:
    """Choose any."""
    _fill(Position(turn).random_action(), decision.action.courtisans)


def choose_first(message: referee_pb2.RefereeMessage) -> referee_pb2.BotMessage | None:
    """Answer in the plain dialect: the first option of each step."""
    if message.WhichOneof("body") != "request":
        return None
    decision = referee_pb2.Decision(number=message.request.number, choice=0)
    return referee_pb2.BotMessage(match_id=message.match_id, decision=decision)


class BotClients:
    """Remote bots that join, play and stay until the block ends, in a thread."""

    def __init__(
        self,
        address: str,
        roots: Path,
        tokens: Mapping[str, str],
        *,
        max_matches: int = 1,
        plain: bool = False,
        vanishing: Mapping[str, int] | None = None,
    ) -> None:
        """Let these bots join with these tokens.

        A `vanishing` bot leaves for good instead of giving the answer of that number.
        """
        self.answers: Counter[str] = Counter()
        """How often each has answered."""
        self.gathered = threading.Event()
        """Set once each is admitted."""
        self.most_at_once = 0
        """The most matches that ran at once."""
        self.at_first_answer: Callable[[], None] | None = None
        """What to do before the first answer."""
        self._address = address
        self._roots = roots
        self._tokens = tokens
        self._most = max_matches
        self._plain = plain
        self._vanishing = vanishing or {}
        self._thread = threading.Thread(target=lambda: asyncio.run(self._stay()))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._began = threading.Event()
        self._let_in: set[str] = set()
        self._under_way: set[str] = set()
        self._failures: list[Exception] = []
        """What ended bots early."""

    def __enter__(self) -> Self:
        """Start."""
        self._thread.start()
        self._began.wait()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the bots."""
        assert self._loop is not None
        assert self._over is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        if self._failures:
            raise ExceptionGroup("bots have ended by mistakes of theirs", self._failures)

    async def _stay(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        self._began.set()
        bots = [asyncio.ensure_future(self._bot(name)) for name in self._tokens]
        await self._over.wait()
        for bot in bots:
            bot.cancel()
        for ended in await asyncio.gather(*bots, return_exceptions=True):
            if isinstance(ended, Exception):
                self._failures.append(ended)

    async def _bot(self, name: str) -> None:
        credentials = grpc.ssl_channel_credentials(self._roots.read_bytes())
        # Across streams: a resumed bot is not told again how its matches began.
        talk = choose_first if self._plain else Conversation(lambda: choose).answer
        answer = answered_once(talk)
        resumes = False
        while True:
            async with dialled(self._address, credentials) as channel:
                fields = {"max_matches": self._most, "resumes": resumes, "plain": self._plain}
                said = hello(name, self._tokens[name], **fields)
                with contextlib.suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                    if not await self._answers(name, answer, await joined(channel, said)):
                        return
            resumes = True
            await asyncio.sleep(0.2)

    async def _answers(self, name: str, answer: Answer, stream: Stream) -> bool:
        """Play on a stream; return whether the bot is to rejoin."""
        if isinstance(welcome := await stream.read(), referee_pb2.RefereeMessage):
            answer(welcome)
            self._let_in.add(name)
            if len(self._let_in) == len(self._tokens):
                self.gathered.set()
        while isinstance(message := await stream.read(), referee_pb2.RefereeMessage):
            self._watch(message)
            if reply := answer(message):
                if self.at_first_answer and not self.answers:
                    self.at_first_answer()
                self.answers[name] += 1
                if self.answers[name] == self._vanishing.get(name):
                    return False
                await stream.write(reply)
        return True

    def _watch(self, message: referee_pb2.RefereeMessage) -> None:
        """Note the matches in progress."""
        if message.WhichOneof("body") == "request":
            self._under_way.add(message.match_id)
            self.most_at_once = max(self.most_at_once, len(self._under_way))
        else:
            self._under_way.discard(message.match_id)
