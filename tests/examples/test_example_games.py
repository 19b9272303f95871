"""The example games are packages of their own, and play like any other game."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from referee.conformance.testing import random_record
from referee.games import game_named
from referee.match.verify import verify
from referee.view.game_statistics import play_some
from referee.view.show import survey_lines
from tests.support.installed import EXAMPLES, with_site

NAMES = sorted(project.name for project in EXAMPLES.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_an_example_imports_the_public_contract_alone(name: str) -> None:
    """Beside the standard library, it needs `referee.games.plain` and nothing else."""
    (module,) = (file for file in (EXAMPLES / name).glob("*.py") if not file.match("test_*"))
    imported = {
        node.module or ""
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.ImportFrom)
    }

    assert {one for one in imported if one.partition(".")[0] not in sys.stdlib_module_names} == {
        "referee.games.plain"
    }


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_an_examples_own_tests_pass(name: str, examples: Path) -> None:
    """They run against the installed package."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", EXAMPLES / name],
        capture_output=True,
        text=True,
        check=False,
        env=with_site(examples),
    )

    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("examples")
def test_a_survey_tells_no_rounds_of_a_game_without_them() -> None:
    """A plain game counts none."""
    first, *_ = survey_lines("leduc", play_some("leduc", 2, "s", {}, range(2)), standard=True)

    assert re.search(r"2 random games, \d+\.\d decisions each", first)


@pytest.mark.sweep
@pytest.mark.parametrize("name", NAMES)
def test_matches_of_examples_are_true_in_every_field(name: str, examples: Path) -> None:
    """With every number of seats."""
    for seats in game_named(name).seats:
        record = random_record(name, seats, "example")
        assert verify(record) == []
        assert {outcome.rank for outcome in record.outcomes} <= set(range(1, seats + 1))
