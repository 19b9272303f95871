"""Play one match at a time, with an event loop of its own."""

import asyncio
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from courtyard.v1 import record_pb2

from referee.core.errors import UsageError
from referee.core.scratch import short_folder
from referee.hosting.match_runner import NO_ONE, MatchRunner, MatchSpec, OnDecision
from referee.sandbox.levels import Sandbox, open_sandbox
from referee.sandbox.program import Level

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any, TypeVar

    _T = TypeVar("_T")

    from referee.games.base import Seat
    from referee.hosting.person import Person
import compileall
import functools
import importlib.util

ONLY_FOR_BOTS = ("courtyard_kit",)
"""Packages that the referee does not import itself."""


class Host:
    """Plays one match at a time. A context manager: leaving it stops every bot."""

    def __init__(
        self,
        *,
        sandbox: Sandbox | None = None,
        warm_bots: int = 16,
        more_warm_bots: int = 0,
        tcp: bool = False,
    ) -> None:
        """Run bots in this sandbox, by default the strongest; keep at most `warm_bots` idle.

        `more_warm_bots` may stay as well while half of the machine's memory is available.
        With `tcp`, gRPC listens on loopback TCP, which only trusted bots can reach.
        """
        sandbox = sandbox or open_sandbox(Level.TRUSTED if tcp else None)
        if tcp and sandbox.level is not Level.TRUSTED:
            raise UsageError(
                f"bots at level {sandbox.level} cannot reach TCP: use Unix sockets or level trusted"
            )
        compile_for_bots()
        self.printed: Mapping[int, str] = {}
        """The end of each bot's output in the last match, by seat."""
        self._runner = asyncio.Runner()  # each match begins it anew: uvloop takes thrice as long
        self._kept = ExitStack()
        self._folder = self._kept.enter_context(short_folder())
        self._match_runner = MatchRunner(
            sandbox,
            self._folder,
            warm_bots=warm_bots,
            more_warm_bots=more_warm_bots,
            tcp=tcp,
            alone=True,
        )

    def __enter__(self) -> Self:
        """Return the host itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every bot."""
        self.close()

    def close(self) -> None:
        """Stop every bot and remove every folder."""
        try:
            self._runner.run(self._match_runner.close())
        finally:
            self._runner.close()
            self._kept.close()

    @property
    def on_decision(self) -> OnDecision | None:
        """Called after each decision with the time it took."""
        return self._match_runner.on_decision

    @on_decision.setter
    def on_decision(self, callback: OnDecision | None) -> None:
        self._match_runner.on_decision = callback

    def play(self, spec: MatchSpec, people: "Mapping[Seat, Person]" = NO_ONE) -> record_pb2.Record:
        """Play a match to its end and return its record; raise `RefereeError` if it is void.

        `people` sit where no bot does. Raise `ConfigError` if the game rejects the configuration
        or number of seats.
        """
        ended = self.run(lambda runner: runner.play(spec, people))
        self.printed = ended.printed
        return ended.record

    def run(self, play: "Callable[[MatchRunner], Coroutine[Any, Any, _T]]") -> "_T":
        """Run a coroutine that plays with the match runner; return its result."""
        return self._runner.run(play(self._match_runner))


@functools.cache
def compile_for_bots() -> None:
    """Write the missing bytecode of these packages, where this user may write it.

    A bot sees its packages read-only, so it would compile them again at each of its starts.
    """
    for name in ONLY_FOR_BOTS:
        found = importlib.util.find_spec(name)
        for folder in (found and found.submodule_search_locations) or ():
            compileall.compile_dir(folder, quiet=2)
