"""The portable half of the sandbox, played on Linux as tests/support/portable makes it."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.sandbox.kernel import IS_LINUX
from tests.support.lacking import need_linux

ROOT = Path(__file__).parents[2]
PORTABLE = ROOT / "tests" / "support" / "portable"
MATCHES = 500
SUITES = {
    "processes": {
        "tests/referee/sandbox/test_ending.py": "trusted",
        "tests/referee/sandbox/test_freezing.py": "trusted",
        "tests/referee/sandbox/test_limits.py": "trusted",
    },
    "matches": {
        "tests/security/test_hostile_bots.py": "trusted and "
        "(never or illegal or daemon or 400 or six or crashes or computes)",
        "tests/referee/hosting/test_pauses.py": "answered or suspended",
    },
    "commands": {
        "tests/referee/cli/test_commands.py": "match_is_played",
        "tests/ladder/cli/test_demo.py": "ranked",
    },
}
"""What runs through it together: files, and which of their tests."""


def portable() -> dict[str, str]:
    """The environment of a program that finds none of Linux's calls."""
    need_linux()
    before = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, (str(PORTABLE), before)))}


def test_the_portable_half_is_chosen() -> None:
    """Where Linux's calls are missing, though /proc is there."""
    told = "from referee.sandbox.kernel import kernel; print(kernel.__name__, kernel.watches())"
    done = subprocess.run(
        [sys.executable, "-c", told], env=portable(), capture_output=True, text=True, check=True
    )

    assert IS_LINUX
    assert done.stdout == "referee.sandbox.portable_kernel True\n"


@pytest.mark.costly
def test_the_doctor_says_what_is_missing() -> None:
    """Bots are not contained, and not all is measured; there are ways to a Linux."""
    command = [str(Path(sys.executable).parent / "ladder"), "doctor"]
    environment = portable() | {"COLUMNS": "1000"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert "cannot contain bots" in done.stdout
    assert "podman machine" in done.stdout
    assert "its clock is the wall's" in done.stdout


@pytest.mark.proof
@pytest.mark.parametrize("suite", SUITES)
def test_it_passes_the_tests_of(suite: str) -> None:
    """Limits, match, ladder, faults, clocks and commands do what they do on Linux."""
    places = SUITES[suite]
    which = " or ".join(f"({Path(place).name} and ({tests}))" for place, tests in places.items())
    options = ("-q", "-n0", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", *options, *places, "-k", which]
    environment = portable()
    environment.pop("COURTYARD_MAY_SKIP", None)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.proof
def test_verdicts_are_those_of_linux(proof_cases: Callable[[int], int]) -> None:
    """Of hostile bots, which leave no process; no other bot forfeits."""
    command = [sys.executable, "-m", "tests.security.portable_verdicts", str(proof_cases(MATCHES))]
    seen = []
    for environment in (dict(os.environ), portable()):
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        seen.append([json.loads(line) for line in done.stdout.splitlines()])
    linux, elsewhere = seen

    assert len(elsewhere) == proof_cases(MATCHES)
    assert elsewhere == linux
    assert not any(left for _, _, left in elsewhere)
