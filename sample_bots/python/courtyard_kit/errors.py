"""Shows an author what went wrong in a strategy: its own lines, and none of the plumbing's."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

_KIT = str(Path(__file__).parent)
_LONGEST = 200
_Position = TypeVar("_Position")


class WrongAnswerError(Exception):
    """A strategy returned what is no action."""

    def __init__(self, choose: Callable[..., Any], what: str) -> None:
        """Name the strategy and its place."""
        code = getattr(choose, "__code__", None)
        place = f"{Path(code.co_filename).name}, line {code.co_firstlineno}, " if code else ""
        super().__init__(f"{place}{getattr(choose, '__qualname__', 'choose')}: {what}")


def fill(
    choose: Callable[[_Position], Any],
    position: _Position,
    kinds: tuple[type[Any], ...],
    write: Callable[[Any], None],
) -> None:
    """Write what a strategy chooses; raise `WrongAnswerError` if it is none of these kinds."""
    action = choose(position)
    if not isinstance(action, kinds):
        hint = ": is a `return` missing?" if action is None else ""
        raise WrongAnswerError(choose, f"it returned {_short(action)}, not an Action{hint}")
    try:
        write(action)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"it returned {_short(action)}, which holds something wrong: {error}"
        raise WrongAnswerError(choose, what) from None


def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an error with the lines of the strategy alone, in place of `sys.excepthook`."""
    if isinstance(error, WrongAnswerError):
        sys.stderr.write(f"{error}\n")
        return
    shown = _from_strategy(trace) or trace
    sys.__excepthook__(kind, error.with_traceback(shown), shown)


def _from_strategy(trace: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback below the plumbing; None if the strategy did not run."""
    asked = False
    while trace is not None:
        code = trace.tb_frame.f_code
        in_kit = code.co_filename.startswith(_KIT)
        if asked and not in_kit:
            return trace
        asked = asked or (in_kit and code.co_name == fill.__name__)
        trace = trace.tb_next
    return None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
