"""The page of one match: its result, and its replay.

It depends on the match alone, and not on the other pages or on when it is made. So it is made once,
and in whatever process has time for it: what it needs can be pickled.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.model.matches import MatchLine
from ladder.server.web.render import render, ways
from ladder.server.web.replay import page as replay_data
from ladder.server.web.replay.packing import pack
from ladder.storage.records import unpack


@dataclass(frozen=True, slots=True)
class Frame:
    """What the pages of one ladder's matches have in common."""

    game: str
    title: str
    """What people call the ladder."""
    seats: int
    prefix: str
    """Of the ladder's pages below the site: "" or ending in a slash."""
    contest: tuple[str, str] | None = None
    """Name and path of the page of what the ladder is played for, if it is."""

    @property
    def places(self) -> Sequence[tuple[str, str]]:
        """Names and paths of the pages that every page leads to."""
        first = [self.contest] if self.contest else []
        return [*first, ("Standings", "index.html"), ("Matches", "rounds/index.html")]


def match_path(line: MatchLine) -> str:
    """Return the path of a match's page below its ladder's prefix."""
    return f"matches/{line.match_id}.html"


def match_page(frame: Frame, line: MatchLine, record: bytes) -> bytes:
    """Return the page of a match that is public, from its record as it is stored.

    Raise `StoreError` or `UsageError` if the record is damaged.
    """
    return _page(frame, line, match_path(line), replay_data(unpack(record)), seat=None)


def seat_page(frame: Frame, slug: str, line: MatchLine, record: bytes, seat: int) -> bytes:
    """Return the page of a match that is not public, with what one seat was told alone."""
    path = f"mine/{slug}/{line.match_id}-{seat}.html"
    return _page(frame, line, path, replay_data(unpack(record), seat), seat)


def _page(frame: Frame, line: MatchLine, path: str, data: bytes, seat: int | None) -> bytes:
    """Return a page with a replay."""
    public = seat is None
    return render(
        "match.html",
        ladder=frame,
        line=line,
        here=path,
        seat=seat,
        places=frame.places,
        packed=pack(data, frame.game),
        **ways(f"{frame.prefix}{path}" if public else path, frame.prefix),
    )
