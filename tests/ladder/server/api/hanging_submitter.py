"""A submission worker that hangs in one phase: it waits, or computes for ever.

hanging_submitter.py PHASE HOW LADDER ARCHIVE FOLDER AUTHOR SCRATCH
"""

import re
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[4]))

from ladder.server.api import submission_worker
from ladder.storage.files import builds
from ladder.submission import submit
from ladder.submission.limits import begin_cpu_time
from referee.hosting.ignored import Ignored
from tests.support.fake_host import FakeHost

PHASES = {
    "unpacking": (submission_worker, "unpack"),
    "ignoring": (Ignored, "has"),
    "storing": (submit, "store_bundle"),
    "building": (builds, "make"),
    "validating": (FakeHost, "play"),
}


def hang(how: str, *_: Any, **__: Any) -> None:
    """Say so, and never return; nothing in Python can interrupt the computation."""
    submission_worker._tell({"say": "hangs"})
    if how == "waits":
        threading.Event().wait()
    re.match("(a*)*b", "a" * 60)


if __name__ == "__main__":
    phase, how, home, *paths, author, scratch = sys.argv[1:]
    if how == "computes":
        setattr(submission_worker, "begin_cpu_time", partial(begin_cpu_time, 1))  # noqa: B010 - for mypy
    setattr(*PHASES[phase], partial(hang, how))
    archive, folder = map(Path, paths)
    submission_worker.main(Path(home), archive, folder, author, Path(scratch), lambda _: FakeHost)
