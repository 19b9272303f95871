"""Print the results of a check, step by step, for the author of the bot."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console
from rich.markup import escape
from rich.theme import Theme

from referee.conformance.check.rules import DEMANDS
from referee.conformance.check.violation import Violation
from referee.core.plain import plain
from referee.core.rules import Rule
from referee.games import game_named

_LINES_OF_OUTPUT = 20
_LONGEST_LINE = 400
_DIGITS = re.compile(r"\d+")
_INDENT = " " * 10


class StepStatus(StrEnum):
    """How a step ended."""

    PASSED = "pass"
    FAILED = "FAIL"
    SAME = "same"
    """Failed exactly as an earlier step did, so its own rule remains untested."""
    ADVICE = "note"
    """The bot broke a SHOULD."""
    SKIPPED = "skip"
    """Nothing to test, or untestable after an earlier failure."""
    LEFT = "left"
    """Not tried for lack of time."""


_COLOURS = {
    StepStatus.PASSED: "green",
    StepStatus.FAILED: "bold red",
    StepStatus.SAME: "red",
    StepStatus.ADVICE: "yellow",
    StepStatus.SKIPPED: "dim",
    StepStatus.LEFT: "yellow",
}
_TOGETHER = frozenset({StepStatus.SAME, StepStatus.SKIPPED, StepStatus.LEFT})
"""Consecutive steps with one of these verdicts and the same note share a line."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of one step."""

    number: int
    """From 1."""
    rule: Rule
    """The rule under test."""
    title: str
    verdict: StepStatus
    seen: str = ""
    """A note shown on the same line."""
    violation: Violation | None = None
    """The bot's action."""
    blamed: Rule | None = None
    """The rule that the bot broke: the one under test, or another."""
    printed: str = ""
    """The end of what the bot printed."""
    advice: str = ""
    """Advice to the author."""


def likeness(violation: Violation, printed: str) -> tuple[Rule, str, str]:
    """Return a key that is equal for equal failures, whatever numbers they mention."""
    last = printed.strip().rpartition("\n")[2]
    return violation.rule, _DIGITS.sub("", violation.received), _DIGITS.sub("", last)


class StepPrinter:
    """Prints each step as it ends: one line, and the details of each new failure."""

    def __init__(self, console: Console) -> None:
        """Print to this console."""
        self._console = console
        self._waiting: list[StepResult] = []
        """Steps held back to share a line."""

    def take(self, result: StepResult) -> None:
        """Print a step, or hold it back to share a line with those like it."""
        alike = [(one.verdict, one.seen) for one in self._waiting[:1]]
        if alike and alike != [(result.verdict, result.seen)]:
            self.close()
        if result.verdict in _TOGETHER:
            self._waiting.append(result)
        else:
            self._show(result)

    def close(self) -> None:
        """Print the steps held back."""
        waiting, self._waiting = self._waiting, []
        if len(waiting) == 1:
            self._show(waiting[0])
        elif waiting:
            first, last = waiting[0], waiting[-1]
            numbers = f"{first.number}-{last.number}"
            steps = escape(f"{len(waiting)} steps: {first.seen}")
            rules = ", ".join(dict.fromkeys(one.rule.value for one in waiting))
            tried = f"  [dim]({rules})[/]" if first.verdict is StepStatus.SAME else ""
            self._print(f"{numbers:>7} {coloured(first.verdict)}  {steps}{tried}")

    def _show(self, result: StepResult) -> None:
        seen = f"  [dim]{escape(result.seen)}[/]" if result.seen else ""
        blamed = result.blamed or result.rule
        own = blamed is result.rule or result.verdict is StepStatus.SAME
        rule, title = (result.rule, result.title) if own else (blamed, f"while it {result.title}")
        start = f"{result.number:4} {coloured(result.verdict)}"
        self._print(f"{start}  {escape(rule):21}{escape(title)}{seen}")
        if result.violation is not None and result.blamed is not None and not result.seen:
            with self._console.use_theme(_theme(result.violation)):
                for line in _details(result, result.violation, result.blamed):
                    self._print(_INDENT + line)

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, emoji=False)


def coloured(status: StepStatus) -> str:
    """Return a status as markup."""
    return f"[{_COLOURS[status]}]{status}[/]"


def _theme(violation: Violation) -> Theme:
    """Return the styles of the game that the bot was playing."""
    game = violation.moment.table.game if violation.moment else ""
    return Theme(dict(game_named(game).text.STYLES) if game else {})


def _details(result: StepResult, violation: Violation, blamed: Rule) -> Iterator[str]:
    """Yield the details of a failed step as lines of markup."""
    yield labelled("rule", escape(f"{blamed}: {DEMANDS[blamed].replace('`', '')}"))
    yield labelled("sent", escape(plain(violation.sent)))
    yield labelled("received", escape(plain(violation.received)))
    if violation.moment is not None:
        yield labelled("answer", violation.moment.answer() or "none")
        for number, line in enumerate(violation.moment.position()):
            yield labelled("" if number else "position", line)
    if result.advice:
        yield labelled("try", escape(result.advice))
    lines = result.printed.strip().splitlines()[-_LINES_OF_OUTPUT:]
    yield labelled("printed", "the last lines:" if lines else "nothing")
    for line in lines:
        yield f"  [dim]{escape(plain(line[:_LONGEST_LINE]))}[/]"


def labelled(label: str, markup: str) -> str:
    """Return a line of details, with its label in a column of its own."""
    head = f"[bold]{label:9}[/]" if label else " " * 9
    return f"{head}{markup}"


def summary(results: Sequence[StepResult]) -> str:
    """Return a line that counts the steps by verdict."""
    counts = {verdict: sum(one.verdict is verdict for one in results) for verdict in StepStatus}
    words = {
        StepStatus.PASSED: "passed",
        StepStatus.FAILED: "failed",
        StepStatus.SAME: "failed the same way",
        StepStatus.ADVICE: "advised",
        StepStatus.SKIPPED: "skipped",
        StepStatus.LEFT: "not tried",
    }
    ended = [f"{count} {words[verdict]}" for verdict, count in counts.items() if count]
    return f"{len(results)} steps: {', '.join(ended)}"


def rules_broken(results: Iterable[StepResult]) -> list[str]:
    """Return the names of the broken rules, in the order found."""
    blamed = (one.blamed for one in results if one.verdict is StepStatus.FAILED)
    return list(dict.fromkeys(rule.value for rule in blamed if rule is not None))
