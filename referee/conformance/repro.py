"""Send a local bot the recorded requests of a seat, and print where its answers differ.

There are no opponents, no clocks and no sandbox: the bot may run in a debugger. It keeps the
terminal, its foreground and Ctrl-C; only bots that use stdin and stdout for messages lose these.
Every request is the recorded one, whatever the bot answered before.
"""

import asyncio
import contextlib
import os
import secrets
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.text import Text
from rich.theme import Theme

from referee.core.errors import UsageError
from referee.core.faults import BotFault
from referee.core.plain import plain
from referee.core.safe_path import unguarded
from referee.core.scratch import short_folder
from referee.games import game_named
from referee.games.base import IllegalAction
from referee.match.record import REFEREE_VERSION
from referee.sandbox.streams import Pipes
from referee.transports import TRANSPORTS
from referee.transports.base import Connection, Endpoint
from referee.view.transcript import Transcript, Turn
from referee.wire import codec_named
from referee.wire.envelope import read_choice, read_decision
from referee.wire.shown import answer_line

_SECONDS_TO_EXIT = 5.0


class NotStartedError(UsageError):
    """The bot did not start, or sent no Hello."""


class Comparison(Enum):
    """How a new answer compares with the recorded one."""

    SAME = auto()
    OTHER = auto()
    """Legal, but not the recorded answer; if the seat forfeited here, any legal answer."""
    WRONG = auto()
    """Illegal, or no answer."""


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """The bot's new answer to one request."""

    verdict: Comparison
    text: str
    """The answer in one line, with what is wrong with it."""
    over: bool = False
    """Whether the bot can take no more requests."""


@dataclass(frozen=True, slots=True)
class LocalBot:
    """How to start a bot locally."""

    command: Sequence[str]
    transport: str
    directory: Path | None = None
    """Working folder of the command; None: the current folder."""


def reproduce(console: Console, transcript: Transcript, bot: LocalBot) -> bool:
    """Send a bot all requests of the transcript, in its dialect; print where its answers differ.

    Return whether every answer was legal. Raise `NotStartedError` if the bot does not start,
    `UsageError` if the transcript has no requests.
    """
    if not transcript.turns:
        raise UsageError("this seat got no request in this match")
    theme = Theme(dict(game_named(transcript.game).text.STYLES))
    with console.use_theme(theme), _ctrl_c_is_the_bots():
        return asyncio.run(_ask_all(console, transcript, bot)).conclude()


class _Differences:
    """Prints and counts how the new answers compare with the recorded ones."""

    def __init__(self, console: Console, transcript: Transcript) -> None:
        self._console = console
        self.transcript = transcript
        self._counts = dict.fromkeys(Comparison, 0)

    def take(self, turn: Turn, answered: NewAnswer) -> None:
        self._counts[answered.verdict] += 1
        if answered.verdict is Comparison.SAME:
            return
        wrong = answered.verdict is Comparison.WRONG
        what = "it fails" if wrong else "it answers differently"
        self._print(f"\n[bold]request {turn.number} of {len(self.transcript.turns)}: {what}[/]")
        for line in turn.situation:
            self._print(line)
        recorded = turn.answer_text
        if turn.fault is not None:
            recorded = f"{turn.fault.kind.name}: {turn.fault.reason}"
        self._print(f"[bold]recorded[/]  {_plain(recorded)}")
        self._print(f"[bold]now[/]       {_plain(answered.text)}")

    def conclude(self) -> bool:
        counts = self._counts
        answered = sum(counts.values())
        self._print(
            f"\n{answered} of {len(self.transcript.turns)} requests: "
            f"{counts[Comparison.SAME]} answered as recorded, "
            f"{counts[Comparison.OTHER]} differently, {counts[Comparison.WRONG]} wrongly"
        )
        return not counts[Comparison.WRONG]

    def _print(self, line: str) -> None:
        self._console.print(line, highlight=False, emoji=False, soft_wrap=True)


async def _ask_all(console: Console, transcript: Transcript, bot: LocalBot) -> _Differences:
    """Start the bot, send the requests until it fails, let it exit, and return the comparison."""
    with short_folder() as folder:
        endpoint = TRANSPORTS[bot.transport](secrets.token_urlsafe(24), REFEREE_VERSION)
        await endpoint.open(folder)
        try:
            with _pipes(bot.transport) as (ours, theirs):
                process = await _start(bot, endpoint.environment(str(folder)), theirs)
                try:
                    connection = await _connection(endpoint, process, ours)
                    if endpoint.speaks_plain:
                        transcript = transcript.in_plain_dialect()
                    differences = _Differences(console, transcript)
                    await _ask_each(differences, connection, process)
                    await _let_exit(process)
                    return differences
                finally:
                    if process.returncode is None:
                        process.kill()
                        await process.wait()
        finally:
            await endpoint.stop()


