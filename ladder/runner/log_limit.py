"""Keeps strangers from filling a log: one line a kind and minute, and a traceback only for a bug.

Libraries log what others send as often as it comes, some with a traceback. A filter at the
handler sees all that, whichever logger it is from.
"""

import logging
import math
import re
import sys
import threading
import time
from collections.abc import Callable, Hashable
from traceback import walk_tb
from types import FrameType
from typing import Any

from referee.core.errors import CourtyardError
from referee.core.plain import plain

RATE_LIMITED = frozenset({"courtyard.matches"})
"""Loggers with a rate limit of their own: a run's reports of its matches."""
_SECONDS = 60.0
_MOST_KINDS = 100
"""Kinds distinguished within a minute; all further ones are of one kind."""
_OF_OTHERS = (OSError, EOFError, CourtyardError)
_OURS = frozenset({"ladder", "referee"})
_LIBRARIES = frozenset({"asyncio", "google", "grpc", "h11", "starlette", "uvicorn"})
"""Packages whose own exceptions mean that the other side broke a protocol, or has gone."""
_LONGEST = 2_000


class RateLimit:
    """Lets one of each kind pass a minute, and counts the others."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with no kind known."""
        self._clock = clock
        self._lock = threading.Lock()
        self._kinds: dict[Hashable, tuple[float, int]] = {}
        """When one last passed, and how many came since; the oldest first."""

    def passes(self, kind: Hashable) -> int | None:
        """Return how many were held back before this one; None if it is held back, too."""
        with self._lock:
            now = self._clock()
            if kind not in self._kinds and not self._has_room(now):
                kind = None
            last, held = self._kinds.get(kind, (-math.inf, 0))
            if now - last < _SECONDS:
                self._kinds[kind] = last, held + 1
                return None
            self._kinds.pop(kind, None)
            self._kinds[kind] = now, 0
            return held

    def _has_room(self, now: float) -> bool:
        """Return whether there is room for another kind, after forgetting those long past."""
        while self._kinds:
            oldest, (last, _) = next(iter(self._kinds.items()))
            if now - last < _SECONDS:
                break
            del self._kinds[oldest]
        return len(self._kinds) < _MOST_KINDS


def and_others(text: str, held: int) -> str:
    """Return a line that also counts those of its kind that were held back."""
    return f"{text} (and {held:,} more like this since the last such line)" if held else text


class LogLimit(logging.Filter):
    """Lets one record of each kind pass a minute, in one line unless it is of a bug."""

    def __init__(self, rate_limit: RateLimit | None = None) -> None:
        """Take a rate limit, by default a new one."""
        super().__init__()
        self._rate_limit = rate_limit or RateLimit()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record passes, in its final words."""
        if record.name in RATE_LIMITED:
            return True
        held = self._rate_limit.passes(_kind(record))
        if held is None:
            return False
        record.msg = and_others(_line(record), held)
        record.args = None
        if record.exc_info and not is_bug(record.exc_info[1]):
            record.exc_info = record.exc_text = None
        return True


def is_bug(error: BaseException | None) -> bool:
    """Return whether an error went through code of ours, and is not what others did or lack."""
    if (
        error is None
        or isinstance(error, _OF_OTHERS)
        or _package(type(error).__module__) in _LIBRARIES
    ):
        return False
    return any(_package(frame.f_globals.get("__name__", "")) in _OURS for frame in _frames(error))


def _package(module: str) -> str:
    return module.partition(".")[0]


def _frames(error: BaseException) -> list[FrameType]:
    return [frame for frame, _ in walk_tb(error.__traceback__)]


def _kind(record: logging.LogRecord) -> Hashable:
    """Return what all records of one kind share: the words without their figures, and the place."""
    words = str(record.msg).partition("\n")[0]
    if not record.name.startswith("courtyard"):  # others put addresses into their words
        words = re.sub(r"\d+", "#", words)
    error = record.exc_info[1] if record.exc_info else None
    return record.name, record.levelno, words, type(error), _place(error)


def _place(error: BaseException | None) -> Hashable:
    """Return the line in which a bug was met."""
    if error is None or not is_bug(error):
        return None
    *_, (frame, line) = walk_tb(error.__traceback__)
    return frame.f_code.co_filename, line


def _line(record: logging.LogRecord) -> str:
    """Return a record in one line of printable characters, with its error unless it is a bug."""
    error = record.exc_info[1] if record.exc_info else None
    text = record.getMessage().strip()
    if error is not None and not is_bug(error):
        text = f"{text}: {str(error) or type(error).__name__}"
    return plain(" ".join(text.split()))[:_LONGEST]


def limit_log(handler: logging.Handler | None = logging.lastResort) -> None:
    """Limit what a handler logs, by default the one of a process that has set up none.

    Errors that Python itself would print, in a thread or uncaught, are logged.
    """
    if handler is not None:
        handler.filters[:] = [LogLimit()]
    threading.excepthook = _thread_ended
    sys.unraisablehook = _log_uncaught


def _thread_ended(args: threading.ExceptHookArgs) -> None:
    if args.exc_type is not SystemExit:
        error: Any = (args.exc_type, args.exc_value, args.exc_traceback)
        logging.getLogger("courtyard").error("a thread ended", exc_info=error)


def _log_uncaught(args: "sys.UnraisableHookArgs") -> None:
    error: Any = (args.exc_type, args.exc_value, args.exc_traceback)
    logging.getLogger("courtyard").error("an error where none can be raised", exc_info=error)
