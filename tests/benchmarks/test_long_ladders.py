"""What long ladders cost those who look at them: the first page, other pages, memory, and a check.

A hundred bots played 1,000, 100,000 and 600,000 matches (`long_history`); the rating of record is
kept, as a run keeps it. What is remembered of curves is not: they grow while the pages are shown.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.benchmarks.long_history import make_ladder

pytestmark = pytest.mark.bench

BOTS = 100
HISTORIES = (1_000, 100_000, 600_000)
PAGES = ("rounds/", "rounds/5.html", "bots/bot-0007.html")
_LADDER = Path(sys.executable).with_name("ladder")


def test_long_ladders(tmp_path: Path) -> None:
    """Print what is there after how many seconds, and how large the serving process is."""
    print(f"\n  matches  first page, s  CPU, s  MiB  {'  '.join(f'{p}, s, KB' for p in PAGES)}")
    for history in HISTORIES:
        folder = make_ladder(tmp_path / str(history), BOTS, history).path
        _ladder(folder, "standings")
        seconds, cpu, mib, pages = _served(folder)
        told = "  ".join(f"{took:.2f} {size / 1e3:.0f}" for took, size in pages)
        print(f"{history:9,}  {seconds:13.1f}  {cpu:6.1f}  {mib:3.0f}  {told}")
        print(f"{'':9}  `ladder verify` prints its first line after {_first_line(folder):.1f} s")


def _ladder(folder: Path, name: str) -> None:
    subprocess.run([_LADDER, name, "--ladder", folder], check=True, capture_output=True)


@contextmanager
def _process(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    command = [str(_LADDER), *words, "--ladder", str(folder)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": "/dev/null"},
    ) as process:
        yield process
        process.terminate()


def _served(folder: Path) -> tuple[float, float, float, list[tuple[float, int]]]:
    """Return seconds and CPU until the first page, the memory then, and the times of others."""
    began = time.perf_counter()
    with _process(folder, "serve", "--port", "0") as server:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        _read(address[0])
        seconds = time.perf_counter() - began
        status = Path(f"/proc/{server.pid}/status").read_text()
        fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        size = re.search(r"VmRSS:\s+(\d+)", status)
        assert size is not None
        return seconds, cpu, int(size[1]) / 1024, [_read(f"{address[0]}{page}") for page in PAGES]


def _read(address: str) -> tuple[float, int]:
    began = time.perf_counter()
    with urlopen(address) as answer:  # noqa: S310 -- our own server
        return (len(answer.read()), time.perf_counter() - began)[::-1]


def _first_line(folder: Path) -> float:
    """Return after how many seconds `ladder verify` says something, in a pipe."""
    began = time.perf_counter()
    with _process(folder, "verify") as check:
        assert check.stdout is not None
        check.stdout.readline()
        return time.perf_counter() - began
