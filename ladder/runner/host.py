"""Makes the hosts that play matches, at the ladder's level of containment."""

from ladder.model.errors import LadderError
from ladder.runner.warm_bots import MORE_WARM_BOTS, WARM_BOTS
from referee.hosting.host import Host
from referee.sandbox.levels import proven_sandbox
from referee.sandbox.program import Level


def host_at(level: Level) -> Host:
    """Make a host; raise `LadderError` where its folder cannot be made, as on a full disk.

    The run has opened a sandbox of this level, so that not every worker has to try it.
    """
    sandbox = proven_sandbox(level)
    try:
        return Host(sandbox=sandbox, warm_bots=WARM_BOTS, more_warm_bots=MORE_WARM_BOTS)
    except OSError as error:
        raise LadderError(f"{error.filename}: {error.strerror}") from error
