"""The plain bots: each fits on a page, and keeps every rule in every game.

The bot in Python is tried with the quick tests too.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.submission.starter_kits import KITS, VENDOR_SCRIPT, kit_folder, new_bot, vendor
from referee.conformance.check.report import StepStatus
from referee.conformance.check.run import check
from referee.core.clock import ClockConfig
from referee.hosting.manifest import Manifest
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.support.games import GAMES
from tests.support.lacking import skip

PATIENT = ClockConfig(startup_ms=120_000, decision_limit_ms=60_000, bank_ms=600_000)
"""A busy machine is no fault of a bot."""
SAMPLES = Path(__file__).parents[3] / "sample_bots" / "plain"
PROGRAM = {
    "python": "bot.py",
    "go": "bot.go",
    "rust": "src/main.rs",
    "cpp": "bot.cpp",
    "java": "src/main/java/bot/Bot.java",
    "typescript": "src/bot.ts",
    "shell": "bot.sh",
}


@pytest.mark.parametrize("language", KITS)
def test_a_plain_bot_is_one_short_program(language: str) -> None:
    """At most 40 lines, which the page of the plain bots links to."""
    program = SAMPLES / language / PROGRAM[language]

    assert len(program.read_text().splitlines()) <= 40
    assert f"({language}/{PROGRAM[language]})" in (SAMPLES / "README.md").read_text()


@pytest.fixture(
    params=[
        name if name == "python" else pytest.param(name, marks=pytest.mark.proof) for name in KITS
    ]
)
def plain(
    request: pytest.FixtureRequest, tmp_path: Path, lacking: Callable[[str], str]
) -> Manifest:
    """A new plain bot in a language whose toolchain is here."""
    if remedy := lacking(request.param):
        skip(f"the toolchain of the kit for {request.param} is not complete", remedy)
    made = new_bot(tmp_path / "my-bot", kit_folder(request.param, None, plain=True), None)
    if (made.directory / VENDOR_SCRIPT).exists():
        assert vendor(made.directory) == ""
    return made


@pytest.mark.costly
def test_a_plain_bot_keeps_every_rule_in_every_game(plain: Manifest) -> None:
    """It builds, and passes each step of `referee check` at every table."""
    sandbox = open_sandbox(Level.TRUSTED)
    told = check(plain, plain.installed_games(), sandbox, on_result=lambda _: None, clock=PATIENT)

    assert plain.installed_games() == GAMES
    assert [f"{one.title}: {one.violation} {one.printed}" for one in told if one.violation] == []
    assert {one.verdict for one in told} <= {StepStatus.PASSED, StepStatus.SKIPPED}


def test_what_a_build_leaves_is_no_part_of_a_new_bot(tmp_path: Path) -> None:
    """A sample may be built in place."""
    made = new_bot(tmp_path / "mine", kit_folder("typescript", None, plain=True), None)

    assert made.games == ("*",)
    assert sorted(path.name for path in made.directory.iterdir() if path.is_dir()) == [
        "reference",
        "src",
    ]
