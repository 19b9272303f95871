"""One table: its seats, its match, and what each viewer sees of it.

A seat sees what its bot would be told, in frames and as text, and its own question; a spectator
sees what is public. Each viewer has a version, a number that grows whenever that viewer would see
something else: how many steps one person takes shows nobody else anything.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from http import HTTPStatus
from typing import Any

import orjson

from ladder.server.tables.comparisons import Comparisons
from ladder.server.tables.hints import Hints
from ladder.server.tables.messages import Compared, Kind, Order, Seen, TableError
from ladder.server.tables.observed import ObservedScreen
from ladder.server.tables.screen import WARNING_S, PageScreen
from ladder.server.web.replay.columns import by_columns
from referee.core.errors import CourtyardError, RefereeError
from referee.core.faults import STAND_IN_NAME
from referee.games.base import Seat
from referee.games.markup import unstyled
from referee.hosting.match_runner import Ended, MatchRunner
from referee.hosting.person import Person, Screen
from referee.match.match import Match
from referee.view.frames import Film, RunningFilm, public_view, view

_LOG = logging.getLogger("courtyard.run")

LOBBY_S = 1800.0
"""How long a table waits for people who are invited."""
LOOK_S = 20.0
"""How long a look waits for news: less than any web server waits for an answer."""
_SECRET_BYTES = 16
_LONGEST_NAME = 24
NOT_OVER = "The match is not over."
_FAILED = "The match ended without a result: a bot could not be run, or this machine had a problem."


class State(StrEnum):
    """The state of a table."""

    LOBBY = "lobby"
    """Invited people are missing."""
    PLAYING = "playing"
    OVER = "over"
    """The match has a result and a record."""
    ENDED = "ended"
    """It ended without a result."""


@dataclass(slots=True, eq=False)
class _Chair:
    """A person's seat."""

    screen: PageScreen
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(_SECRET_BYTES), repr=False)
    invitation: str | None = field(
        default_factory=lambda: secrets.token_urlsafe(_SECRET_BYTES), repr=False
    )
    """The secret that lets a person take it, once; None: taken."""
    changes: int = 0
    """How often something changed for this seat alone."""


