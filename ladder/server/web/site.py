"""The pages of a site, for the server and for exports alike.

A page's path is its address below the site, with "/" as separator. All links are relative, so pages
do not depend on the site's location. A single ladder's pages are at the top; of several ladders,
each has its own folder.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from ladder.model.matches import MatchLine
from ladder.results.cited import written
from ladder.results.report import words
from ladder.scheduling.tournament.summary import TournamentSummary
from ladder.server.public.citing import cited
from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Contest, Duel, Snapshot
from ladder.server.public.tournament_lines import tournament_lines
from ladder.server.web.bot_page import bot_page
from ladder.server.web.duel_page import HEIGHT, WIDTH, duel_page, matches_of_pairs
from ladder.server.web.front_page import FrontPage, front_page, state_of
from ladder.server.web.leaderboard_page import (
    PLOT_HEIGHT,
    PLOT_WIDTH,
    SPARK_HEIGHT,
    SPARK_WIDTH,
    Leaderboard,
    LeaderboardRow,
    leaderboard,
)
from ladder.server.web.match_page import Around, Frame, match_file, match_page, match_path
from ladder.server.web.render import render, ways
from ladder.server.web.report_page import report_page
from ladder.server.web.rules_page import rules_page
from ladder.server.web.schedule_page import FAULTS, Rounds, rounds, search, sheet, sheet_count
from ladder.server.web.tournament_page import matches_of_tables, tournament_page
from ladder.storage.tables.records import unpack
from referee.match.record import record_to_json

Page = Callable[[], bytes]

PAIRINGS = "pairings.html"
"""The printable page of the pairings of a tournament's current or next round."""
LONGEST_SEARCH = 100
"""Characters of a search that are read."""
SEARCH = "rounds/find.html"
"""Matches by bot, opponent and fault; only a server can search."""
SCREEN = "screen.html"
"""A tournament's page for a big screen, which shows one view after the other."""
REPORT = "report.html"
"""The page that explains the standings; it takes seconds to make."""
_TO_TOURNAMENTS = ("Tournaments", "tournaments/index.html")
_TO_LADDER = ("Ladder", "../../index.html")
FILE = "-file.html"
"""The end of the name of a match's page as one file."""
_MATCH = re.compile(rf"matches/([0-9a-f]+)(\.html|{re.escape(FILE)}|\.json)")
_SHEET = re.compile(r"rounds/([1-9][0-9]{0,8})\.html")


@dataclass(frozen=True, slots=True)
class LadderLink:
    """A link to a ladder of the site."""

    slug: str
    title: str
    game_title: str
    seats: int
    bots: int
    matches: int
    href: str
    """The target, relative to the linking page."""
    kind: str
    """The kind of tournament, or that it is a duel; empty for a standing ladder."""
    state: str
    """Its state now, in a few words."""
    is_live: bool
    """Whether it plays now."""
    first: str
    """The leader or the winners, in a few words; empty if unknown."""


