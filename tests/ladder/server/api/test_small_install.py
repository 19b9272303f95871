"""Courtyard without its extras has all that authors need."""

import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ladder.cli.app import OF_LADDERS

WITHOUT = """
import sys
for name in {packages}:
    sys.modules[name] = None
from {program}.__main__ import main
for words in {commands}:
    sys.argv = ["{program}", *words]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""
OTHERS = ("fastapi", "starlette", "uvicorn", "jinja2", "orjson", "psycopg", "distributed")


def run(
    folder: Path, program: str, *commands: tuple[object, ...]
) -> "subprocess.CompletedProcess[str]":
    """Run commands in one process, until one fails, without the packages of the extras."""
    without = [*OF_LADDERS, *OTHERS]
    words = [[str(word) for word in command] for command in commands]
    code = WITHOUT.format(packages=without, program=program, commands=words)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.costly
def test_an_author_makes_checks_and_plays_a_bot(tmp_path: Path) -> None:
    """None of the steps needs an extra."""
    made = run(tmp_path, "ladder", ("new-bot", "mine", "--from", "random"))
    assert made.returncode == 0, made.stderr
    ended = run(
        tmp_path,
        "referee",
        ("check", "mine", "--game", "courtisans"),
        ("play", "--quiet", "--record", "match.json", "mine", "greedy"),
        ("verify", "match.json"),
    )
    assert ended.returncode == 0, (ended.stdout, ended.stderr)


@pytest.mark.costly
def test_an_author_reaches_a_ladder_elsewhere(tmp_path: Path, api: str, token: str) -> None:
    """All commands with --url do without the extra."""
    (tmp_path / "token").write_text(token)
    there = ("--url", f"http://{api}", "--token-file", "token")
    commands: tuple[tuple[object, ...], ...] = (
        ("submit", "random"),
        ("log", "random"),
        ("log", "random", "--version", 1),
        ("show", "random"),
        ("bots",),
        ("standings",),
        ("matches",),
        ("spar", "random", "bob", "--matches", 2),
        ("spars",),
        ("spars", 1, "--share"),
        ("sparring", "random", "--off"),
        ("retire", "random"),
    )
    ended = run(tmp_path, "ladder", *((*words, *there) for words in commands))
    assert ended.returncode == 0, (ended.stdout, ended.stderr)


def test_a_command_names_its_extra(tmp_path: Path) -> None:
    """In one line, and without a traceback."""
    ended = run(tmp_path, "ladder", ("init", "club"))

    assert ended.returncode == 1
    assert ended.stderr.startswith("error: this command needs the package ")
    assert ended.stderr.endswith("as in `pip install '.[ladder]'` where its pyproject.toml is\n")


def test_all_of_the_extra_is_known() -> None:
    """Each package of the extra `ladder` brings a module for which the command names the extra."""
    asked = [Requirement(line) for line in requires("courtyard") or ()]
    of_extra = {
        canonicalize_name(one.name)
        for one in asked
        if one.marker and not one.marker.evaluate({"extra": ""})
        if one.marker.evaluate({"extra": "ladder"})
    }
    found = packages_distributions()
    brought = {canonicalize_name(one) for name in OF_LADDERS for one in found[name]}

    assert brought == of_extra
