"""What a check found, step by step, for the author of the bot."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rich.console import Console
from rich.markup import escape

from referee.check.playing import Broken
from referee.check.rules import DEMANDS, Rule
from referee.plain import plain

_LINES_OF_OUTPUT = 20
_LONGEST_LINE = 400
_DIGITS = re.compile(r"\d+")
_INDENT = " " * 10


class Verdict(StrEnum):
    """How a step ended."""

    PASSED = "pass"
    FAILED = "FAIL"
    ADVICE = "note"
    """It broke what it should do, but need not."""
    SKIPPED = "skip"


_COLOURS = {
    Verdict.PASSED: "green",
    Verdict.FAILED: "bold red",
    Verdict.ADVICE: "yellow",
    Verdict.SKIPPED: "dim",
}


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
    broken: Broken | None = None
    """What the bot did."""
    blamed: Rule | None = None
    """The rule that this breaks: the one that was tried, or another."""
    printed: str = ""
    """The end of what the bot printed."""


def likeness(broken: Broken, printed: str) -> tuple[Rule, str, str]:
    """Return what is the same when a bot does the same again, if at other numbers."""
    last = printed.strip().rpartition("\n")[2]
    return broken.rule, _DIGITS.sub("", broken.received), _DIGITS.sub("", last)


def show(console: Console, result: Result) -> None:
    """Show one step: a line, and what was sent and received if the bot failed in a new way."""
    verdict = f"[{_COLOURS[result.verdict]}]{result.verdict}[/]"
    seen = f"  [dim]{escape(result.seen)}[/]" if result.seen else ""
    line = f"{result.number:4} {verdict}  {escape(result.rule):21}{escape(result.title)}{seen}"
    console.print(line, soft_wrap=True)
    if result.broken is not None and result.blamed is not None and not result.seen:
        for line in _details(result.broken, result.blamed, result.printed):
            console.print(_INDENT + line, soft_wrap=True)


def _details(broken: Broken, blamed: Rule, printed: str) -> Iterable[str]:
    """Yield what a failed step is about, as lines with markup."""
    told = {
        "rule": f"{blamed}: {DEMANDS[blamed].replace('`', '')}",
        "sent": broken.sent,
        "received": broken.received,
    }
    for label, text in told.items():
        yield f"[bold]{label:9}[/]{escape(plain(text))}"
    lines = printed.strip().splitlines()[-_LINES_OF_OUTPUT:]
    yield f"[bold]{'printed':9}[/]{'the last lines:' if lines else 'nothing'}"
    for line in lines:
        yield f"  [dim]{escape(plain(line[:_LONGEST_LINE]))}[/]"


def summary(results: Sequence[Result]) -> str:
    """Return how many steps ended how."""
    counts = {verdict: sum(one.verdict is verdict for one in results) for verdict in Verdict}
    words = {
        Verdict.PASSED: "passed",
        Verdict.FAILED: "failed",
        Verdict.ADVICE: "advised",
        Verdict.SKIPPED: "skipped",
    }
    ended = [f"{count} {words[verdict]}" for verdict, count in counts.items() if count]
    return f"{len(results)} steps: {', '.join(ended)}"


def rules_broken(results: Iterable[Result]) -> list[str]:
    """Return the names of the rules that were broken, in the order in which it was found."""
    blamed = (one.blamed for one in results if one.verdict is Verdict.FAILED)
    return list(dict.fromkeys(rule.value for rule in blamed if rule is not None))
