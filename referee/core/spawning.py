"""The context of multiprocessing in which Courtyard starts all its child processes."""

from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess

from referee.core.current_folder import reachable
from referee.core.safe_path import guarding


class SafeProcess(SpawnProcess):
    """A child process that imports nothing from the current folder, and need not have one."""

    def start(self) -> None:
        """Start it."""
        with guarding(), reachable():
            super().start()


class _Spawning(SpawnContext):
    """Starts each child as a new Python."""

    Process = SafeProcess


def spawning() -> SpawnContext:
    """Return the context; start multiprocessing's own process now, and as safely."""
    with guarding():
        resource_tracker.ensure_running()
    return _Spawning()
