"""What a check found, step by step, for the author of the bot."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console
from rich.markup import escape
from rich.theme import Theme

from referee.conformance.check.rules import DEMANDS, Rule
from referee.conformance.check.violation import Violation
from referee.core.plain import plain
from referee.games import TEXTS

_LINES_OF_OUTPUT = 20
_LONGEST_LINE = 400
_DIGITS = re.compile(r"\d+")
_INDENT = " " * 10


class Verdict(StrEnum):
    """How a step ended."""

    PASSED = "pass"
    FAILED = "FAIL"
    SAME = "same"
    """It failed as a step before it did, so that nobody can tell whether its own rule holds."""
    ADVICE = "note"
    """It broke what it should do, but need not."""
    SKIPPED = "skip"
    """There was nothing to try, or it could not be tried after what had failed."""
    LEFT = "left"
    """There was no time to try it."""


_COLOURS = {
    Verdict.PASSED: "green",
    Verdict.FAILED: "bold red",
    Verdict.SAME: "red",
    Verdict.ADVICE: "yellow",
    Verdict.SKIPPED: "dim",
    Verdict.LEFT: "yellow",
}
_TOGETHER = frozenset({Verdict.SAME, Verdict.SKIPPED, Verdict.LEFT})
"""Such steps share a line if the same is to be said of all."""


@dataclass(frozen=True, slots=True)
class Result:
    """One step and how it ended."""

    number: int
    """From 1."""
    rule: Rule
    """What was tried."""
    title: str
    verdict: Verdict
    seen: str = ""
    """What there is to say of it, on the same line."""
    violation: Violation | None = None
    """What the bot did."""
    blamed: Rule | None = None
    """The rule that this breaks: the one that was tried, or another."""
    printed: str = ""
    """The end of what the bot printed."""
    advice: str = ""
    """What its author might try."""


def likeness(violation: Violation, printed: str) -> tuple[Rule, str, str]:
    """Return what is the same when a bot does the same again, if at other numbers."""
    last = printed.strip().rpartition("\n")[2]
    return violation.rule, _DIGITS.sub("", violation.received), _DIGITS.sub("", last)


class Report:
    """Shows each step as it ends: a line, and all about a failure where it is a new one."""

    def __init__(self, console: Console) -> None:
        """Show nothing yet."""
        self._console = console
        self._waiting: list[Result] = []
        """Steps of which the same is to be said."""

    def take(self, result: Result) -> None:
        """Show a step, or let it wait for others like it."""
        alike = [(one.verdict, one.seen) for one in self._waiting[:1]]
        if alike and alike != [(result.verdict, result.seen)]:
            self.close()
        if result.verdict in _TOGETHER:
            self._waiting.append(result)
        else:
            self._show(result)

    def close(self) -> None:
        """Show what waits."""
        waiting, self._waiting = self._waiting, []
        if len(waiting) == 1:
            self._show(waiting[0])
        elif waiting:
            first, last = waiting[0], waiting[-1]
            numbers = f"{first.number}-{last.number}"
            told = escape(f"{len(waiting)} steps: {first.seen}")
            rules = ", ".join(dict.fromkeys(one.rule.value for one in waiting))
            tried = f"  [dim]({rules})[/]" if first.verdict is Verdict.SAME else ""
            self._print(f"{numbers:>7} {_verdict(first)}  {told}{tried}")

    def _show(self, result: Result) -> None:
        seen = f"  [dim]{escape(result.seen)}[/]" if result.seen else ""
        blamed = result.blamed or result.rule
        own = blamed is result.rule or result.verdict is Verdict.SAME
        rule, title = (result.rule, result.title) if own else (blamed, f"while it {result.title}")
        start = f"{result.number:4} {_verdict(result)}"
        self._print(f"{start}  {escape(rule):21}{escape(title)}{seen}")
        if result.violation is not None and result.blamed is not None and not result.seen:
            with self._console.use_theme(_theme(result.violation)):
                for line in _details(result, result.violation, result.blamed):
                    self._print(_INDENT + line)

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True, emoji=False)


def _verdict(result: Result) -> str:
    return f"[{_COLOURS[result.verdict]}]{result.verdict}[/]"


def _theme(violation: Violation) -> Theme:
    """Return the styles of the game that the bot was playing."""
    game = violation.moment.table.game if violation.moment else ""
    return Theme(dict(TEXTS[game].STYLES) if game else {})


def _details(result: Result, violation: Violation, blamed: Rule) -> Iterator[str]:
    """Yield what a failed step is about, as lines with markup."""
    yield _labelled("rule", escape(f"{blamed}: {DEMANDS[blamed].replace('`', '')}"))
    yield _labelled("sent", escape(plain(violation.sent)))
    yield _labelled("received", escape(plain(violation.received)))
    if violation.moment is not None:
        yield _labelled("answer", violation.moment.answer() or "none")
        for number, line in enumerate(violation.moment.position()):
            yield _labelled("" if number else "position", line)
    if result.advice:
        yield _labelled("try", escape(result.advice))
    lines = result.printed.strip().splitlines()[-_LINES_OF_OUTPUT:]
    yield _labelled("printed", "the last lines:" if lines else "nothing")
    for line in lines:
        yield f"  [dim]{escape(plain(line[:_LONGEST_LINE]))}[/]"


def _labelled(label: str, markup: str) -> str:
    head = f"[bold]{label:9}[/]" if label else " " * 9
    return f"{head}{markup}"


def summary(results: Sequence[Result]) -> str:
    """Return how many steps ended how."""
    counts = {verdict: sum(one.verdict is verdict for one in results) for verdict in Verdict}
    words = {
        Verdict.PASSED: "passed",
        Verdict.FAILED: "failed",
        Verdict.SAME: "failed the same way",
        Verdict.ADVICE: "advised",
        Verdict.SKIPPED: "skipped",
        Verdict.LEFT: "not tried",
    }
    ended = [f"{count} {words[verdict]}" for verdict, count in counts.items() if count]
    return f"{len(results)} steps: {', '.join(ended)}"


def rules_broken(results: Iterable[Result]) -> list[str]:
    """Return the names of the broken rules, in the order found."""
    blamed = (one.blamed for one in results if one.verdict is Verdict.FAILED)
    return list(dict.fromkeys(rule.value for rule in blamed if rule is not None))
