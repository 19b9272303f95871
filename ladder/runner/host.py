"""What plays the ladder's matches: the referee's host, at the ladder's level of containment."""

from functools import partial

from ladder.runner.worker import MakePlayer
from referee.hosting.host import Host
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

WARM_BOTS = 16
"""How many idle bots a host keeps running."""


def host_at(level: Level) -> MakePlayer:
    """Return what makes a host whose bots are contained so; it can be sent to a worker."""
    return partial(_make_host, level)


def _make_host(level: Level) -> Host:
    return Host(sandbox=open_sandbox(level), warm_bots=WARM_BOTS)
