"""A process that validates bots without starting them: their files say what they do in a match."""

import os
import signal
import threading
from itertools import pairwise
from typing import Any
from unittest.mock import patch

from ladder.runner.child_process import Parent
from ladder.storage.files.folder import Home
from ladder.submission import submit
from ladder.submission.process import work
from referee.hosting.match_runner import MatchSpec
from tests.support.fake_host import FakeHost


class TryingHost(FakeHost):
    """Plays like `FakeHost`, but some bots wait for others, for ever, or end the process.

    "reads PIPE" and "writes PIPE" meet at a pipe before their first match.
    """

    def play(self, spec: MatchSpec) -> Any:
        """Play as the bot's file says."""
        (bot, *_) = spec.seats
        assert bot is not None
        said = (bot.directory / "bot.py").read_text().split()
        for does, what in pairwise(said):
            if does in ("reads", "writes") and not spec.goes_on:
                os.close(os.open(what, os.O_RDONLY if does == "reads" else os.O_WRONLY))
        if "hangs" in said:
            threading.Event().wait()
        if "stops" in said and not self.played:
            os.kill(os.getpid(), signal.SIGSTOP)
        if "dies" in said:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play(spec)


def try_bots(parent: Parent, home: Home) -> None:
    """Do what the real process does, with such a host."""
    with patch.object(submit, "host_at", lambda _: TryingHost()):
        work(parent, home)
