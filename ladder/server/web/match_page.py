"""The page of one match, with its result and its replay.

The page depends on the match alone, so it is rendered once, in any process: its arguments can be
pickled.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from ladder.model.matches import MatchLine
from ladder.results.headline import headline
from ladder.results.luck import luck_of
from ladder.server.web.render import render, ways
from ladder.server.web.replay import AUDIENCE, pack
from ladder.server.web.replay import page as replay_data
from ladder.server.web.replay.bundle import drawing_of
from ladder.server.web.rules_page import rules_page
from ladder.storage.tables.records import unpack
from referee.core.errors import UsageError
from referee.match.luck import MatchLuck
from referee.match.record import Record


@dataclass(frozen=True, slots=True)
class Around:
    """The pages around a match's page, by their paths below the ladder's."""

    previous: str = ""
    """That of the match scheduled before; empty if there is none."""
    next: str = ""
    of: tuple[str, str] | None = None
    """Name and path of what the match belongs to: a tournament's table, or a duel's pair."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The values that all match pages of a ladder share."""

    game: str
    title: str
    """The ladder's title."""
    seats: int
    prefix: str
    """The path of the ladder's pages below the site: "" or ending in a slash."""
    live: bool
    """Whether the site is served, not exported."""
    contest: tuple[str, str] | None = None
    """Name and path of the page of the ladder's tournament or duel, if any."""
    way: tuple[str, str] | None = None
    """Name and path of the list of its tournaments, or of the ladder whose tournament it is."""
    play: str = ""
    """The path of the page at which people open tables; empty without tables."""

    @property
    def places(self) -> Sequence[tuple[str, str]]:
        """Names and paths of the pages in the navigation."""
        first = [self.contest] if self.contest else []
        rules = [("Rules", "rules.html")] if rules_page(self.game) else []
        last = [("Matches", "rounds/index.html"), ("Report", "report.html"), *rules]
        last += [self.way] if self.way else []
        last += [("Play", self.play)] if self.play else []
        return [*first, ("Standings", "index.html"), *last]


def match_path(line: MatchLine) -> str:
    """Return the path of a match's page below its ladder's prefix."""
    return f"matches/{line.match_id}.html"


def match_page(frame: Frame, line: MatchLine, record: bytes, around: Around = Around()) -> bytes:
    """Render the page of a public match from its stored record.

    Raise `StoreError` or `UsageError` if the record is damaged.
    """
    path, luck = match_path(line), shown_luck(record)
    return _page("match.html", frame, line, path, unpack(record), luck=luck, around=around)


def match_file(frame: Frame, line: MatchLine, record: bytes) -> bytes:
    """Render the page of a public match as one file that needs no other; raise the same."""
    path, luck = match_path(line), shown_luck(record)
    return _page("match_file.html", frame, line, path, unpack(record), luck=luck)


def shown_luck(record: bytes) -> MatchLuck | None:
    """Return the effect of chance in a match as its page shows it; None if unknown."""
    with suppress(UsageError):  # played by other rules, or damaged, which its replay shows
        return luck_of(record)
    return None


def seat_path(match_id: str, seat: int) -> str:
    """Return the path of a seat's view of a match below the site, for the seat's author."""
    return f"me/replays/{match_id}-{seat}.html"


def seat_page(frame: Frame, line: MatchLine, record: Record, seat: int, path: str) -> bytes:
    """Render the page of a match as one seat saw it, with that seat's result alone.

    `path` is the page's own, below the site.
    """
    return _page("match.html", frame, line, path, record, seat)


def _page(
    template: str,
    frame: Frame,
    line: MatchLine,
    path: str,
    record: Record,
    seat: int | None = None,
    luck: MatchLuck | None = None,
    around: Around = Around(),
) -> bytes:
    """Render a page with a replay."""
    public = seat is None
    data = replay_data(record, AUDIENCE if seat is None else seat, luck)
    drawing = drawing_of(record)
    return render(
        template,
        ladder=frame,
        line=line,
        here=path,
        title=headline(line.seats) if public else "",
        seat=seat,
        around=around,
        pauses=[pause / 1e6 for pause in record.pauses_us] if public else [],
        places=frame.places,
        packed=pack(data, drawing),
        drawing=drawing,
        **ways(f"{frame.prefix}{path}" if public else path, frame.prefix, live=frame.live),
    )
