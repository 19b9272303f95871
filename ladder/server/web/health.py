"""The health check, for load balancers, service managers and people.

`GET /health` answers with 200, or 503 if something is wrong, and a JSON object. It is public, so it
shows what is wrong but not why; the log has the reason.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ladder.model.errors import LadderError
from ladder.server.public.follower import Following
from ladder.server.web.headers import HEADERS
from ladder.storage.ladder import Ladder
from ladder.storage.tables.settings import read

if TYPE_CHECKING:
    from ladder.server.player_process import Condition, PlayerProcesses
    from ladder.server.tables.supervisor import TableProcess


class Health:
    """The health of the served ladders."""

    def __init__(self, ladders: Sequence[Following]) -> None:
        """Check these ladders; set `player_processes` and `tables` if they are kept, too."""
        self._ladders = ladders
        self.player_processes: PlayerProcesses | None = None
        """The processes that play; None without --play."""
        self.tables: TableProcess | None = None
        """The process of the tables; None without --tables."""

    def is_playing(self, following: Following) -> bool | None:
        """Return whether the process that plays a ladder is working; None without --play."""
        player = self._player(following)
        return None if player is None else player == "playing"

    def _player(self, following: Following) -> "Condition | None":
        if self.player_processes is None:
            return None
        return self.player_processes.condition(following.source.ladder.home)

    def report(self) -> dict[str, Any]:
        """Return the answer of /health; reads each database."""
        each = [self._of(following) for following in self._ladders]
        good = all(one["database"] == "ok" and one["playing"] is not False for one in each)
        status = "ok" if good else "failing"
        return {"status": status, "ladders": each, "tables": self._of_tables()}

    def _of_tables(self) -> dict[str, Any] | None:
        kept = self.tables
        if kept is None:
            return None
        return {"ready": kept.is_ready, "open": kept.open_tables, "most": kept.most}

    def _of(self, following: Following) -> dict[str, Any]:
        newest = following.newest
        return {
            "title": newest.title,
            "game": newest.game,
            "seats": newest.seats,
            "database": "ok" if can_be_read(following.source.ladder) else "cannot be read",
            "playing": self.is_playing(following),
            "player": self._player(following),
        }

    def route(self) -> Route:
        """Return the route of /health."""

        async def answer(_: Request) -> Response:
            report = await asyncio.to_thread(self.report)
            status = 200 if report["status"] == "ok" else 503
            return JSONResponse(report, status, {**HEADERS, "Cache-Control": "no-store"})

        return Route("/health", answer)


def can_be_read(ladder: Ladder) -> bool:
    """Return whether a ladder's database exists and can be read."""
    try:
        if not ladder.home.holds_ladder:
            return False
        with ladder.database.read() as tx:
            read(tx)
    except (LadderError, OSError):
        return False
    return True
