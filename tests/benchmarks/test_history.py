"""What a match costs the main process of `ladder run`, by how many were played before it.

The workers only pretend to play (`pretended`); plans, fits and commits are real. A
hundred bots play on after 1,000, 10,000, 100,000 and 1,000,000 matches; the run begins with what
was condensed of them, as any run after the first does. Fits are amortised: a run is long enough to
have its share of them.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ladder.storage.files.folder import Home
from tests.benchmarks.long_history import make_ladder

pytestmark = pytest.mark.bench

BOTS = 100
HISTORIES = (1_000, 10_000, 100_000, 1_000_000)
MOST = 8192
"""The most matches played on: a chunk of those that are condensed together."""
_WORKERS = 2
_MS_A_MARK = 0.05
_LADDER = Path(sys.executable).with_name("ladder")


def test_the_main_process_by_history(tmp_path: Path) -> None:
    """Print what matches, start and standings cost, and memory; plot the CPU time of a match."""
    rows = [_row(tmp_path, history) for history in HISTORIES]
    print("\n  history  CPU ms a match  matches/s  peak MiB  start, CPU s  standings, CPU s")
    for history, row in zip(HISTORIES, rows, strict=True):
        print(
            f"{history:9,}  {row['cpu_ms']:14.2f}  {row['a_second']:9.0f}  {row['peak_mib']:8.0f}"
            f"  {row['start_s']:12.2f}  {row['standings_s']:16.2f}"
        )
    print()
    for history, row in zip(HISTORIES, rows, strict=True):
        print(f"{history:9,} |{'#' * round(row['cpu_ms'] / _MS_A_MARK)} {row['cpu_ms']:.2f} ms")


def _row(folder: Path, history: int) -> dict[str, float]:
    home = make_ladder(folder / str(history), BOTS, history)
    _standings(home)  # condenses the history, once
    matches = min(max(1_000, history // 5), MOST)
    command = [sys.executable, "-m", "tests.benchmarks.test_history", str(home.path), str(matches)]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    row: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return {**row, "standings_s": _standings(home)}


def _standings(home: Home) -> float:
    """Return the seconds of CPU that `ladder standings` takes."""
    before = _of_children()
    command = [str(_LADDER), "standings", "--ladder", str(home.path)]
    subprocess.run(command, check=True, capture_output=True)
    return _of_children() - before


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(folder: str, matches: str) -> None:
    """Play a number of further matches, and print what they cost as a line of JSON."""
    from tests.benchmarks.pretended import measure  # noqa: PLC0415 - workers import this file

    began = time.process_time()
    meter = measure(Home(Path(folder)), int(matches), _WORKERS, "ladder")
    found = {
        "cpu_ms": meter.cpu_ms,
        "a_second": meter.a_second,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "start_s": meter.first - began,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
