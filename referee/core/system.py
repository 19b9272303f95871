"""The abilities that the operating system gives Courtyard.

Starting, watching and containing bots, and sharing a ladder's folder between processes, need what
Unix systems have. Windows itself runs what authors of remote bots need; the rest runs in WSL 2.
"""

from importlib.util import find_spec

from referee.core.errors import UsageError

IS_UNIX = find_spec("fcntl") is not None
"""Whether this is Linux (WSL 2 included), macOS or another Unix."""


def need_unix(what: str, instead: str = "") -> None:
    """Raise `UsageError` on Windows: what does not run, where it does, and what to do `instead`."""
    if not IS_UNIX:
        raise UsageError(
            f"{what} does not run on Windows itself: use WSL 2 (`wsl --install`), where it runs as "
            f"on Linux{instead}"
        )
