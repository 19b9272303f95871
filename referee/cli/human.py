"""A person at the terminal: `referee play --human SEAT`."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import typer
from rich.columns import Columns
from rich.console import Console
from rich.markup import escape
from rich.theme import Theme

from referee.cli.play import WayToPlay
from referee.core.errors import UsageError
from referee.core.plain import plain
from referee.games import game_named
from referee.games.base import Game, Seat
from referee.hosting.adviser import Adviser, NoAdviceError
from referee.hosting.match_runner import Ended, MatchRunner, MatchSpec, Watch, unwatched
from referee.hosting.person import Asked, Person
from referee.hosting.running_bot import BotSpec
from referee.match.match import Match
from referee.view.show import event_lines

LEFT = "You left the match: it has no result and no record."
_KEYS = "a number and Enter; u takes a step back, ? explains, q leaves"
_WITH_HINTS = f"{_KEYS}, h asks for a hint"
_MANY = 12
"""From this many options on, a terminal shows them side by side."""
_BUFFER = 65_536


def at_terminal(console: Console, seat: Seat | None, hints: BotSpec | None) -> WayToPlay:
    """Return the way to play a match with a person at this console; None: without one.

    The bot of `hints`, if any, says what it would do when the person asks.
    """

    async def play(runner: MatchRunner, spec: MatchSpec, show: Callable[[Ended], object]) -> Ended:
        async with AsyncExitStack() as stack:
            people: dict[Seat, Person] = {}
            watch: Watch = unwatched
            if seat is not None:
                adviser = None
                if hints is not None:
                    adviser = Adviser(runner, hints, spec.clock.startup_ms, seat)
                    stack.push_async_callback(adviser.close)
                names = _names(spec, seat)
                screen = TerminalScreen(console, game_named(spec.game), names, seat, adviser)
                people, watch = {seat: Person("person", screen)}, screen.watch
            ended = await runner.play(spec, people, watch)
        show(ended)
        return ended

    return play


def _names(spec: MatchSpec, seat: Seat) -> list[str]:
    """Return the names of the seats for the person who has one."""
    return [
        plain(
            f"{bot.name} (seat {i})" if bot else f"seat {i} ({'you' if i == seat else 'stand-in'})"
        )
        for i, bot in enumerate(spec.seats)
    ]


class Lines:
    """The lines of stdin, awaited by the running event loop, which goes on meanwhile.

    A thread that reads would keep the process alive until the next line.
    """

    def __init__(self) -> None:
        """Read nothing yet."""
        self._descriptor = sys.stdin.fileno()
        self._begun = b""
        self._lines: deque[str] = deque()
        self._ended = False

    async def next(self) -> str | None:
        """Return the next line, without its end; None after the last."""
        while not self._lines and not self._ended:
            await self._readable()
            self._take(os.read(self._descriptor, _BUFFER))
        return self._lines.popleft() if self._lines else None

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, ready.set)
        except PermissionError:  # a file: always readable
            return
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)

    def _take(self, data: bytes) -> None:
        *whole, self._begun = (self._begun + data).split(b"\n")
        if not data:
            self._ended = True
            whole += [self._begun] * bool(self._begun)
        self._lines.extend(line.decode(errors="replace") for line in whole)


class TerminalScreen:
    """Shows a match to one seat, line by line, and reads its answers from stdin."""

    def __init__(
        self,
        console: Console,
        game: Game,
        names: Sequence[str],
        seat: Seat,
        adviser: Adviser | None,
    ) -> None:
        """Show a game whose seats have these names to this seat; hints are the adviser's."""
        self._console = console
        self._game = game
        self._names = names
        self._adviser = adviser
        self._match: Match | None = None
        self._keys = _KEYS if adviser is None else _WITH_HINTS
        self._lines = Lines()
        console.push_theme(Theme(dict(game.text.STYLES)))
        self._print(
            f"[bold]{escape(game.title)} · {len(names)} seats[/]",
            f"You have seat {seat}. Type {escape(self._keys)}.",
        )

    def watch(self, match: Match) -> None:
        """Keep the match, for hints; what it holds is not shown."""
        self._match = match

    async def ask(self, asked: Asked) -> int | None:
        """Show what is new and the options, and return the chosen one; None: a step back."""
        self._show_events(asked.events)
        if asked.number == 0:
            self._show(asked.observation)
        self._offer(asked)
        while True:
            word = (await self._typed()).lower()
            if word == "u" and asked.number:
                return None
            if word.isdecimal() and 1 <= int(word) <= len(asked.step.options):
                return int(word) - 1
            if word == "?":
                self._explain()
                self._show(asked.observation)
                self._offer(asked)
            elif word == "h" and self._adviser is not None and self._match is not None:
                await self._hint(self._adviser, self._match)
            elif word == "u":
                self._print("This is the first step of the decision: nothing can be taken back.")
            elif word:
                last = len(asked.step.options)
                self._print(f"{escape(plain(word))}: not a number from 1 to {last}.")

    async def _hint(self, adviser: Adviser, match: Match) -> None:
        try:
            advice = await adviser.advise(match)
        except NoAdviceError as error:
            hint = f"{adviser.name} has no hint: {error}."
        else:
            hint = f"{adviser.name} would choose: {', then '.join(advice.labels)}."
        self._print(escape(plain(hint)))

    async def _typed(self) -> str:
        """Return the next line; leave the match if the person wants to."""
        self._console.print("> ", end="")
        try:
            line = await self._lines.next()
        except asyncio.CancelledError:  # Ctrl-C
            self._print("")
            raise
        if line is None:
            raise UsageError("the input ended before the match did")
        if line.strip().lower() == "q":
            self._print(LEFT)
            raise typer.Exit
        return line.strip()

    def end(self, events: Sequence[Any]) -> None:
        """Show what happened after the last answer."""
        self._show_events(events)

    def _show_events(self, events: Sequence[Any]) -> None:
        for event in events:
            self._print("", *event_lines(self._game.text, event, self._names))

    def _show(self, observation: Any) -> None:
        self._print("", *self._game.text.observation_lines(observation, self._names))

    def _offer(self, asked: Asked) -> None:
        options = asked.step.options
        width = len(str(len(options)))
        numbered = [
            f"[bold]{number:>{width}}[/]  {escape(plain(option.label))}"
            for number, option in enumerate(options, 1)
        ]
        self._print("", f"[bold]{escape(plain(asked.step.prompt))}[/]")
        if self._console.is_terminal and len(options) >= _MANY:
            self._console.print(Columns(numbered, padding=(0, 3), column_first=True))
        else:
            self._print(*numbered)

    def _explain(self) -> None:
        """Explain the game and the words on the screen."""
        guide = self._game.guide
        terms = guide.get("terms", {}).items()
        known = [*guide.get("minute", ()), *(f"{term}: {meaning}" for term, meaning in terms)]
        for line in known or self._game.rules.splitlines():
            self._console.print(plain(line), highlight=False, markup=False, emoji=False)
        self._print("", f"Type {escape(self._keys)}.")

    def _print(self, *lines: str) -> None:
        for line in lines:
            self._console.print(line, highlight=False, emoji=False, soft_wrap=True)
