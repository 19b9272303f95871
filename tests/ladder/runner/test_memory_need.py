"""A run says before it begins that its bots may use more memory than there is."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.doctor import findings
from ladder.runner import memory_need
from ladder.runner.memory_need import shortage
from ladder.runner.report import Report
from ladder.storage.files.folder import Home

GIB = 1 << 30


@pytest.fixture(autouse=True)
def nine_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine GiB are available; a bot may use one."""
    monkeypatch.setattr(memory_need, "available", lambda: (9 * GIB, 10 * GIB))


def test_what_fits_is_not_mentioned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what is unknown, as on other systems."""
    assert shortage(workers=2, seats=4) == ""
    monkeypatch.setattr(memory_need, "available", lambda: None)
    assert shortage(workers=300, seats=4) == ""


@pytest.mark.parametrize(
    ("workers", "seats", "told"),
    [
        (3, 4, "the bots of 3 matches at once may use 12 GiB of memory, and 9 GiB is available"),
        (3, 4, "if it runs out, matches are void; --workers 2 fits"),
        (1, 10, "the bots of a match may use 10 GiB .* void; only more memory helps"),
    ],
)
def test_what_does_not_fit_is_told(workers: int, seats: int, told: str) -> None:
    """In one line, with the number of workers that there is memory for."""
    assert re.search(told, shortage(workers, seats))
    assert "\n" not in shortage(workers, seats)


@pytest.mark.costly
@pytest.mark.usefixtures("ladder")
def test_a_run_begins_with_it(
    command: Callable[..., Any], home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once; --workers counts."""
    monkeypatch.setattr("ladder.runner.run.run", lambda *_, **__: Report())

    told = command("run", "--ladder", home.path, "--workers", 3)
    fits = command("run", "--ladder", home.path, "--workers", 2)

    assert told.out.count("--workers 2 fits.\n") == 1
    assert "matches are void" not in fits.out


@pytest.mark.costly
def test_doctor_tells_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """For a worker on each core, and matches of four bots."""
    monkeypatch.setattr("ladder.cli.doctor.cores", lambda: 3)
    (memory,) = [one for one in findings(tmp_path) if one.what == "memory"]

    assert not memory.good
    assert "--workers 2 fits" in memory.remedy