class Site:
    """One state of all ladders that are served or exported together."""

    def __init__(
        self,
        ladders: Sequence[tuple[Snapshot, PublicReader]],
        *,
        live: bool,
        tournaments: Sequence[Mapping[str, tuple[Snapshot, PublicReader]]] = (),
        tables: bool = False,
    ) -> None:
        """Build the pages of these ladders, each from a state and its reader.

        `live` pages poll for changes; `tournaments` holds those of each ladder, by their names in
        addresses. With `tables`, people can play.
        """
        self.live = live
        self.tables = tables
        known = {snapshot.ladder_id for snapshot, _ in ladders}
        slugs = _slugs([snapshot for snapshot, _ in ladders])
        self.parts = [
            LadderPages(
                self,
                snapshot,
                source,
                slug,
                prefix="" if len(ladders) == 1 else f"{slug}/",
                tournaments={n: each for n, each in own.items() if each[0].ladder_id not in known},
            )
            for (snapshot, source), slug, own in zip(
                ladders, slugs, tournaments or [{}] * len(ladders), strict=True
            )
        ]
        self.every = [each for part in self.parts for each in (part, *part.tournaments.values())]
        """The pages of the ladders and of their tournaments."""

    def page(self, path: str) -> bytes | None:
        """Return the page at a path; None if there is none."""
        if found := self._pages.get(path):
            return found()
        below = (each for each in self.every if path.startswith(each.prefix))
        in_parts = (each.found(path.removeprefix(each.prefix)) for each in below)
        return next((page for page in in_parts if page is not None), None)

    def answer(self, path: str, asked: Mapping[str, str]) -> bytes | None:
        """Return the page at a path with what a search asks for; None if it has no search."""
        if path not in self._pages:
            return None
        below = (each for each in self.every if path.startswith(each.prefix))
        in_parts = (each.answer(path.removeprefix(each.prefix), asked) for each in below)
        return next((page for page in in_parts if page is not None), None)

    def pages(self) -> Mapping[str, Page]:
        """Return the renderers of all pages except those of matches, by path."""
        sheets = {path: page for part in self.every for path, page in part.sheets()}
        return {**self._pages, **sheets}

    def missing(self, path: str) -> bytes:
        """Return the page for a missing path."""
        return render("missing.html", heading="Page not found", **ways(path, "", live=self.live))

    def waiting(self, path: str) -> bytes:
        """Return the page that stands in for one that is being worked out."""
        return render("waiting.html", **ways(path, "", live=self.live))

    def links(self, path: str) -> list[LadderLink]:
        """Return links from a page to all ladders."""
        top = "../" * path.count("/")
        return [
            LadderLink(
                slug=part.slug,
                title=title,
                game_title=part.snapshot.game_title,
                seats=part.snapshot.seats,
                bots=len(part.board.rows),
                matches=len(part.snapshot.finished),
                href=f"{top}{part.prefix}{part.frame.places[0][1]}",
                kind=part.kind,
                state=part.state,
                is_live=part.is_live,
                first=part.first,
            )
            for part, title in zip(self.parts, self._titles, strict=True)
        ]

    @cached_property
    def _titles(self) -> Sequence[str]:
        """The title of each ladder, made unique among them."""
        titles = [part.snapshot.title for part in self.parts]
        return [
            title if titles.count(title) == 1 else f"{title} {part.snapshot.ladder_id[:8]}"
            for title, part in zip(titles, self.parts, strict=True)
        ]

    @cached_property
    def _pages(self) -> Mapping[str, Page]:
        found = {path: page for part in self.every for path, page in part.pages()}
        if len(self.parts) != 1:
            found["index.html"] = self._index
        return found

    def _index(self) -> bytes:
        found = ways("index.html", "", live=self.live)
        links = sorted(self.links(""), key=lambda link: not link.is_live)
        return render("ladders.html", ladders=links, **found)