async def _ask_each(
    differences: _Differences, connection: Connection, process: asyncio.subprocess.Process
) -> None:
    """Send the requests in order, then MatchEnd, and end the stream."""
    transcript = differences.transcript
    for turn in transcript.turns:
        answered = await _ask(connection, process, transcript, turn)
        differences.take(turn, answered)
        if answered.over:
            break
    else:
        with contextlib.suppress(ConnectionError):
            await connection.send(transcript.ending)
    connection.close()


@contextlib.contextmanager
def _pipes(transport: str) -> Iterator[tuple[Pipes | None, tuple[int, int] | None]]:
    """Open the pipes of a bot on stdin and stdout; yield our ends and the bot's ends."""
    if transport == "grpc":
        yield None, None
        return
    stdin, to_bot = os.pipe()
    from_bot, stdout = os.pipe()
    for ours in (to_bot, from_bot):
        os.set_blocking(ours, False)
    try:
        yield Pipes(to_bot, from_bot), (stdin, stdout)
    finally:
        for descriptor in (to_bot, from_bot):
            os.close(descriptor)


async def _start(
    bot: LocalBot, environment: Mapping[str, str], pipes: tuple[int, int] | None
) -> asyncio.subprocess.Process:
    """Start the bot with the user's environment; `python3` is the referee's own."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    stdin, stdout = pipes or (None, None)
    try:
        return await asyncio.create_subprocess_exec(
            *bot.command,
            cwd=bot.directory,
            env={**unguarded(), "PATH": path, **environment},
            stdin=stdin,
            stdout=stdout,
        )
    except OSError as error:
        raise NotStartedError(f"{bot.command[0]!r} cannot be started: {error.strerror}") from None
    finally:
        for descriptor in pipes or ():
            os.close(descriptor)


async def _connection(
    endpoint: Endpoint, process: asyncio.subprocess.Process, pipes: Pipes | None
) -> Connection:
    """Wait for the bot's Hello for as long as it runs."""
    connecting = asyncio.ensure_future(endpoint.connection(pipes))
    exiting = asyncio.ensure_future(process.wait())
    try:
        await asyncio.wait((connecting, exiting), return_when=asyncio.FIRST_COMPLETED)
        if connecting.done():
            return connecting.result()
        refused = f" ({endpoint.refusal})" if endpoint.refusal else ""
        raise NotStartedError(f"the bot sent no Hello{refused}: {_ending(process)}")
    except BotFault as error:
        raise NotStartedError(f"the bot did not start: {error}") from None
    finally:
        connecting.cancel()
        exiting.cancel()


async def _ask(
    connection: Connection,
    process: asyncio.subprocess.Process,
    transcript: Transcript,
    turn: Turn,
) -> NewAnswer:
    """Send one request and judge the answer, without a time limit."""
    try:
        await connection.send(turn.payload)
        reply = await connection.receive()
    except ConnectionError:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 1.0)
        text = f"the bot ended its stream instead of answering; {_ending(process)}"
        return NewAnswer(Comparison.WRONG, text, over=True)
    except BotFault as error:
        return NewAnswer(Comparison.WRONG, str(error), over=True)
    return judge(transcript, turn, reply)


def judge(transcript: Transcript, turn: Turn, reply: bytes) -> NewAnswer:
    """Compare the answer to a request with the recorded one."""
    text = Text.from_markup(answer_line(reply, transcript.game, transcript.names, turn.step)).plain
    try:
        answer = _legal_answer(transcript, turn, reply)
    except BotFault as error:
        return NewAnswer(Comparison.WRONG, f"{text} ({error})", over=True)
    except IllegalAction as error:
        return NewAnswer(Comparison.WRONG, f"{text} (illegal: {error})")
    return NewAnswer(Comparison.SAME if answer == turn.answer else Comparison.OTHER, text)


def _legal_answer(transcript: Transcript, turn: Turn, reply: bytes) -> Any:
    """Return the chosen index or action; raise `BotFault` or `IllegalAction` on a wrong reply."""
    if turn.step is not None:
        index = read_choice(reply, transcript.match_id, turn.number).choice
        turn.step.take(index)
        return index
    message = read_decision(reply, transcript.match_id, turn.number, transcript.game).action
    action = codec_named(transcript.game).decode_action(message)
    turn.state.check(action)
    return action


async def _let_exit(process: asyncio.subprocess.Process) -> None:
    """Wait for the bot to exit; without a limit at a terminal, where it may be in a debugger."""
    limit = None if sys.stdin.isatty() else _SECONDS_TO_EXIT
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), limit)


def _ending(process: asyncio.subprocess.Process) -> str:
    status = process.returncode
    if status is None:
        return "its process still runs"
    if status < 0:
        return f"its process was ended by signal {-status}"
    return f"its process exited with status {status}"


@contextlib.contextmanager
def _ctrl_c_is_the_bots() -> Iterator[None]:
    """Leave Ctrl-C to the bot, which gets it too, and may handle it in a debugger.

    Handles the signal by doing nothing: the bot would inherit an ignored signal.
    """
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _plain(text: str) -> str:
    """Return a text as escaped markup without control characters."""
    return escape(plain(text))
