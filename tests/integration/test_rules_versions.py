"""A fault found in the rules after rated matches: the game is upgraded, and the owner decides."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import high_card

pytestmark = pytest.mark.proof

Run = Callable[..., str]
OLD = 40
"""The matches of the demo, which are played by rules 1."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the game is installed."""
    return tmp_path_factory.mktemp("installed") / "site"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run."""
    return tmp_path_factory.mktemp("club")


@pytest.fixture(scope="module")
def run(site: Path, folder: Path) -> Run:
    """Run a real command with the game installed; return what it prints."""

    def command(program: str, *words: object, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", program, *map(str, words)],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout + done.stderr

    return command


@pytest.fixture(scope="module")
def upgraded(site: Path, run: Run) -> tuple[str, str, str]:
    """The folder of a ladder played by both rules, its standings before, and the second run."""
    high_card.install(site, "1")
    run("ladder", "demo", "demo", "--game", high_card.NAME, "--workers", 1)
    at = f"demo/{high_card.NAME}"
    before = run("ladder", "standings", "--ladder", at)
    high_card.install(site, "2")
    return at, before, run("ladder", "run", "--rounds", 8, "--workers", 1, "--ladder", at)


def test_an_upgraded_ladder_goes_on_and_says_so(run: Run, upgraded: tuple[str, str, str]) -> None:
    """Both versions count until the owner decides, and the standings say so."""
    at, before, ran = upgraded

    assert "rules" not in before.replace("rank:", "")
    assert (
        f"Rules 2 of high-card 2.0 are enforced now. Still counted: {OLD} matches of rules 1; "
        "`ladder void --rules 1` drops them." in ran
    )
    told = f"Several versions of the rules count: {OLD} matches of rules 1 and 8 matches of rules 2"
    assert told in run("ladder", "standings", "--ladder", at)
    assert told in run("ladder", "show", "random-1", "--ladder", at)


def test_old_matches_are_not_replayed(run: Run, upgraded: tuple[str, str, str]) -> None:
    """By the new rules they would be wrong: verification says so, and finds no problem."""
    at, *_ = upgraded
    verified = run("ladder", "verify", "--ladder", at)

    assert f"Not replayed: {OLD} matches played by rules '1' of high-card 1.0;" in verified
    assert f"No problem found in the files and {OLD + 8} matches" in verified


def test_the_owner_drops_the_old_rules_and_keeps_them(
    run: Run, folder: Path, upgraded: tuple[str, str, str]
) -> None:
    """Standings, JSON, report and pages say what counts; keeping restores the same ratings."""
    at, *_ = upgraded
    both = run("ladder", "standings", "--json", "--ladder", at)
    assert [*{tuple(row["rules"]) for row in json.loads(both)}] == [("1", "2")]
    told = f"Rules 2 only: {OLD} matches of rules 1 dropped."

    dropped = run("ladder", "void", "--rules", 1, "--reason", "the lowest won", "--ladder", at)

    assert dropped == f"Dropped: {OLD} matches of rules 1.\n{told}\n"
    for command in ("standings", "report", "show random-1"):
        assert told in run("ladder", *command.split(), "--ladder", at)
    rows = json.loads(run("ladder", "standings", "--json", "--ladder", at))
    assert {row["matches"] for row in rows} == {8}
    assert {tuple(row["rules"]) for row in rows} == {("2",)}
    run("ladder", "export", "site", "--ladder", at)
    assert told in (folder / "site" / "index.html").read_text()
    run("ladder", "run", "--workers", 1, "--ladder", at)
    assert "No rating differed" in run("ladder", "rerate", "--ladder", at)
    assert "No problem found" in run("ladder", "verify", "--ladder", at)

    kept = run("ladder", "void", "--rules", 1, "--keep", "--ladder", at)

    assert kept.startswith(f"Kept: {OLD} matches of rules 1.\nSeveral versions of the rules count")
    rows = json.loads(run("ladder", "standings", "--json", "--ladder", at))
    assert {row["matches"] for row in rows} == {OLD + 9}


def test_a_tournament_goes_on_by_the_new_rules(site: Path, folder: Path, run: Run) -> None:
    """It says so, all its matches count, and none are dropped, as later rounds follow from them."""
    high_card.install(site, "1")
    (folder / "bots").mkdir()
    bots = [f"bots/b{number}" for number in range(4)]
    for bot in bots:
        run("ladder", "new-bot", bot, "--language", "python", "--plain")
    rules = ("--game", high_card.NAME, "--seats", 2, "--rounds", 2, "--until-round", 1)
    run("ladder", "tournament", "swiss", "cup", *bots, *rules)
    high_card.install(site, "2")

    ran = run("ladder", "run", "--ladder", "cup")

    assert "Still counted: 4 matches of rules 1, as what is played follows from them." in ran
    refused = run("ladder", "void", "--rules", 1, "--ladder", "cup", status=1)
    assert "error: a tournament's matches stay, of whatever rules" in refused
    assert "Several versions of the rules count" in run("ladder", "standings", "--ladder", "cup")
