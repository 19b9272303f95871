"""The shell completes commands, languages, games, and a ladder's names."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import referee.cli.app
from ladder.cli.app import app
from ladder.model.matches import PlannedMatch
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from referee.games import game_names
from tests.support.lacking import need_proc

Completed = Callable[..., list[str]]


@pytest.fixture
def completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Completed:
    """Return what bash offers for the last word, with no ladder near."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COURTYARD_LADDER", raising=False)
    monkeypatch.delenv("COURTYARD_URL", raising=False)

    def complete(*words: object, program: str = "ladder") -> list[str]:
        line = [program, *map(str, words)]
        environment = {
            f"_{program.upper()}_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(shlex.quote(word) if word else "" for word in line),
            "COMP_CWORD": str(len(line) - 1),
        }
        asked = app if program == "ladder" else referee.cli.app.app
        return CliRunner().invoke(asked, prog_name=program, env=environment).output.split()

    return complete


def test_commands_languages_and_games(completed: Completed) -> None:
    """These complete everywhere."""
    assert completed("st") == ["standings", "start"]
    assert completed("new-bot", "mine", "--language", "ja") == ["java"]
    assert completed("init", "club", "--game", "m") == ["miracles"]
    assert completed("play", "--game", "", program="referee") == list(game_names())


def test_the_bots_and_matches_of_a_ladder(completed: Completed, ladder: Ladder) -> None:
    """A ladder's bots and matches complete, newest match first, also during a write."""
    here = ("--ladder", ladder.home.path)
    with ladder.database.write() as tx:
        four = tuple(bots.active(tx))
        matches.add(tx, [PlannedMatch(f"{n}a" * 16, n, 0, four) for n in (1, 2)])

        assert completed("log", *here, "") == ["ann", "bob", "cat", "dan"]
    assert completed("retire", *here, "c") == ["cat"]
    assert completed("matches", *here, "--bot", "b") == ["bob"]
    assert completed("replay", *here, "") == ["2a" * 16, "1a" * 16]
    assert completed("match", *here, "1a1") == ["1a" * 16]


def test_without_a_ladder_there_are_no_names(completed: Completed, home: Home) -> None:
    """Without a ladder, or with a broken one, no name completes; no remote ladder is asked."""
    assert completed("log", "") == []
    assert completed("log", "--url", "localhost:1", "") == []
    home.database.write_bytes(b"no database")
    assert completed("log", "--ladder", home.path, "") == []


@pytest.mark.costly
def test_completion_is_installed_for_the_shell_that_asks(tmp_path: Path) -> None:
    """`--install-completion` puts into the home what bash reads at startup."""
    need_proc()  # in which `ps` finds the shell
    bin_folder = str(Path(sys.executable).parent)
    steps = ("--show-completion", "--install-completion")
    asked = " && ".join(f"ladder {step}" for step in steps)
    script = f"{asked} && . ~/.bashrc && complete -p ladder"
    done = subprocess.run(
        ["bash", "-c", script],
        env={"HOME": str(tmp_path), "PATH": f"{bin_folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "_LADDER_COMPLETE=complete_bash" in done.stdout
    assert done.stdout.endswith(" -F _ladder_completion ladder\n")
