"""The commands `new-game` and `check-game`."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.installed import install, with_site


def referee(cwd: Path, site: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command with what is installed in `site`."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "referee", *words],
        capture_output=True,
        text=True,
        check=False,
        env=with_site(site),
        cwd=cwd,
    )


@pytest.mark.costly
def test_a_new_game_works_at_once(tmp_path: Path) -> None:
    """Its tests pass, it passes `check-game`, and its bot plays it."""
    site, home = tmp_path / "site", tmp_path / "home"
    site.mkdir()
    home.mkdir()
    made = referee(home, site, "new-game", "blind-pot")
    assert made.returncode == 0, made.stderr
    project = home / "blind-pot"
    install(project, site)

    stories = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", project],
        capture_output=True,
        text=True,
        check=False,
        env=with_site(site),
    )
    assert stories.returncode == 0, stories.stdout
    checked = referee(home, site, "check-game", "blind-pot", "--games", "2")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.startswith("blind-pot: Blind pot, rules 1, of courtyard-blind-pot 0.1\n")
    assert checked.stdout.endswith("10 of 10 steps passed\n")
    bot = str(project / "bot")
    played = referee(home, site, "play", "--game", "blind-pot", "--quiet", bot, bot)
    assert played.returncode == 0, played.stderr


@pytest.mark.costly
def test_a_fault_is_told_with_promise_sentence_and_position(tmp_path: Path) -> None:
    """The command fails, and names what the game breaks."""
    site, home = tmp_path / "site", tmp_path / "home"
    site.mkdir()
    home.mkdir()
    referee(home, site, "new-game", "open-pot")
    rules = home / "open-pot" / "open_pot.py"
    code = rules.read_text()
    rules.write_text(code.replace('"have_paid": len(self.chosen)', '"have_paid": self.chosen'))
    install(home / "open-pot", site)

    checked = referee(home, site, "check-game", "open-pot", "--games", "2")

    assert checked.returncode == 1
    assert "FAIL  secrets.view         keeps secrets" in checked.stdout
    assert "found    the view of seat 1 differs in a world that it cannot tell apart: facts: " in (
        checked.stdout
    )
    assert "position decision 2 with 2 seats" in checked.stdout
    assert "seat 1 knows:" in checked.stdout
    assert "open-pot breaks secrets.view" in checked.stderr


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Hearts", "'Hearts' is no name for a game"),
        ("courtisans", "a game 'courtisans' is installed: choose another name"),
        ("json", "Python has a 'json' of its own: choose another name"),
        ("if", "Python has a 'if' of its own: choose another name"),
        ("there", "there exists: name another folder with --folder"),
    ],
)
def test_a_game_that_cannot_be_made_is_refused(
    tmp_path: Path,
    referee_here: Callable[..., "subprocess.CompletedProcess[str]"],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    problem: str,
) -> None:
    """The line says why, and nothing is written."""
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)

    made = referee_here("new-game", name)

    assert made.returncode == 1
    assert problem in made.stderr
    assert [one.name for one in tmp_path.iterdir()] == ["there"]
