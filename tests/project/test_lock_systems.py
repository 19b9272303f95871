"""requirements.lock can be installed on every system and Python that the README promises.

From ready-made wheels alone, so that no user needs a compiler; only trueskill, of pure Python,
is published as source. uv resolves for systems other than its own; nothing is installed.
"""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.support.lacking import need_program, skip

SYSTEMS = {
    "Linux, x86-64": "x86_64-unknown-linux-gnu",
    "Linux, ARM": "aarch64-unknown-linux-gnu",
    "macOS, Apple silicon": "aarch64-apple-darwin",
    "Windows, for authors of bots": "x86_64-pc-windows-msvc",
}
"""By uv's names for them."""
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
NO_REGISTRY = re.compile(r"[Ff]ailed to fetch|[Nn]etwork|dns error|error sending request|timed out")


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_the_lock_installs_from_wheels(root: Path, tmp_path: Path, system: str) -> None:
    """Each pinned package has a wheel for this system and each Python, or needs none there."""
    uv = need_program("uv", "pip install uv")
    for python in PYTHONS:
        choice = ("--python-platform", system, "--python-version", python)
        wheels = ("--only-binary", ":all:", "--no-binary", "trueskill", "--no-build-isolation")
        pinned = ("--no-deps", "--require-hashes", "-r", root / "requirements.lock")
        dry_run = (uv, "pip", "install", "--dry-run", "--target", tmp_path)
        command = (*dry_run, *choice, *wheels, *pinned)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0 and NO_REGISTRY.search(done.stderr):
            skip("no package registry can be reached", "run this where one can")
        assert done.returncode == 0, f"{python}: {done.stderr}"
        installed = re.findall(r"^ \+ ([\w-]+)==", done.stderr, re.MULTILINE)
        assert {"grpcio", "numpy", "protobuf", "trueskill", "typer"} <= {*installed}
        assert ("uvloop" in installed) == ("windows" not in system)
        assert ("pyseccomp" in installed) == ("linux" in system)


def test_the_classifiers_name_the_pythons(root: Path) -> None:
    """What the package says of itself is what is tried here."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))

    assert project["requires-python"] == f">={PYTHONS[0]}"
    assert tuple(named) == PYTHONS
