"""Submits as `ladder.server.api.submission_worker` does, with validation matches that need no bots.

A bot with the words "wait for the server" in its program waits until the server ends it.
"""

import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[4]))

from ladder.server.api.submission_worker import main
from referee.hosting.match_runner import MatchSpec
from tests.support.fake_host import FakeHost


class Waiting(FakeHost):
    """A bot with these words waits in its match."""

    def play(self, spec: MatchSpec) -> Any:
        """Play, or wait for ever."""
        (bot, *_) = spec.seats
        if bot is not None and "wait for the server" in (bot.directory / "bot.py").read_text():
            threading.Event().wait()
        return super().play(spec)


home, archive, folder, author, scratch = sys.argv[1:]
main(Path(home), Path(archive), Path(folder), author, Path(scratch), lambda _: Waiting)
