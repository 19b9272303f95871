"""How long a process of the server rests before it is started again."""

FIRST_PAUSE_S = 1.0
"""The pause before the first restart; it doubles each time."""
LONGEST_PAUSE_S = 300.0
LONG_LIFE_S = 60.0
"""A process that ran this long counts as a successful start."""


class Pauses:
    """The pauses between the runs of one process."""

    def __init__(self) -> None:
        """Begin with the first one."""
        self._next = FIRST_PAUSE_S

    def after(self, lived_s: float) -> float:
        """Return the pause after a run of this many seconds."""
        if lived_s >= LONG_LIFE_S:
            self._next = FIRST_PAUSE_S
        pause, self._next = self._next, min(2 * self._next, LONGEST_PAUSE_S)
        return pause
