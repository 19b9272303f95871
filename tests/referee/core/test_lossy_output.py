"""Output that stops nothing: what cannot be written is dropped."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from referee.core.lossy_output import lossy_output


def tell(text: str) -> None:
    """Print a line to what stdout is now."""
    sys.stdout.write(f"{text}\n")


Pipe = Callable[[], int]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipe]:
    """Make stdout a pipe, in the test itself, and return its other end."""
    with ExitStack() as opened:

        def make() -> int:
            reading, writing = os.pipe()
            stream = opened.enter_context(os.fdopen(writing, "w", encoding="utf-8"))
            monkeypatch.setattr(sys, "stdout", stream)
            return reading

        yield make


def test_what_is_read_arrives(pipe: Pipe) -> None:
    """Lines come as they are, at once, after those that were printed before."""
    reading = pipe()
    stream = sys.stdout
    tell("before")
    with lossy_output():
        tell("a line: \u2192")
        assert os.read(reading, 100).decode() == "before\na line: \u2192\n"
    os.close(reading)
    assert sys.stdout is stream


def test_a_pipe_whose_reader_is_gone(pipe: Pipe) -> None:
    """A closed pipe takes everything."""
    reading = pipe()
    os.close(reading)
    with lossy_output():
        for _ in range(1000):
            tell("a line")


@pytest.mark.costly
def test_a_pipe_that_is_not_read_now(pipe: Pipe) -> None:
    """A full pipe keeps no writer waiting; when it is read again, what comes then arrives."""
    reading = pipe()
    with lossy_output():
        tell("a line that is longer than any pipe" * 100_000)
        for _ in range(1000):
            tell("another line")
        os.set_blocking(reading, False)
        with suppress(BlockingIOError):
            while os.read(reading, 1 << 20):
                pass
        tell("the last line")
        assert os.read(reading, 1 << 20).endswith(b"the last line\n")
    os.close(reading)


def test_no_room() -> None:
    """Where the disk is full nothing is told, and nothing fails, not even the end."""
    program = (
        "from referee.core.lossy_output import lossy_output\n"
        "with lossy_output():\n    print('a line')\n"
    )
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, check=True
        )
    assert ended.stderr == b""