class Table:
    """A table."""

    def __init__(self, order: Order, *, observed: bool = False) -> None:
        """Lay the table; the person who opened it sits down with `secret`, as others who join.

        `observed`: note decisions for a study.
        """
        self.id = secrets.token_urlsafe(_SECRET_BYTES)
        self.visitor = order.visitor
        self.state = State.LOBBY
        self.ended: Ended | None = None
        """The match, if it is over with a result."""
        self._order = order
        self._seats = [_player(order, seat) for seat in range(len(order.spec.seats))]
        self._chairs = {
            seat: _Chair(PageScreen(partial(self._changed_for, seat))) for seat in order.people
        }
        self._chairs[order.own].invitation = self.secret
        self._call(order.own, order.name)
        self._is_observed = observed
        self._observed: dict[Seat, ObservedScreen] = {}
        self.why = ""
        """Why it ended without a result; empty if it did not."""
        self._match: Match | None = None
        self._turns: tuple[int, Seat | None] | None = None
        """How many decisions there were, and whose turn it was, when all were shown news."""
        self._filming: RunningFilm | None = None
        self._film: Film | None = None
        self._positions: dict[Seat | None, tuple[Any, list[str]]] = {}
        """Film and text of each viewer, the same for all steps of a decision."""
        self._changes = 1
        """How often something changed for all."""
        self._news = asyncio.Event()
        self._full = asyncio.Event()
        self._playing: asyncio.Task[None] | None = None
        self._comparisons: Comparisons | None = None
        """Those of a match that is over with a result."""
        self._hints: Hints | None = None
        """Those of a match that goes on, if the table has any."""

    @property
    def is_open(self) -> bool:
        """Whether it waits for people, or its match goes on."""
        return self.state in (State.LOBBY, State.PLAYING)

    @property
    def secret(self) -> str:
        """The secret of the person who opened it."""
        return self._chairs[self._order.own].secret

    def begin(self, runner: MatchRunner, ended: Callable[[], object]) -> None:
        """Play the match in a task of its own, once all people are there; call `ended` at last."""
        self._playing = asyncio.create_task(self._play(runner))
        self._playing.add_done_callback(lambda _: ended())

    async def over(self) -> None:
        """Wait for the end of a table that has begun."""
        if self._playing is not None:
            await asyncio.wait([self._playing])

    async def _play(self, runner: MatchRunner) -> None:
        try:
            async with asyncio.timeout(LOBBY_S):
                await self._full.wait()
        except TimeoutError:
            self._end("Not all invited people came within half an hour.")
            return
        self.state = State.PLAYING
        self._changed()
        people = {seat: Person(self._seats[seat][0], self._screen(seat)) for seat in self._chairs}
        if self._order.hints is not None:
            self._hints = Hints(runner, self._order, self._order.hints)
        try:
            ended = await runner.play(self._order.spec, people, self._watch)
        except RefereeError as error:
            _LOG.warning("a table's match was void: %s", error)
            self._end(_FAILED)
        except CourtyardError as error:
            self._end(f"{error}.")
        except Exception:  # noqa: BLE001 - whatever it is, the people are told
            _LOG.exception("a table's match failed")
            self._end(_FAILED)
        else:
            if self.is_open:  # else stand-ins alone have played the rest
                startup_ms = self._order.spec.clock.startup_ms
                self._comparisons = Comparisons(runner, ended.record, startup_ms)
                self.ended, self.state = ended, State.OVER
                self._changed()
        finally:
            if self._hints is not None:
                await self._hints.close()

    def _screen(self, seat: Seat) -> Screen:
        screen = self._chairs[seat].screen
        if not self._is_observed:
            return screen
        self._observed[seat] = ObservedScreen(screen, self._order.spec.game)
        return self._observed[seat]

    def decisions(self) -> list[dict[str, Any]]:
        """Return the people's decisions by seat, as docs/play.md describes them."""
        order, spec = self._order, self._order.spec
        match = {
            "table": self.id,
            "condition": order.condition,
            "hints": "" if order.hints is None else order.hints.name,
            "game": spec.game,
            "match": spec.match_id,
            "seed": spec.master_seed,
            "players": [
                f"{bot.name} {bot.version}".strip() if bot is not None else kind
                for bot, kind in zip(spec.seats, order.kinds, strict=True)
            ],
            "finished": self.state is State.OVER,
        }
        return [
            {**match, "seat": seat, "decision": number, **decision}
            for seat, screen in self._observed.items()
            for number, decision in enumerate(screen.decisions, 1)
        ]

    def _end(self, why: str) -> None:
        self.why, self.state = why, State.ENDED
        self._changed()

    # People.

    def join(self, invitation: str, name: str) -> str:
        """Take a seat by its invitation, or an own one by its secret; return the seat's secret."""
        for seat, chair in self._chairs.items():
            free = chair.invitation
            if free is not None and _same(free, invitation):
                chair.invitation = None
                self._call(seat, name)
                self._changed()
                if all(one.invitation is None for one in self._chairs.values()):
                    self._full.set()
                return chair.secret
            if free is None and _same(chair.secret, invitation):
                return chair.secret
        raise TableError(
            "This invitation is wrong, or somebody has taken the seat.", HTTPStatus.FORBIDDEN
        )

    def _call(self, seat: Seat, name: str) -> None:
        """Call a person by a name, if one was given."""
        printable = "".join(letter for letter in name if letter.isprintable())
        if called := " ".join(printable.split())[:_LONGEST_NAME]:
            self._seats[seat] = called, ""

    def leave(self, secret: str) -> None:
        """Let a person leave: the seat forfeits at its next turn, and the others play on.

        Without others, or before the match, the table ends.
        """
        seat = self._seated(secret)
        if not self.is_open:
            return
        why = f"{self._seats[seat][0]} left the table."
        self._chairs[seat].screen.leave(why)
        if self.state is State.LOBBY:
            self._stop(why)
        self._stop_without_people()
        self._changed()

    def _stop_without_people(self) -> None:
        """End the table if all people are gone."""
        left = [chair.screen.left for chair in self._chairs.values()]
        if self.is_open and all(left):
            self._stop(left[-1])

    def _stop(self, why: str) -> None:
        if self._playing is not None:
            self._playing.cancel()
        self._end(why)

    def answer(self, secret: str, question: int, option: int | None) -> None:
        """Answer a question of a seat's, as `PageScreen.answer` does."""
        self._chairs[self._seated(secret)].screen.answer(question, option)

    def hint(self, secret: str) -> None:
        """Show a person a hint to the pending decision of an own seat, once there is one."""
        seat = self._seated(secret)
        screen = self._chairs[seat].screen
        if self._order.hints is None:
            raise TableError("This table has no hints.", HTTPStatus.CONFLICT)
        if self._hints is None or self._match is None or screen.question is None:
            raise TableError("It is not your turn.", HTTPStatus.CONFLICT)
        self._hints.give(self._match, seat, screen)

    async def compare(self, secret: str, bot: str) -> Compared | None:
        """Compare a person's decisions with a sample bot's, as `Comparisons.of` does."""
        seat = self._seated(secret)
        if self._comparisons is None:
            raise TableError(NOT_OVER, HTTPStatus.CONFLICT)
        return await self._comparisons.of(seat, bot)

    async def close(self) -> None:
        """Stop the match, tell those who look, and wait until its bots are free."""
        if self.is_open:
            self._stop("The table was closed.")
        await self.over()
        if self._comparisons is not None:
            await self._comparisons.close()

    def _seated(self, secret: str) -> Seat:
        seat = self._seat_of(secret)
        if seat is None:
            raise TableError("You have no seat at this table.", HTTPStatus.FORBIDDEN)
        return seat

    def _seat_of(self, secret: str) -> Seat | None:
        """Return the seat of a secret; None for a spectator."""
        for seat, chair in self._chairs.items():
            if chair.invitation is None and _same(chair.secret, secret):
                return seat
        return None

    # What viewers see.

    async def look(self, secret: str, after: int) -> Seen:
        """Return what a viewer sees, once its version is newer than one, or after a while."""
        seat = self._seat_of(secret)
        try:
            async with asyncio.timeout(LOOK_S):
                while self._version(seat) <= after:
                    await self._news.wait()
        except TimeoutError:
            pass
        order, state = self._order, orjson.dumps(self.shown(seat))
        return Seen(state, order.ladder, order.spec.game, seat, order.condition)

    def shown(self, seat: Seat | None) -> dict[str, Any]:
        """Return what a seat or, without one, a spectator sees, as docs/play.md describes it."""
        question = None if seat is None else self._question(seat)
        hints = self._order.hints
        film, text = self._position(seat)
        return {
            "version": self._version(seat),
            "game": self._order.spec.game,
            "hints": "" if hints is None else hints.name,
            "state": self.state,
            "words": self._words(seat),
            "film": film,
            "text": text,
            "asked": None
            if question is None
            else {
                "question": question.number,
                "prompt": question.step.prompt,
                "options": [list(option) for option in question.step.options],
                "taken": [list(option) for option in question.taken],
                "hint": self._shown_hint(seat),
            },
            "left_s": None
            if question is None or seat is None
            else round(self._chairs[seat].screen.left_s),
            "seats": [
                {"name": name, "kind": kind, "you": number == seat, "taken": self._taken(number)}
                for number, (name, _, kind) in enumerate(self._all())
            ],
            "invitations": self._invitations(seat),
        }

    def _all(self) -> list[tuple[str, str, Kind]]:
        kinds = [
            Kind.STAND_IN if kind is Kind.PERSON and self._chairs[seat].screen.left else kind
            for seat, kind in enumerate(self._order.kinds)
        ]
        return [(*named, kind) for named, kind in zip(self._seats, kinds, strict=True)]

    def _taken(self, seat: Seat) -> bool:
        return seat not in self._chairs or self._chairs[seat].invitation is None

    def _invitations(self, seat: Seat | None) -> list[tuple[Seat, str]]:
        """Return free seats and their secrets, for the person who opened the table."""
        if seat != self._order.own or self.state is not State.LOBBY:
            return []
        return [
            (number, chair.invitation)
            for number, chair in self._chairs.items()
            if chair.invitation is not None
        ]

    def _shown_hint(self, seat: Seat | None) -> dict[str, Any] | None:
        """Return the hint to a seat's pending decision, and the option that it takes now."""
        hint = None if seat is None else self._chairs[seat].screen.hint
        if hint is None or self._match is None:
            return None
        path = () if hint.advice is None else hint.advice.path
        taken = self._match.path
        follows = len(taken) < len(path) and path[: len(taken)] == taken
        return {
            "bot": hint.bot,
            "steps": None if hint.advice is None else hint.advice.labels,
            "option": path[len(taken)] if follows else None,
            "why": hint.why,
        }

    def _question(self, seat: Seat) -> Any:
        return self._chairs[seat].screen.question

    def _version(self, seat: Seat | None) -> int:
        return self._changes + (0 if seat is None else self._chairs[seat].changes)

    def _position(self, seat: Seat | None) -> tuple[Any, list[str]]:
        """Return film and text as a viewer sees them."""
        if seat not in self._positions:
            self._positions[seat] = self._shown_film(seat), self._text(seat)
        return self._positions[seat]

    def _shown_film(self, seat: Seat | None) -> dict[str, Any] | None:
        """Return the frames of the match so far; None before it begins."""
        if self._match is None:
            return None
        if self._filming is None:
            self._filming = RunningFilm(self._match, self._seats)
        if self._film is None:
            self._film = self._filming.until_now()
        shown = public_view(self._film) if seat is None else view(self._film, seat)
        return by_columns(shown)

    def _text(self, seat: Seat | None) -> list[str]:
        """Return what a seat knows, or how the game ended, as lines of plain text.

        A spectator's view has none before the end.
        """
        match = self._match
        if match is None:
            return []
        text, state = match.game.text, match.state
        names = [
            f"{'you' if number == seat else name} (seat {number})"
            for number, (name, _) in enumerate(self._seats)
        ]
        if state.to_act is None:
            lines = text.result_lines(state.result(), names)
        elif seat is None:
            return []
        else:
            lines = text.observation_lines(state.observation(seat), names)
        return [unstyled(line) for line in lines]

    def _words(self, seat: Seat | None) -> str:
        """Say in a sentence or two how things are."""
        if self.state is State.ENDED:
            return self.why
        if self.state is State.OVER:
            return self._result(seat)
        if self.state is State.LOBBY:
            free = sum(not self._taken(number) for number in self._chairs)
            return f"Waiting for {free} more {'person' if free == 1 else 'people'}."
        if self._match is None:
            return "The bots are starting."
        if seat is not None and self._chairs[seat].screen.left:
            return "You left the table: the stand-in plays on."
        return f"{self._late(seat)}{self._turn(self._match, seat)}"

    def _late(self, seat: Seat | None) -> str:
        late = seat is not None and self._chairs[seat].screen.was_late
        return "Your time was up, so chance has decided. " if late else ""

    def _turn(self, match: Match, seat: Seat | None) -> str:
        due = match.due
        if due is None:
            return "The match is ending."
        if due.seat != seat:
            return f"{self._seats[due.seat][0]} is thinking."
        screen = self._chairs[seat].screen
        if screen.question is not None and screen.left_s <= WARNING_S:
            return "It is your turn, with less than a minute left."
        return "It is your turn."

    def _result(self, seat: Seat | None) -> str:
        if self._match is None:
            return "The game is over."
        first = [at for at, outcome in enumerate(self._match.outcomes) if outcome.rank == 1]
        if first == [seat]:
            return "The game is over: you won."
        names = ["you" if at == seat else self._seats[at][0] for at in first]
        return f"The game is over: {' and '.join(names)} won."

    def _watch(self, match: Match) -> None:
        """Show all viewers that the match goes on: a decision was taken, or another is due."""
        self._match = match
        self._stop_without_people()
        turns = len(match.decisions), match.due.seat if match.due else None
        if turns != self._turns:
            self._turns = turns
            self._film = None
            self._positions.clear()
            self._changed()

    def _changed(self) -> None:
        """Show news to all."""
        self._changes += 1
        self._tell()

    def _changed_for(self, seat: Seat) -> None:
        """Show news to a seat."""
        self._chairs[seat].changes += 1
        self._tell()

    def _tell(self) -> None:
        """Wake all that wait for news."""
        self._news.set()
        self._news = asyncio.Event()


def _player(order: Order, seat: Seat) -> tuple[str, str]:
    """Return name and version of a seat's player; people may give another name."""
    bot = order.spec.seats[seat]
    if bot is not None:
        return bot.name, bot.version
    if seat not in order.people:
        return STAND_IN_NAME, ""
    return ("guest" if len(order.people) == 1 else f"guest {order.people.index(seat) + 1}"), ""


def _same(one: str, other: str) -> bool:
    return secrets.compare_digest(one.encode(), other.encode(errors="replace"))
