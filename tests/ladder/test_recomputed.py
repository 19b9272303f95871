"""Whoever has the rules, the exported document and the records works out the same tournament."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from tests.ladder.simulated import Simulated

ARBITER = Path(__file__).parents[1] / "arbiter" / "recompute.py"


def recomputed(folder: Path, cases: Iterable[str]) -> list[list[str]]:
    """Return what the arbiter's program finds wrong in each of these tournaments."""
    path = folder / "cases"
    path.write_text("\n".join(cases), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-E", "-s", "-S", ARBITER, path],  # without the folders of our packages
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(folder: Path, seeds: Iterable[int]) -> None:
    """Check the tournaments of these seeds."""
    for seed, found in zip(
        seeds, recomputed(folder, (Simulated(s).case() for s in seeds)), strict=True
    ):
        assert found == [], f"seed {seed}"


def test_tournaments_are_recomputed(tmp_path: Path) -> None:
    """Scores, tie-breaks, places and who goes on are as the page of rules says, in any format."""
    check(tmp_path, range(60))


@pytest.mark.proof
def test_many_tournaments_are_recomputed(tmp_path: Path, proof_cases: Callable[[int], int]) -> None:
    """The same holds for many more of them."""
    check(tmp_path, range(1_000, 1_000 + proof_cases(5_000)))
