"""A ladder of the sample bots settles, and its standings can be explained."""

import subprocess
import sys
from pathlib import Path

import pytest

from ladder.results.report.facts import facts
from ladder.results.standings import LEGEND_OF_ALL, cells, groups, provisional, separation
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.ladder.results.report.derivation import derive

BIN = Path(sys.executable).parent
SAMPLES = Path(__file__).parents[4] / "sample_bots" / "python"


def run(*arguments: object) -> str:
    """Run the command `ladder` in its own process and return its output."""
    command = [str(BIN / "ladder"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.proof
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_it_settles_and_is_explained(game: str, tmp_path: Path) -> None:
    """The ladder finds the order, and `ladder report` explains each cell of the standings."""
    here = ("--ladder", tmp_path / "ladder")
    run("init", tmp_path / "ladder", "--game", game, "--seed", "as usual", "--reproducible")
    run("submit", *(SAMPLES / game / name for name in ("random", "greedy", "counter")), *here)
    assert "Settled: the order is right with P = " in run("run", "--until-settled", *here)

    title, _, *lines = run("standings", *here).splitlines()

    with Ladder.open(Home(tmp_path / "ladder")) as opened:
        found = facts(opened)
    assert title.startswith("ladder · ")
    assert [line.split() for line in lines[:3]] == [
        [cell for cell in (*cells(row), separation(row)) if cell] for row in found.standings
    ]
    assert lines[3:] == [LEGEND_OF_ALL, groups(found.standings), *provisional(found.standings)]
    assert found.standings[-1].bot == "random"
    derive(found, run("report", *here))
