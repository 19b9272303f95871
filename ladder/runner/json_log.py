"""What a process that runs for months tells: a line of JSON for every event, for machines to read.

Every line has `time` (ISO 8601, UTC), `level`, `logger` and `message`; what can be counted has a
field of its own. How far a run is, is told once a minute.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pythonjsonlogger.json import JsonFormatter

MATCHES = logging.getLogger("courtyard.matches")
PAGES = logging.getLogger("courtyard.pages")
DOOR = logging.getLogger("courtyard.door")

_SECONDS_BETWEEN_SUMS = 60.0


def log_as_json() -> None:
    """Have every message of this process written to stderr as a line of JSON."""
    handler = logging.StreamHandler()
    formatter = JsonFormatter(
        "{levelname}{name}{message}",
        style="{",
        rename_fields={"levelname": "level", "name": "logger", "timestamp": "time"},
        timestamp=True,
    )
    handler.setFormatter(formatter)
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


@contextmanager
def logged(ladder: Path) -> Iterator["LoggedProgress"]:
    """Show the progress of a run as lines of JSON."""
    log_as_json()
    yield LoggedProgress(ladder.name)


class LoggedProgress:
    """Tells by log messages how far a run is."""

    def __init__(self, ladder: str) -> None:
        """Name the ladder in every message."""
        self._ladder = {"ladder": ladder}
        self._began = time.monotonic()
        self._matches = self._decisions = 0
        self._status = ""
        self._told = False
        """Whether the first match was told: at once, as it shows that bots play."""

    def expect(self, matches: int | None, seconds: float | None) -> None:
        """Take no notice: it has no end."""

    def advance(self, decisions: int) -> None:
        """Count a match; now and then tell how many there were."""
        self._matches += 1
        self._decisions += decisions
        seconds = time.monotonic() - self._began
        if self._told and seconds < _SECONDS_BETWEEN_SUMS:
            return
        counts = {
            "matches": self._matches,
            "decisions": self._decisions,
            "seconds": round(seconds, 1),
            "status": self._status,
        }
        MATCHES.info("played", extra=self._ladder | counts)
        self._told = True
        self._began += seconds
        self._matches = self._decisions = 0

    def tell(self, status: str) -> None:
        """Keep the status for the next sum."""
        self._status = status

    def say(self, text: str) -> None:
        """Log a line."""
        MATCHES.info(text, extra=self._ladder)

    def warn(self, text: str) -> None:
        """Log a line about something that went wrong."""
        MATCHES.warning(text, extra=self._ladder)
