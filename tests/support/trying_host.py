"""A host for processes that try bots: what these do in their match follows from their files."""

import os
import signal
import threading
from itertools import pairwise
from typing import Any

from ladder.runner.worker import MakePlayer
from referee.hosting.match_runner import MatchSpec
from referee.sandbox.program import Level
from tests.support.fake_host import FakeHost


class TryingHost(FakeHost):
    """Plays as `FakeHost` does, but some wait for each other, wait for ever, or end the process."""

    def play(self, spec: MatchSpec) -> Any:
        """Play; "reads PIPE" and "writes PIPE" meet at a pipe before."""
        (bot, *_) = spec.seats
        assert bot is not None
        said = (bot.directory / "bot.py").read_text().split()
        for does, what in pairwise(said):
            if does in ("reads", "writes"):
                os.close(os.open(what, os.O_RDONLY if does == "reads" else os.O_WRONLY))
        if "hangs" in said:
            threading.Event().wait()
        if "stops" in said:
            os.kill(os.getpid(), signal.SIGSTOP)
        if "dies" in said:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play(spec)


def trying_host_at(_: Level) -> MakePlayer:
    """Return what makes such a host."""
    return TryingHost
