"""A person's screen in a browser: the pending question, its answer, and the person's clock.

A wrong answer is refused and never forfeits. A person has `DECISION_S` for a decision, over all its
steps; then random options are taken for the rest of it.
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from ladder.server.tables.messages import TableError
from referee.games.choice import Choice, Option
from referee.hosting.adviser import Advice
from referee.hosting.person import Asked, LeftError

DECISION_S = 300.0
"""A person's time for a decision."""
WARNING_S = 60.0
"""The last part of it, of which the person is warned."""
MOST_MISSED = 3
"""Decisions in a row without an answer, after which a person counts as gone."""


@dataclass(frozen=True, slots=True)
class Question:
    """One step of a decision that waits for its answer."""

    number: int
    step: Choice
    taken: Sequence[Option]
    """The options taken so far for the decision; the last can be taken back."""
    answered: asyncio.Future[int | None]


@dataclass(frozen=True, slots=True)
class Hint:
    """What a bot would do at a decision; without advice and reason it still thinks."""

    bot: str
    advice: Advice | None = None
    why: str = ""
    """Why there is no advice, as a sentence."""


class PageScreen:
    """Asks a person on a page."""

    def __init__(self, changed: Callable[[], object]) -> None:
        """Call `changed` whenever the person should see something else."""
        self._changed = changed
        self.question: Question | None = None
        self.hint: Hint | None = None
        """The hint to the decision, if the person has asked for one."""
        self.was_late = False
        """Whether the last decision was taken at random."""
        self._number = 0
        self._until = 0.0
        """When the decision has to be complete, on the loop's clock."""
        self._taken: list[Option] = []
        """The options taken so far for the decision."""
        self._missed = 0
        self.left = ""
        """Why the person is gone, as a sentence; empty for one who is here."""

    @property
    def left_s(self) -> float:
        """The time left for the decision."""
        return max(0.0, self._until - asyncio.get_running_loop().time())

    async def ask(self, asked: Asked) -> int | None:
        """Return the answer; a random option, if none came in time.

        Raise `LeftError` if the person is gone, or has missed too many decisions in a row.
        """
        if asked.begins:
            self._until = asyncio.get_running_loop().time() + DECISION_S
            self.was_late = False
            self.hint = None
        if self.was_late:
            return secrets.randbelow(len(asked.step.options))
        del self._taken[asked.number :]
        index = None if self.left else await self._answer_to(asked.step)
        if self.left:
            raise LeftError(self.left.removesuffix("."))
        if index is not None:
            self._taken.append(asked.step.options[index])
        return index

    async def _answer_to(self, step: Choice) -> int | None:
        loop = asyncio.get_running_loop()
        self._number += 1
        answered = loop.create_future()
        self.question = Question(self._number, step, tuple(self._taken), answered)
        warning = loop.call_at(self._until - WARNING_S, self._changed)
        self._changed()
        try:
            await asyncio.wait([answered], timeout=self.left_s)
        finally:
            warning.cancel()
            self.question = None
            self._changed()
        if answered.done():
            self._missed = 0
            index: int | None = answered.result()
            return index
        self.was_late = True
        self._missed += 1
        if self._missed >= MOST_MISSED:
            self.left = "Three decisions in a row were not answered."
        return secrets.randbelow(len(step.options))

    def answer(self, number: int, index: int | None) -> None:
        """Answer the question of this number; raise `TableError`, and go on, if that is not due."""
        question = self.question
        if question is None or question.number != number or question.answered.done():
            raise TableError("This question has been answered already.", HTTPStatus.CONFLICT)
        if index is None and not question.taken:
            raise TableError("There is no step to take back.", HTTPStatus.CONFLICT)
        if index is not None and not 0 <= index < len(question.step.options):
            raise TableError("There is no such option.", HTTPStatus.CONFLICT)
        question.answered.set_result(index)

    def show_hint(self, hint: Hint) -> None:
        """Show a hint to the decision, unless it is complete."""
        self.hint = hint
        if self.question is not None:
            self._changed()

    def leave(self, why: str) -> None:
        """Let the person go; whatever is asked now or later is not answered."""
        self.left = self.left or why
        if self.question is not None and not self.question.answered.done():
            self.question.answered.set_result(None)

    def end(self, events: Sequence[Any]) -> None:
        """Show nothing more: the table shows the end to all."""
