"""Makes the hosts that play matches, at the ladder's level of containment."""

from functools import partial

from ladder.runner.worker import MakePlayer
from referee.hosting.host import Host
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

WARM_BOTS = 16
"""The number of idle bots that a host keeps running."""


def host_at(level: Level) -> MakePlayer:
    """Return a picklable factory of hosts with this level of containment."""
    return partial(_make_host, level)


def _make_host(level: Level) -> Host:
    return Host(sandbox=open_sandbox(level), warm_bots=WARM_BOTS)
