"""The author of a bot that failed is shown what it printed last."""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

BOTS = Path(__file__).resolve().parents[2] / "bots"
REFEREE = Path(sys.executable).parent / "referee"


@cache
def played(*bots: str, status: int = 0) -> "subprocess.CompletedProcess[str]":
    """A match of these bots, nothing of which is shown but what concerns their authors."""
    command = [str(REFEREE), "play", "--quiet", "--seats", "2", *(str(BOTS / bot) for bot in bots)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == status, ended.stderr
    return ended


@pytest.mark.costly
def test_a_traceback_of_a_bot_is_shown_after_the_match() -> None:
    """The last lines say what went wrong, and where."""
    shown = played("last_words").stderr

    assert "The last output of last-words (seat 0):" in shown
    assert "LookupError: no idea on turn" in shown


@pytest.mark.costly
def test_what_a_bot_prints_cannot_steer_the_terminal() -> None:
    """Control characters are shown as dots."""
    shown = played("last_words").stderr

    assert ": ·[2J" in shown
    assert "\x1b" not in shown


@pytest.mark.costly
def test_a_bot_that_never_started_is_heard_too() -> None:
    """What it printed before its Hello is shown."""
    assert "The last output of exits" in played("exits", status=1).stderr
