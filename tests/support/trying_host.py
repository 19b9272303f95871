"""A host for processes that validate bots, whose files say what they do in a match."""

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


def trying_host_at(_: Level) -> MakePlayer:
    """Return such a host's maker."""
    return TryingHost
