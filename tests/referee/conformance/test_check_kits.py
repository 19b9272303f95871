"""The kits in every language pass `referee check`, where their tools are installed."""

import shutil
from pathlib import Path

import pytest

from ladder.cli.doctor import NEEDED
from ladder.submission.starter_kits import VENDOR_SCRIPT, vendor
from referee.conformance.check.report import StepStatus
from referee.conformance.check.run import check
from referee.core.clock import ClockConfig
from referee.hosting.manifest import load_manifest
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level
from tests.support.lacking import skip

SAMPLES = Path(__file__).resolve().parents[3] / "sample_bots"
KITS = sorted(path.parent.name for path in SAMPLES.glob("*/bot.toml"))


def test_there_is_a_kit_in_every_language() -> None:
    """Beside the one in Python."""
    assert KITS == ["cpp", "go", "java", "rust", "shell", "typescript"]


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.parametrize("kit", sorted(KITS, key="shell".__ne__))  # a sample is of the first
def test_a_kit_passes(
    kit: str, tmp_path: Path, patient: ClockConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A newly built kit plays both games at every table, and keeps every rule."""
    monkeypatch.setenv("CXXFLAGS", "-O0")  # optimised, C++ takes twice as long to build
    folder = tmp_path / kit
    shutil.copytree(
        SAMPLES / kit, folder, ignore=shutil.ignore_patterns("build", "target", "node_modules")
    )
    manifest = load_manifest(folder)
    programs = {step[0] for step in (*manifest.build, manifest.command)}
    missing = [name for name in programs if "/" not in name and shutil.which(name) is None]
    if missing:
        remedies = dict.fromkeys(tool.remedy for tool in NEEDED[kit])
        skip(f"the kit for {kit} needs {', '.join(missing)}", "; ".join(remedies))

    if (folder / VENDOR_SCRIPT).exists():
        assert vendor(folder) == ""

    results = check(
        manifest,
        manifest.games,
        open_sandbox(Level.TRUSTED),
        on_result=lambda _: None,
        clock=patient,
    )
    told = [f"{one.title}: {one.violation} {one.printed}" for one in results if one.violation]

    assert told == []
    assert {one.verdict for one in results} <= {StepStatus.PASSED, StepStatus.SKIPPED}
