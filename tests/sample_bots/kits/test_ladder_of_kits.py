"""A ladder of all kits, made and played as a person would."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.kits import KITS

READY = ("python", "shell")
"""Kits that need no build."""


def run(folder: Path, *words: object) -> str:
    """Run the command `ladder`, and return what it printed."""
    program = Path(sys.executable).parent / "ladder"
    ended = subprocess.run(
        [program, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def chosen(languages: list[str], proof_cases: Callable[[int], int]) -> list[str]:
    """Return the languages, of those that are compiled as many as the proof tries of its cases.

    In a tenth of the cases none are: building takes longest, and the tests of the kits build too.
    """
    compiled = [name for name in languages if name not in READY]
    tried = compiled[: proof_cases(10 * len(compiled)) // 10]
    return [name for name in languages if name in READY or name in tried]


@pytest.mark.proof
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_ladder_of_all_kits_has_no_fault(
    tmp_path: Path,
    game: str,
    lacking: Callable[[str], str],
    proof_cases: Callable[[int], int],
) -> None:
    """Each is made from its kit, built in the sandbox, validated, and plays a hundred rounds."""
    languages = chosen([name for name in KITS if not lacking(name)], proof_cases)
    run(tmp_path, "init", "club", "--game", game, "--seats", 4, "--build-network")
    for name in languages:
        run(tmp_path, "new-bot", f"my-{name}", "--language", name, "--game", game)
    club = tmp_path / "club"
    run(club, "submit", *[f"../my-{name}" for name in languages])
    run(club, "run", "--rounds", proof_cases(100))

    standings = json.loads(run(club, "standings", "--json"))
    assert {row["bot"] for row in standings} == {f"my-{name}" for name in languages}
    assert all(row["matches"] > 0 and row["fault_rate"] == 0 for row in standings)
