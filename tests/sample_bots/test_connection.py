"""The Python kit's plumbing says in one line why a bot cannot play."""

import subprocess
import sys
from pathlib import Path

import pytest


def start(folder: Path, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Start the random bot and wait for its end."""
    return subprocess.run(
        [sys.executable, "bot.py"],
        cwd=folder / "random",
        env={"PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("environment", "line"),
    [
        ({}, "COURTYARD_ADDRESS is not set: try `referee play` with the folder of this bot"),
        (
            {"COURTYARD_ADDRESS": "unix:socket", "COURTYARD_TOKEN_FILE": "nothing"},
            "COURTYARD_TOKEN_FILE: nothing: No such file or directory",
        ),
        (
            {"COURTYARD_ADDRESS": "unix:nothing", "COURTYARD_TOKEN": "token"},
            "the referee ended the stream: UNAVAILABLE",
        ),
    ],
    ids=["no address", "no token file", "no referee"],
)
def test_a_bot_that_cannot_play_says_why(
    environment: dict[str, str], line: str, folder: Path
) -> None:
    """It exits with status 1 and one line that begins with the reason."""
    ended = start(folder, environment)

    assert ended.returncode == 1
    assert ended.stderr.startswith(line)
    assert ended.stderr.count("\n") == 1
