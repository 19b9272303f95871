"""An event loop whose clock jumps to its next timer instead of waiting for it."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class _Jumping(selectors.DefaultSelector):
    """Never waits; notes for how long it should have."""

    waited_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready now."""
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("the loop would wait for ever")
        if not ready:
            self.waited_s += max(timeout or 0.0, 0.0)
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop in which an hour passes at once, if nothing else happens."""

    def __init__(self) -> None:
        """Begin at second 0."""
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the seconds that have passed."""
        return self._jumping.waited_s


def run(main: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine in such a loop."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)
