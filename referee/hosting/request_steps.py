"""When requests leave, so that the moment of an answer tells the next bot little.

A stopped bot reads the clock when it wakes, and so learns how long the others took. If requests
leave only at whole steps since the match's first one, all answers within a step look alike.
"""


class RequestSteps:
    """The moments at which the requests of one match may leave."""

    def __init__(self, step_ms: int) -> None:
        """Let them leave at multiples of this step; 0: at any time."""
        self._step_s = step_ms / 1000
        self._first_s: float | None = None

    def wait_s(self, now_s: float) -> float:
        """Return for how long the next request has to wait; the first one does not."""
        if not self._step_s:
            return 0.0
        if self._first_s is None:
            self._first_s = now_s
        return (self._first_s - now_s) % self._step_s
