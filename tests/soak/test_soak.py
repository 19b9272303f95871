"""What grows is told from what only goes up and down."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.soak.trend import drawn, trend

_ROOT = Path(__file__).resolve().parents[2]
_HOURS = [number / 50 for number in range(300)]


def _noisy(slope: float) -> list[float]:
    """Return six hours of memory: a warm-up, a saw tooth, noise, and a slope per hour."""
    chance = random.Random(1)
    return [
        60 + min(20.0, 20 * hour) + (hour * 7 % 1) * 10 + chance.gauss(0, 3) + slope * hour
        for hour in _HOURS
    ]


@pytest.mark.costly
@pytest.mark.parametrize(("slope", "said"), [(6.0, "grows"), (0.0, "flat"), (-2.0, "flat")])
def test_a_slope_is_told_from_a_warm_up_and_a_saw_tooth(slope: float, said: str) -> None:
    """Its interval holds the true slope."""
    found = trend(_HOURS, _noisy(slope))

    assert found is not None
    assert found.low <= slope <= found.high
    assert found.verdict(negligible=1.0) == said


@pytest.mark.costly
def test_what_never_changes_is_flat() -> None:
    """As the number of threads."""
    found = trend(_HOURS, [3.0] * len(_HOURS))

    assert found is not None
    assert found.verdict(negligible=1.0) == "flat"


def test_too_little_is_not_called_flat() -> None:
    """A few samples have no trend, and a short time leaves it open."""
    assert trend(_HOURS[:20], _noisy(6.0)[:20]) is None
    short = trend(_HOURS[:60], _noisy(0.0)[:60])
    assert short is not None
    assert short.verdict(negligible=1.0) != "flat"


def test_values_are_drawn_from_the_lowest_to_the_highest() -> None:
    """A bar each, however many values there are."""
    assert drawn([1, 2, 3, 4, 5, 6, 7, 8], width=8) == "▁▂▃▄▅▆▇█"
    assert drawn([5.0] * 100, width=4) == "▁▁▁▁"


@pytest.mark.long
@pytest.mark.proof
def test_a_soak_is_told_on_a_page() -> None:
    """What parent, player and worker take, whatever that is after a minute."""
    command = [sys.executable, "-m", "tests.soak", "--hours", str(1 / 60)]
    done = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)

    assert done.returncode in {0, 1}, done.stderr
    assert "matches in 0.02 h" in done.stdout
    for name in ("parent: ", "player: ", "worker 1: "):
        assert f"\n{name}" in done.stdout
    assert done.stdout.count("MiB per hour: ") >= 1
