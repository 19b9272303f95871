"""What the environment says to a library behind our back changes nothing of what commands do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.core import terminal_size

PROGRAMS = Path(sys.executable).parent


def printed(*command: str, **environment: str) -> str:
    """Return what a command prints with these variables."""
    program, *words = command
    ended = subprocess.run(
        [PROGRAMS / program, *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stderr == ""
    return ended.stdout


@pytest.mark.parametrize("variable", ["COLUMNS", "LINES", "TERMINAL_WIDTH"])
@pytest.mark.parametrize("zero", ["0", "", " 00 "])
def test_a_terminal_without_width_still_shows_all(
    monkeypatch: pytest.MonkeyPatch, variable: str, zero: str
) -> None:
    """A size of zero is no size, and a real one stays."""
    monkeypatch.setenv(variable, zero)
    terminal_size.drop_zeros()
    assert variable not in os.environ

    monkeypatch.setenv(variable, "100")
    terminal_size.drop_zeros()
    assert os.environ[variable] == "100"


@pytest.mark.parametrize("program", ["ladder", "referee"])
def test_without_a_command_there_is_help_and_no_empty_error(program: str) -> None:
    """A program that is not told what to do shows its help, and has not succeeded."""
    ended = subprocess.run([PROGRAMS / program], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert "--version" in ended.stdout + ended.stderr
    assert "error" not in ended.stderr


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("variable", "value"),
    [("COLUMNS", "0"), ("PYTHONOPTIMIZE", "2"), ("PYTHONWARNINGS", "error"), ("TERM", "")],
)
@pytest.mark.parametrize("program", ["ladder", "referee"])
def test_the_help_is_there(program: str, variable: str, value: str) -> None:
    """The help is complete without a width, without docstrings, and with warnings as errors."""
    assert "--version" in printed(program, "--help", **{variable: value})
