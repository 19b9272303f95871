"""The tests find a place for temporary files on any machine, or say in one line what is missing."""

import os
import tempfile
from types import SimpleNamespace

import pytest

from tests.support import temporary

NOEXEC = 8
ROOMY = SimpleNamespace(f_flag=0, f_bavail=1 << 20, f_frsize=4096)


@pytest.fixture
def disks(monkeypatch: pytest.MonkeyPatch) -> dict[str, SimpleNamespace]:
    """What the system says of folders; those not named have room."""
    known: dict[str, SimpleNamespace] = {}
    monkeypatch.setattr(os, "statvfs", lambda folder: known.get(str(folder), ROOMY), raising=False)
    monkeypatch.setattr(os, "ST_NOEXEC", NOEXEC, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", "/usual")
    for name in ("TMPDIR", "PYTEST_DEBUG_TEMPROOT"):
        monkeypatch.setenv(name, "")
    return known


@pytest.mark.usefixtures("disks")
def test_a_fit_folder_stays() -> None:
    """Nothing is said of it."""
    assert temporary.settle() == ""
    assert tempfile.gettempdir() == "/usual"


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        ({"f_flag": NOEXEC}, "temporary files are in /tmp: /usual lets no program run"),
        ({"f_bavail": 10 << 8}, "temporary files are in /tmp: /usual has 10 of 1024 MiB free"),
    ],
)
def test_another_folder_is_used(
    disks: dict[str, SimpleNamespace], lacking: dict[str, int], told: str
) -> None:
    """By all that the tests start, too, and the run begins with the reason."""
    disks["/usual"] = SimpleNamespace(**{**vars(ROOMY), **lacking})

    assert temporary.settle() == told
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == "/tmp"  # noqa: S108


def test_without_any_the_run_ends(disks: dict[str, SimpleNamespace]) -> None:
    """In one line, with the setting that names another folder."""
    full = SimpleNamespace(f_flag=0, f_bavail=0, f_frsize=4096)
    disks.update(dict.fromkeys(("/usual", *temporary._OTHERS), full))

    with pytest.raises(pytest.exit.Exception, match="/usual has 0 of 1024 MiB free: set TMPDIR"):
        temporary.settle()
