"""The sample bots in Python pass every step of `referee check`, on every carrier."""

from dataclasses import replace
from pathlib import Path

import pytest

from referee.conformance.check.report import StepStatus
from referee.conformance.check.run import check
from referee.core.clock import ClockConfig
from referee.hosting.manifest import load_manifest
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from referee.transports import TRANSPORTS

SAMPLES = Path(__file__).resolve().parents[3] / "sample_bots" / "python"
NAMES = sorted(path.parent.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*/bot.toml"))
SOME = [("courtisans/random", "grpc")]
OTHERS = [
    (name, carrier) for name in NAMES for carrier in TRANSPORTS if (name, carrier) not in SOME
]


def not_passed(name: str, carrier: str, clock: ClockConfig) -> list[str]:
    """Return the steps that a bot did not pass, except skipped ones."""
    manifest = replace(load_manifest(SAMPLES / name), transport=carrier)
    sandbox = open_sandbox(Level.TRUSTED)
    results = check(manifest, manifest.games, sandbox, on_result=lambda _: None, clock=clock)
    passed = {StepStatus.PASSED, StepStatus.SKIPPED}
    return [f"{one.title}: {one.violation}" for one in results if one.verdict not in passed]


@pytest.mark.costly
@pytest.mark.parametrize(("name", "carrier"), SOME)
def test_a_sample_bot_passes(name: str, carrier: str, patient: ClockConfig) -> None:
    """No step fails or advises."""
    assert not_passed(name, carrier, patient) == []


@pytest.mark.proof
@pytest.mark.parametrize(("name", "carrier"), OTHERS)
def test_every_sample_bot_passes_on_every_carrier(
    name: str, carrier: str, patient: ClockConfig
) -> None:
    """Every strategy passes, whatever carries it."""
    assert not_passed(name, carrier, patient) == []
