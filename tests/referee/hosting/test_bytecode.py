"""No bot compiles the kit at its start."""

import importlib
import sys
from pathlib import Path

import pytest

from referee.hosting import host


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a package that only bots import."""
    folder = tmp_path / "kit_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "module.py").write_text("CONSTANT = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(host, "ONLY_FOR_BOTS", (folder.name, "no_such_package"))
    importlib.invalidate_caches()
    host.compile_for_bots.cache_clear()
    return folder


def test_what_only_bots_import_is_compiled(kit: Path) -> None:
    """The interpreter finds the bytecode of every module, which a bot could not write."""
    host.compile_for_bots()

    tag = sys.implementation.cache_tag
    compiled = {path.name for path in (kit / "__pycache__").iterdir()}
    assert compiled == {f"__init__.{tag}.pyc", f"module.{tag}.pyc"}


def test_a_package_that_cannot_be_compiled_stops_no_bot(
    kit: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where bytecode cannot be written, bots start as before, and nothing is printed."""
    (kit / "__pycache__").write_text("in the way")
    (kit / "module.py").write_text("no Python")

    host.compile_for_bots()

    assert capfd.readouterr() == ("", "")