class LadderPages:
    """The pages of one ladder."""

    def __init__(
        self,
        site: Site,
        snapshot: Snapshot,
        source: PublicReader,
        slug: str,
        prefix: str,
        tournaments: Mapping[str, tuple[Snapshot, PublicReader]] = MappingProxyType({}),
        way: tuple[str, str] | None = None,
    ) -> None:
        """Build the pages below a prefix, which is "" or ends in a slash."""
        self.snapshot = snapshot
        self.records = source.records
        self._source = source
        self.tournaments = {
            name: LadderPages(
                site, *each, slug=name, prefix=f"{prefix}tournaments/{name}/", way=_TO_LADDER
            )
            for name, each in tournaments.items()
        }
        self.frame = Frame(
            snapshot.game,
            snapshot.title,
            snapshot.seats,
            prefix,
            site.live,
            _place_of(snapshot.contest),
            _TO_TOURNAMENTS if tournaments else way,
            f"{'../' * prefix.count('/')}play/?ladder={slug}"
            if site.tables and way is None
            else "",
        )
        self.slug = slug
        self.prefix = prefix
        self._site = site

    @property
    def kind(self) -> str:
        """The kind of contest, in a word or two; empty for a standing ladder."""
        contest = self.snapshot.contest
        return contest.kind.replace("-", " ").capitalize() if contest else ""

    @property
    def state(self) -> str:
        """The ladder's state now, in a few words."""
        return state_of(self.snapshot, self._rounds)

    @property
    def is_live(self) -> bool:
        """Whether it plays now."""
        return bool(self._rounds.playing)

    @property
    def first(self) -> str:
        """The leader or the winners, in a few words; empty if unknown."""
        contest = self.snapshot.contest
        if isinstance(contest, Contest):
            won = contest.shown.winners()
            return f"won by {' and '.join(won)}" if won else ""
        if contest or not self._front.leader:
            return ""
        leader = self._front.leader
        return f"{leader.standing.bot} leads with {leader.standing.mu:.1f} ±{leader.margin:.1f}"

    @cached_property
    def board(self) -> Leaderboard:
        """The ladder's leaderboard."""
        return leaderboard(self.snapshot)

    def pages(self) -> Iterator[tuple[str, Page]]:
        """Yield paths and renderers of all pages but those of matches and the sheets of matches."""
        yield f"{self.prefix}index.html", self._leaderboard
        if self.frame.contest:
            yield f"{self.prefix}{self.frame.contest[1]}", self._contest
        if isinstance(self.snapshot.contest, Contest):
            yield f"{self.prefix}{PAIRINGS}", partial(self._pairings, self.snapshot.contest.shown)
            yield f"{self.prefix}{SCREEN}", partial(self._screen, self.snapshot.contest)
        if self.tournaments:
            yield f"{self.prefix}{_TO_TOURNAMENTS[1]}", self._tournaments
        yield f"{self.prefix}rounds/index.html", self._schedule
        yield f"{self.prefix}{REPORT}", self._report
        if rules_page(self.snapshot.game):
            yield f"{self.prefix}rules.html", self._rules
        if self._site.live:
            yield f"{self.prefix}{SEARCH}", partial(self._search, {})
        for name in sorted(self._names):
            yield f"{self.prefix}bots/{name}.html", partial(self._bot, name)

    def sheets(self) -> Iterator[tuple[str, Page]]:
        """Yield paths and renderers of the sheets of matches."""
        for number in range(1, sheet_count(len(self.snapshot.finished)) + 1):
            yield f"{self.prefix}rounds/{number}.html", partial(self._sheet, number)

    def found(self, path: str) -> bytes | None:
        """Return a match's page or a sheet by its path below the prefix; None if there is none."""
        if asked := _MATCH.fullmatch(path):
            line = self.snapshot.finished.find(asked[1])
            return None if line is None else self._match(line, asked[2])
        asked = _SHEET.fullmatch(path)
        if asked and int(asked[1]) <= sheet_count(len(self.snapshot.finished)):
            return self._sheet(int(asked[1]))
        return None

    def answer(self, path: str, asked: Mapping[str, str]) -> bytes | None:
        """Return what a search on the page at a path below the prefix asks for."""
        if path == "index.html" and "find" in asked:
            return self._leaderboard(asked["find"][:LONGEST_SEARCH])
        return self._search(asked) if path == SEARCH else None

    @cached_property
    def _front(self) -> FrontPage:
        return front_page(self.snapshot, self.board.rows, self._rounds)

    def around(
        self, line: MatchLine, previous: MatchLine | None, following: MatchLine | None
    ) -> Around:
        """Return the pages around a match's page, from the matches before and after it."""
        before, after = (match_path(each) if each else "" for each in (previous, following))
        return Around(before, after, self._groups.get(line.match_id))

    def _match(self, line: MatchLine, kind: str) -> bytes | None:
        """Return a match's page or, of a served site, its file or record."""
        (record,) = self.records([line])
        if kind == ".html":
            around = self.around(line, *self.snapshot.finished.beside(line))
            return match_page(self.frame, line, record, around)
        if not self.frame.live:
            return None
        if kind == ".json":
            return record_to_json(unpack(record)).encode()
        return match_file(self.frame, line, record)

    def cited(self, digests: Mapping[str, str]) -> bytes:
        """Return the content of `ladder.json`, given the SHA-256 of each match's record."""
        return written(cited(self.snapshot, self._source, digests))

    @cached_property
    def _groups(self) -> Mapping[str, tuple[str, str]]:
        """Name and path of the tournament's table or the duel's pair of each match, by its id."""
        contest = self.snapshot.contest
        if isinstance(contest, Contest):
            return matches_of_tables(tournament_page(self.snapshot, contest))
        return matches_of_pairs(contest) if contest else {}

    @cached_property
    def _rounds(self) -> Rounds:
        return rounds(self.snapshot)

    @cached_property
    def _names(self) -> set[str]:
        return {tally.version.bot for tally in self.snapshot.tallies}

    @cached_property
    def _rows(self) -> Mapping[str, LeaderboardRow]:
        return {row.standing.bot: row for row in self.board.rows}

    def _leaderboard(self, find: str = "") -> bytes:
        front, wanted = self._front, find.strip().lower()
        return self._render(
            "leaderboard.html",
            "index.html",
            board=self.board,
            front=front,
            find=find,
            shown=[row for row in self.board.rows if row.has(wanted)],
            has_rules=bool(rules_page(self.snapshot.game)),
            watch=match_path(front.latest) if front.latest else "rounds/index.html",
            retired=sorted(self._names - self._rows.keys()),
            plot_width=PLOT_WIDTH,
            plot_height=PLOT_HEIGHT,
            spark_width=SPARK_WIDTH,
            spark_height=SPARK_HEIGHT,
        )

    def _contest(self) -> bytes:
        contest = self.snapshot.contest
        if isinstance(contest, Duel):
            duel = duel_page(contest)
            size = {"width": WIDTH, "height": HEIGHT}
            return self._render("duel.html", "duel.html", page=duel, **size)
        if contest is None:
            raise RuntimeError("a standing ladder has no contest page")
        page = tournament_page(self.snapshot, contest)
        return self._render("tournament.html", "tournament.html", page=page)

    def _pairings(self, shown: TournamentSummary) -> bytes:
        title = shown.title(self.snapshot.game_title).partition(":")[0]
        return self._render(
            "pairings.html",
            PAIRINGS,
            title=title,
            shown=shown,
            pairings=shown.pairings(),
        )

    def _screen(self, contest: Contest) -> bytes:
        page = tournament_page(self.snapshot, contest)
        return self._render("screen.html", SCREEN, page=page)

    def _tournaments(self) -> bytes:
        lines = tournament_lines({name: each.snapshot for name, each in self.tournaments.items()})
        return self._render("tournaments.html", _TO_TOURNAMENTS[1], tournaments=lines)

    def _schedule(self) -> bytes:
        return self._render("rounds.html", "rounds/index.html", rounds=self._rounds)

    def _report(self) -> bytes:
        page = report_page(self._source.report.facts())
        return self._render("report.html", REPORT, page=page, words=words)

    def _sheet(self, number: int) -> bytes:
        shown = sheet(self.snapshot.finished, number)
        return self._render("sheet.html", f"rounds/{shown.link.name}", sheet=shown)

    def _search(self, asked: Mapping[str, str]) -> bytes:
        found = search(self.snapshot, asked)
        return self._render("find.html", SEARCH, found=found, faults=FAULTS)

    def _rules(self) -> bytes:
        return self._render("rules.html", "rules.html", rules=rules_page(self.snapshot.game))

    def _bot(self, name: str) -> bytes:
        bot = bot_page(self.snapshot, name, self._rows, self.records, self._rounds)
        return self._render("bot.html", f"bots/{name}.html", bot=bot)

    def _render(self, template: str, path: str, **context: Any) -> bytes:
        """Render a page at a path below this ladder's prefix."""
        return render(
            template,
            ladder=self.snapshot,
            slug=self.slug,
            ladders=self._site.links(f"{self.prefix}{path}"),
            here=path,
            places=self.frame.places,
            live=self._site.live,
            **ways(f"{self.prefix}{path}", self.prefix, live=self._site.live),
            **context,
        )


def _place_of(contest: Contest | Duel | None) -> tuple[str, str] | None:
    """Return the name and the path of the page of a contest."""
    if contest is None:
        return None
    is_duel = isinstance(contest, Duel)
    return ("Duel", "duel.html") if is_duel else ("Tournament", "tournament.html")


def _slugs(snapshots: Sequence[Snapshot]) -> list[str]:
    """Return a unique name for each ladder: game and seats, and the id if needed."""
    named = [snapshot.slug for snapshot in snapshots]
    return [
        slug if named.count(slug) == 1 else f"{slug}-{snapshot.ladder_id[:8]}"
        for slug, snapshot in zip(named, snapshots, strict=True)
    ]
