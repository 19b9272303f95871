"""A process that submits one bot for the author API.

    python -m ladder.server.api.submission_worker LADDER ARCHIVE FOLDER AUTHOR SCRATCH

It writes one JSON object per line to stdout: {"say": TEXT} for progress, then either
{"refused": REASON, "message": TEXT} or the result. It runs apart from the server, whose process
runs gRPC and plays no matches, so that a failing build or match cannot disturb the server. When
its stdin ends, because the server ended or closed it, the process ends at once.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from ladder.model.bots import Submission
from ladder.model.errors import BundleError
from ladder.runner.host import host_at
from ladder.runner.log_limit import limit_log
from ladder.runner.worker import MakePlayer
from ladder.server.api.status import reason_of
from ladder.storage.files.archive import unpack
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission.limits import begin_cpu_time, heartbeat_in
from ladder.submission.submit import submit
from referee.core.errors import CourtyardError
from referee.sandbox.program import Level

_LONGEST = 4_000
"""Characters of a text; asyncio reads lines of 64 KiB, and JSON takes 6 to 12 bytes for one."""


def main(
    home: Path,
    archive: Path,
    folder: Path,
    author: str,
    scratch: Path,
    make: Callable[[Level], MakePlayer] = host_at,
) -> None:
    """Unpack an archive to a folder and submit it; `scratch` holds all other temporary files."""
    limit_log()
    begin_cpu_time()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    tempfile.tempdir = str(scratch)
    heartbeat_in(scratch).begin()
    threading.Thread(target=_end_with_the_server, args=(scratch,), daemon=True).start()

    def own_words(text: str) -> str:
        return text.replace(f"{folder}/", "").replace(str(folder), "the archive")

    try:
        _tell({"say": "Unpacking."})
        unpack(archive, folder)
        with Ladder.open(Home(home)) as ladder:
            if ladder.settings.contest is not None:
                raise BundleError(
                    "this ladder plays a tournament or duel, which takes no remote submissions: "
                    "ask its director, who can enter bots late in a Swiss tournament"
                )
            done = submit(
                ladder, folder, lambda text: _tell({"say": own_words(text)}), make, author
            )
    except CourtyardError as error:
        _tell({"refused": reason_of(error), "message": own_words(str(error))})
    else:
        _tell(_told(done))


def _told(done: Submission) -> dict[str, Any]:
    return {
        "bot": done.version.bot,
        "number": done.version.number,
        "outlook": done.outcome,
        "replaced": done.replaced.number if done.replaced else None,
        "was_retired": done.was_retired,
    }


def _tell(line: dict[str, Any]) -> None:
    """Write a line that the server can read: what an author wrote may be of any length."""
    line = {key: v[:_LONGEST] if isinstance(v, str) else v for key, v in line.items()}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _end_with_the_server(scratch: Path) -> NoReturn:
    """End this process, and with it its bots, as soon as stdin ends."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(1)


if __name__ == "__main__":
    home, archive, folder, author, scratch = sys.argv[1:]
    main(Path(home), Path(archive), Path(folder), author, Path(scratch))
