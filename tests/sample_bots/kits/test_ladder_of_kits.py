"""A ladder of all kits, made and played as a person would."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from ladder.submission.starter_kits import KITS
from referee.hosting.manifest import Manifest

SAMPLE_BOTS = Path(__file__).parents[3] / "sample_bots"
MADE: Mapping[str, Sequence[str]] = {
    "go": ["build/bot"],
    "rust": ["build/release/bot"],
    "cpp": ["build/bot"],
    "java": ["build", "lib"],
    "typescript": ["build/*.js", "build/proto", "node_modules"],
}
"""What a build makes that is needed to play."""


def run(folder: Path, *words: object) -> str:
    """Run the command `ladder`, and return what it printed."""
    program = Path(sys.executable).parent / "ladder"
    ended = subprocess.run(
        [program, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def bring_built(folder: Path, language: str) -> None:
    """Make a bot that needs no build any more, of what was made in the kit's own folder."""
    kit = SAMPLE_BOTS / language
    for pattern in ["package.json", *MADE[language]]:
        for made in kit.glob(pattern):
            place = folder / made.relative_to(kit)
            place.parent.mkdir(parents=True, exist_ok=True)
            if made.is_dir():  # npm's links and compiler are for builds
                ignored = shutil.ignore_patterns(".bin", "typescript")
                shutil.copytree(made, place, ignore=ignored)
            else:
                shutil.copy2(made, place)
    manifest = re.sub(r"(?m)^name = .*$", f'name = "{folder.name}"', (kit / "bot.toml").read_text())
    (folder / "bot.toml").write_text(re.sub(r"(?ms)^build = .*?(?=^command)", "", manifest))


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_a_ladder_of_all_kits_has_no_fault(
    tmp_path: Path,
    game: str,
    lacking: Callable[[str], str],
    build: Callable[[Path], Manifest],
    proof_cases: Callable[[int], int],
) -> None:
    """Each is made from its kit, built without a network, validated, and plays a hundred rounds.

    Of a sample of the cases those that are compiled bring what the tests of the kits build anyway.
    """
    languages = [name for name in KITS if not lacking(name)]
    run(tmp_path, "init", "club", "--game", game, "--seats", 4, "--build-network", "nobody")
    for name in languages:
        if name in MADE and proof_cases(2) < 2:
            build(SAMPLE_BOTS / name)
            bring_built(tmp_path / f"my-{name}", name)
        else:
            run(tmp_path, "new-bot", f"my-{name}", "--language", name, "--game", game)
    club = tmp_path / "club"
    run(club, "submit", *[f"../my-{name}" for name in languages])
    run(club, "run", "--rounds", proof_cases(100))

    standings = json.loads(run(club, "standings", "--json"))
    assert {row["bot"] for row in standings} == {f"my-{name}" for name in languages}
    assert all(row["matches"] > 0 and row["fault_rate"] == 0 for row in standings)
