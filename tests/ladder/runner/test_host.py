"""What makes the hosts of workers."""

import tempfile
from pathlib import Path

import pytest

from ladder.model.errors import LadderError
from ladder.runner.host import host_at
from referee.sandbox.program import Level


def test_a_host_without_a_folder_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that finds the disk full says so, as it does of its own folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))

    with pytest.raises(LadderError, match=r"gone.*: No such file or directory"):
        host_at(Level.TRUSTED)
