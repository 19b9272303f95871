"""Courtyard without its extras has all that authors need."""

import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ladder.cli.app import OF_LADDERS

WITHOUT = """
import sys
for name in {packages}:
    sys.modules[name] = None
from {program}.__main__ import main
main()
"""
OTHERS = ("fastapi", "starlette", "uvicorn", "jinja2", "orjson", "psycopg", "distributed")


def run(folder: Path, program: str, *words: object) -> "subprocess.CompletedProcess[str]":
    """Run a program without the packages of the extras."""
    code = WITHOUT.format(packages=[*OF_LADDERS, *OTHERS], program=program)
    command = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_an_author_makes_checks_and_plays_a_bot(tmp_path: Path) -> None:
    """None of the steps needs an extra."""
    for program, *words in (
        ("ladder", "new-bot", "mine", "--from", "random"),
        ("referee", "check", "mine", "--game", "courtisans"),
        ("referee", "play", "--quiet", "--record", "match.json", "mine", "greedy"),
        ("referee", "verify", "match.json"),
    ):
        ended = run(tmp_path, program, *words)
        assert ended.returncode == 0, (words, ended.stderr)


def test_an_author_reaches_a_ladder_elsewhere(tmp_path: Path, api: str, token: str) -> None:
    """All commands with --url do without the extra."""
    (tmp_path / "token").write_text(token)
    there = ("--url", f"http://{api}", "--token-file", "token")
    for words in (
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
    ):
        ended = run(tmp_path, "ladder", *words, *there)
        assert ended.returncode == 0, (words, ended.stderr)


def test_a_command_names_its_extra(tmp_path: Path) -> None:
    """In one line, and without a traceback."""
    ended = run(tmp_path, "ladder", "init", "club")

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
