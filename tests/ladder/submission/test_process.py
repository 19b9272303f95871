"""A process that submits bots ends when one takes too much of it."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from ladder.model.errors import BundleError
from ladder.runner.child_process import Parent
from ladder.storage.files import builds
from ladder.storage.files.archive import pack
from ladder.storage.files.folder import Home
from ladder.submission import process, submit
from ladder.submission.process import SubmissionProcess, submit_archive
from referee.hosting.bot_files import Ignored
from tests.support.trying_host import TryingHost, try_bots

PHASES = {
    "unpacking": (process, "unpack_upload"),
    "ignoring": (Ignored, "has"),
    "storing": (submit, "store_bundle"),
    "building": (builds, "make"),
    "validating": (TryingHost, "play"),
}


def hang_in(phase: str, parent: Parent, home: Home) -> None:
    """Validate bots in a process that hangs in a phase, where a second of CPU is the limit."""
    process.CPU_SECONDS = 1
    setattr(*PHASES[phase], hang)
    try_bots(parent, home)


def hang(*_: object, **__: object) -> None:
    """Never return; nothing in Python can interrupt the computation."""
    re.match("(a*)*b", "a" * 60)


@pytest.mark.costly
@pytest.mark.parametrize(
    "phase",
    [
        pytest.param(phase, marks=() if phase == "validating" else pytest.mark.proof)
        for phase in PHASES
    ],
)
def test_what_computes_for_ever_is_stopped(
    home: Home,
    tmp_path: Path,
    make_bot: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    phase: str,
) -> None:
    """In every phase the author is told; another process submits the next bot."""
    monkeypatch.setattr(process, "work", partial(hang_in, phase))
    with (tmp_path / "archive").open("wb") as file:
        pack(make_bot("eve", manifest='build = [["true"]]\n'), file)
    submitting = SubmissionProcess(home, 600.0)

    for folder in ("one", "two"):
        job = partial(submit_archive, archive=tmp_path / "archive", folder=tmp_path / folder)
        with pytest.raises(BundleError, match="took more than 120 s of CPU time; submit fewer"):
            submitting.do(partial(job, author="ann"), lambda _: None)
    submitting.end()
