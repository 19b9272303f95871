"""Which rule a bot broke during a check, and where in which match."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.markup import escape

from referee.core.clock import ClockConfig
from referee.core.rules import Rule
from referee.games import game_named
from referee.games.choice import Choice
from referee.wire.shown import answer_line


@dataclass(frozen=True, slots=True)
class CheckedMatch:
    """One match of a check: game, seats, the bot's seat, deal seed and clock."""

    game: str
    seats: int
    seat: int
    match_id: str
    seed: str
    clock: ClockConfig

    def __str__(self) -> str:
        """Describe the table for the author of the bot."""
        return f"{self.game}, {self.seats} seats, the bot on seat {self.seat}"

    @property
    def names(self) -> list[str]:
        """Display names of the seats."""
        return ["the bot" if i == self.seat else f"seat {i}" for i in range(self.seats)]


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A request that the bot answered wrongly, or not at all."""

    table: CheckedMatch
    number: int
    """Number of the request, from 1."""
    observation: Any
    """The observation of the bot's seat."""
    step: Choice | None
    """The pending step in the plain dialect; None for a typed request."""
    reply: bytes
    """The bot's answer; empty if none came."""
    is_silent: bool = False
    """Whether no answer came at all before the time limit."""

    def position(self) -> Iterator[str]:
        """Yield the observation as lines of markup in the styles of the game."""
        lines = game_named(self.table.game).text.observation_lines(
            self.observation, self.table.names
        )
        yield from filter(None, lines)
        if self.step is not None:
            yield escape(f"{self.step.prompt} Options 0 to {len(self.step.options) - 1}")

    def answer(self) -> str:
        """Return the bot's answer as a line of markup; empty if none came."""
        if not self.reply:
            return ""
        return answer_line(self.reply, self.table.game, self.table.names, self.step)


class Violation(Exception):  # noqa: N818 -- it is no error of ours
    """The bot broke a rule."""

    def __init__(
        self,
        rule: Rule,
        sent: str,
        received: str,
        *,
        printed: str = "",
        moment: WrongAnswer | None = None,
    ) -> None:
        """Describe the request and the answer; `printed` is the output of a bot that has ended."""
        super().__init__(f"{rule}: {received}")
        self.rule = rule
        self.sent = sent
        self.received = received
        self.printed = printed
        self.moment = moment
        """The request at fault, if within a match."""

    @property
    def is_silent(self) -> bool:
        """Whether the bot sent nothing where an answer was due."""
        return self.moment is not None and self.moment.is_silent
