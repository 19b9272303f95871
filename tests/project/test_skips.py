"""What is skipped is told at the end of a run, and what brings it."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = {"pytest.skip", "pytest.importorskip", "pytest.mark.skip", "pytest.mark.skipif"}
CONFTEST = "from tests.support.lacking import pytest_sessionfinish, pytest_terminal_summary\n"
TESTS = """
import pytest
from tests.support.lacking import skip

@pytest.mark.parametrize("number", range(3))
def test_of_three(number):
    skip("the moon is not installed", "apt-get install moon")

def test_alone():
    skip("the sun is not installed", "apt-get install sun")

def test_of_what_is_there():
    pass
"""


def test_every_skip_says_what_brings_what_is_missing(root: Path) -> None:
    """No test skips by itself: `tests.support.lacking` names what is missing and its command."""
    found = [
        f"{path.relative_to(root)}:{node.lineno}"
        for path in sorted((root / "tests").rglob("*.py"))
        if path.name != "lacking.py"
        if "skip" in (text := path.read_text()).casefold()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in SKIPPING
    ]
    assert not found


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(
    ("workers", "may_skip", "status"),
    [
        pytest.param(1, "the sun is", 1, id="one is named"),
        pytest.param(0, None, 0, id="anything may be skipped"),
        pytest.param(0, "the moon is|the sun is", 0, id="both are named"),
        pytest.param(0, "", 1, id="nothing may be skipped"),
    ],
)
def test_a_run_ends_with_what_was_skipped(
    root: Path, tmp_path: Path, workers: int, may_skip: str | None, status: int
) -> None:
    """A line a reason, with how many tests and the command; it fails if one may not be skipped."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root)}
    if may_skip is not None:
        environment["COURTYARD_MAY_SKIP"] = may_skip
    command = [sys.executable, "-m", "pytest", "-q", f"-n{workers}", f"--rootdir={tmp_path}"]

    ended = subprocess.run(
        [*command, "-pno:cacheprovider"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == status, ended.stdout + ended.stderr
    lines = ended.stdout.splitlines()
    assert "3 skipped: the moon is not installed: apt-get install moon" in lines
    assert "1 skipped: the sun is not installed: apt-get install sun" in lines
    refused = [line for line in lines if line.startswith("Not to be skipped here")]
    assert len(refused) == {None: 0, "": 2, "the sun is": 1}.get(may_skip, 0)
