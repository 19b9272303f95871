"""What a bot did wrong while it was checked, and where in which match."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.conformance.check.rules import Rule
from referee.core.clock import ClockConfig
from referee.games import TEXTS
from referee.wire.shown import answer_line


@dataclass(frozen=True, slots=True)
class Table:
    """Where the bot sits in a match, and what is dealt there."""

    game: str
    seats: int
    seat: int
    match_id: str
    seed: str
    clock: ClockConfig

    def __str__(self) -> str:
        """Name the table for the author of the bot."""
        return f"{self.game}, {self.seats} seats, the bot on seat {self.seat}"

    @property
    def names(self) -> list[str]:
        """What to call the seats."""
        return ["the bot" if i == self.seat else f"seat {i}" for i in range(self.seats)]


@dataclass(frozen=True, slots=True)
class Moment:
    """A request that was not answered as it should be."""

    table: Table
    number: int
    """Of the request, from 1."""
    observation: Any
    """What the bot's seat knew."""
    reply: bytes
    """What the bot sent; empty if nothing."""
    is_silent: bool = False
    """Nothing came at all until the time was over."""

    def position(self) -> Iterator[str]:
        """Yield what the bot's seat knew, as lines of markup in the styles of the game."""
        lines = TEXTS[self.table.game].observation_lines(self.observation, self.table.names)
        return filter(None, lines)

    def answer(self) -> str:
        """Return what the bot sent as a line of markup; empty if nothing."""
        if not self.reply:
            return ""
        return answer_line(self.reply, self.table.game, self.table.names)


class Violation(Exception):  # noqa: N818 -- it is no error of ours
    """The bot broke a rule."""

    def __init__(
        self,
        rule: Rule,
        sent: str,
        received: str,
        *,
        printed: str = "",
        moment: Moment | None = None,
    ) -> None:
        """Say what was sent and what came, and what the bot printed if it does not run any more."""
        super().__init__(f"{rule}: {received}")
        self.rule = rule
        self.sent = sent
        self.received = received
        self.printed = printed
        self.moment = moment
        """Where in a match it was, if in one."""

    @property
    def is_silent(self) -> bool:
        """Whether nothing came where an answer was due."""
        return self.moment is not None and self.moment.is_silent
