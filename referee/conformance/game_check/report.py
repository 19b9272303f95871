"""Print the results of a game's check, step by step, for its author."""

from collections.abc import Iterator

from rich.console import Console
from rich.markup import escape
from rich.theme import Theme

from referee.conformance.check.report import StepStatus, coloured, labelled
from referee.conformance.game_check.promises import DEMANDS, GameFault
from referee.conformance.game_check.run import GameStepResult
from referee.core.plain import plain

_INDENT = " " * 10


def show(console: Console, result: GameStepResult) -> None:
    """Print a step: one line, and the details of a new fault."""
    fault = result.fault
    promise = result.promise if fault is None else fault.promise
    note = "as before" if result.verdict is StepStatus.SAME else result.seen
    seen = f"  [dim]{escape(note)}[/]" if note else ""
    line = f"{result.number:4} {coloured(result.verdict)}  {promise:21}{escape(result.title)}{seen}"
    console.print(line, soft_wrap=True, emoji=False)
    if fault is not None and result.verdict is StepStatus.FAILED:
        styles = fault.position.game.text.STYLES if fault.position else {}
        with console.use_theme(Theme(dict(styles))):
            for detail in _details(fault):
                console.print(_INDENT + detail, soft_wrap=True, emoji=False)


def _details(fault: GameFault) -> Iterator[str]:
    """Yield the details of a fault as lines of markup."""
    yield labelled("promise", escape(DEMANDS[fault.promise].replace("`", "")))
    yield labelled("found", escape(plain(str(fault))))
    if fault.position is not None:
        yield labelled("position", fault.position.where())
        for line in fault.position.lines():
            yield labelled("", line)
