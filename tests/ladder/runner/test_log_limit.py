"""What passes into a log, and in which words."""

import logging
import ssl
import sys
import threading
from collections.abc import Iterator

import pytest
from starlette.requests import ClientDisconnect

from ladder.runner.log_limit import LogLimit, RateLimit, limit_log
from ladder.storage.tables import records


class Log(logging.Handler):
    """Keeps what passes, under a clock that a test sets."""

    def __init__(self) -> None:
        """Begin at second 0."""
        super().__init__()
        self.now = 0.0
        self.lines: list[str] = []
        self.addFilter(LogLimit(RateLimit(lambda: self.now)))

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record as it is written."""
        self.lines.append(self.format(record))


@pytest.fixture
def log() -> Iterator[Log]:
    """A log of everything."""
    log = Log()
    root = logging.getLogger()
    root.addHandler(log)
    yield log
    root.removeHandler(log)


def raised(error: Exception) -> Exception:
    """An error with a traceback, though none through code of ours."""
    try:
        raise error
    except type(error) as caught:
        return caught


def bug() -> Exception:
    """An unforeseen error, in code of ours."""
    try:
        records.unpack(None)  # type: ignore[arg-type]
    except TypeError as error:
        return error
    raise AssertionError


def test_one_line_of_a_kind_passes_a_minute(log: Log) -> None:
    """The next one tells how many were held back meanwhile."""
    for second in range(0, 180, 20):
        log.now = second
        logging.getLogger("odd").warning("port %s is shut", second)

    assert log.lines == [
        "port 0 is shut",
        "port 60 is shut (and 2 more like this since the last such line)",
        "port 120 is shut (and 2 more like this since the last such line)",
    ]


def test_kinds_are_told_apart(log: Log) -> None:
    """Loggers, levels, words and errors make kinds; figures in others' words do not."""
    for _ in range(3):
        for name in ("one", "two"):
            logging.getLogger(name).warning("connection 17 is lost")
            logging.getLogger(name).warning("connection 18 is lost")
            logging.getLogger(name).error("connection 17 is lost")
            logging.getLogger(name).error("connection 17 is lost", exc_info=raised(OSError("no")))

    kinds = ["connection 17 is lost", "connection 17 is lost", "connection 17 is lost: no"]
    assert log.lines == kinds * 2


def test_what_a_run_tells_of_its_matches_passes(log: Log) -> None:
    """A run has a rate_limit of its own."""
    for _ in range(5):
        logging.getLogger("courtyard.matches").warning("a match is void")

    assert len(log.lines) == 5


@pytest.mark.costly
def test_no_number_of_kinds_fills_a_log(log: Log) -> None:
    """Beyond a hundred kinds in a minute, all others are one."""
    for number in range(10_000):
        logging.getLogger(f"logger {number}").warning("odd")

    assert len(log.lines) == 101


def test_a_kind_is_forgotten_in_time(log: Log) -> None:
    """Where there were too many kinds, there is room again a minute later."""
    for number in range(200):
        log.now = number
        logging.getLogger(f"logger {number}").warning("odd")

    assert len(log.lines) == 200


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionResetError(104, "reset by peer"), "[Errno 104] reset by peer"),
        (ssl.SSLError(1, "bad record"), "bad record"),
        (ClientDisconnect(), "ClientDisconnect"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "odd byte"), "odd byte"),
    ],
    ids=["reset", "TLS", "gone", "bytes"],
)
def test_what_others_did_has_no_traceback(log: Log, error: Exception, words: str) -> None:
    """Nor has an error of a library that never went through code of ours."""
    logging.getLogger("odd").error("odd\n", exc_info=raised(error))

    (told,) = log.lines
    assert told.startswith("odd: ")
    assert told.endswith(words)
    assert "\n" not in told


def test_a_bug_has_its_traceback_once(log: Log) -> None:
    """The first one is told whole, the others are counted."""
    for second in (0, 1, 2, 70):
        log.now = second
        logging.getLogger("odd").error("failed", exc_info=bug())

    assert len(log.lines) == 2
    assert all("Traceback (most recent call last)" in told for told in log.lines)
    assert log.lines[1].startswith("failed (and 2 more like this")


def test_no_stranger_writes_a_line_of_its_own(log: Log) -> None:
    """What a stranger sent adds no line, and no character that controls a terminal."""
    logging.getLogger("odd").warning("refused %s", "x\nroot logged in\x1b[2J\u202e")

    assert log.lines == ["refused x root logged in·[2J·"]


def test_threads_and_callbacks_log(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Python would print as a traceback is a line, too."""
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    limit_log(None)
    for error in (ConnectionResetError("gone"), ConnectionResetError("gone")):
        given = (type(error), error, None, None)
        threading.excepthook(threading.ExceptHookArgs(given))
    failing = type("Failing", (), {"__del__": lambda _: next(iter(()))})
    for _ in range(3):
        failing()

    assert log.lines == [
        "a thread ended: gone",
        "an error where none can be raised: StopIteration",
    ]
