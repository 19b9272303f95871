"""Logs the events of a long-running process as JSON lines.

Every line has `time` (ISO 8601, UTC), `level`, `logger` and `message`; figures have fields of their
own. The progress of a run is logged once a minute.
"""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pythonjsonlogger.json import JsonFormatter

from ladder.runner.log_limit import limit_log

MATCHES = logging.getLogger("courtyard.matches")
PAGES = logging.getLogger("courtyard.pages")
API = logging.getLogger("courtyard.api")

_SECONDS_BETWEEN_SUMS = 60.0


def log_as_json() -> None:
    """Write every log message of this process to stderr as a line of JSON."""
    handler = logging.StreamHandler()
    formatter = JsonFormatter(
        "{levelname}{name}{message}",
        style="{",
        rename_fields={"levelname": "level", "name": "logger", "timestamp": "time"},
        timestamp=True,
    )
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    limit_log(handler)
    logging.captureWarnings(capture=True)


@contextmanager
def logged(ladder: Path) -> Iterator["LoggedProgress"]:
    """Yield a progress that logs a run as JSON lines."""
    log_as_json()
    yield LoggedProgress(ladder.name)


class LoggedProgress:
    """Logs the progress of a run."""

    def __init__(self, ladder: str) -> None:
        """Name the ladder in every message."""
        self._ladder = {"ladder": ladder}
        self._began = time.monotonic()
        self._matches = self._decisions = 0
        self._status = ""
        self._workers: dict[str, int] = {}
        """How many matches each worker of the cluster has played."""
        self._logged_first = False
        """Whether the first match was logged, at once, as a sign that bots play."""

    def begin(self) -> None:
        """Do nothing: each line counts what was played since the one before."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Do nothing: the run has no end."""

    def advance(self, decisions: int) -> None:
        """Count a match; log the counts about once a minute."""
        self._matches += 1
        self._decisions += decisions
        seconds = time.monotonic() - self._began
        if self._logged_first and seconds < _SECONDS_BETWEEN_SUMS:
            return
        counts = {
            "matches": self._matches,
            "decisions": self._decisions,
            "seconds": round(seconds, 1),
            "status": self._status,
            **({"workers": self._workers} if self._workers else {}),
        }
        MATCHES.info("played", extra=self._ladder | counts)
        self._logged_first = True
        self._began += seconds
        self._matches = self._decisions = 0

    def tell(self, status: str) -> None:
        """Keep the status for the next log line."""
        self._status = status

    def name_workers(self, played: Sequence[tuple[str, int]]) -> None:
        """Keep the cluster's workers for the next log line."""
        self._workers = dict(played)

    def say(self, text: str) -> None:
        """Log a line."""
        MATCHES.info(text, extra=self._ladder)

    def warn(self, text: str) -> None:
        """Log a warning."""
        MATCHES.warning(text, extra=self._ladder)
