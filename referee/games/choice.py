"""A decision in small steps, for readers that pick an option instead of composing an action.

A decision can have half a million actions. A `Choice` asks for one part of the action, with few
options; taking one leads to the next choice or, after the last, to the action. Every legal action
is at the end of exactly one path. Choices are made from what the seat to act is sent, its
observation and the legal form, so they tell it nothing else.

A step with a single option is not asked, unless the decision has no other step.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from referee.games.base import IllegalAction


class Option(NamedTuple):
    """One answer to a prompt."""

    label: str
    """In plain words; distinct among a choice's options."""
    piece: str | None = None
    """The scene's key of the piece that it touches, "t/12"; with an index in a list, "hand/0[2]".

    Or the place of a piece that has no key of its own, as in `place`. None: the scene shows none.
    """
    place: str | None = None
    """Where the piece goes, by the game's own name of the place, "spot/0/2"; None: nowhere."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One step of a decision. Choices are equal if they ask the same."""

    prompt: str
    """A question to a person."""
    options: tuple[Option, ...]
    _parts: tuple[Any, ...] = field(compare=False, repr=False)
    """The part of the action that each option decides."""
    _part_of: Callable[[Any], Any] = field(compare=False, repr=False)
    """Returns that part of an action."""
    _then: Callable[[Any], Any] = field(compare=False, repr=False)
    """Returns the next choice, or the action, given that part."""

    def take(self, index: int) -> Any:
        """Return the next choice, or the action after the last; raise `IllegalAction` off range."""
        if not 0 <= index < len(self.options):
            last = len(self.options) - 1
            raise IllegalAction(f"an option has an index from 0 to {last}: received {index}")
        return self._then(self._parts[index])

    def path(self, action: Any) -> tuple[int, ...]:
        """Return the indices that lead to a legal action; raise `ValueError` for another one."""
        path: list[int] = []
        step: Any = self
        while isinstance(step, Choice):
            path.append(step._parts.index(step._part_of(action)))  # noqa: SLF001 the same class
            step = step.take(path[-1])
        if step != action:
            raise ValueError(f"no path leads to {action}")
        return tuple(path)


Answers = Mapping[Any, Option]
"""The options of a step, by the part of the action that each decides; at least one."""


def ask(
    prompt: str, answers: Answers, part_of: Callable[[Any], Any], then: Callable[[Any], Any]
) -> Any:
    """Return a step of a decision, or what follows it if there is only one answer.

    `part_of` returns an action's answer; `then` returns what follows an answer.
    """
    if len(answers) == 1:
        return then(*answers)
    return Choice(prompt, tuple(answers.values()), tuple(answers), part_of, then)


def first_choice(
    prompt: str, answers: Answers, part_of: Callable[[Any], Any], then: Callable[[Any], Any]
) -> Choice:
    """Return the first step of a decision that asks anything, or this one if none does."""
    step = ask(prompt, answers, part_of, then)
    if isinstance(step, Choice):
        return step
    return Choice(prompt, tuple(answers.values()), tuple(answers), part_of, then)
