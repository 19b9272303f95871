"""Every page of a site in a browser, on three screens and in both themes."""

import http.client
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page

from ladder.model.members import Member
from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.results.class_results import ClassResults, MemberResult
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.server.public.reader import PublicReader
from ladder.server.web import class_pages
from ladder.storage import tokens
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import spars
from ladder.storage.tables.bot_results import Opponent
from ladder.submission import process
from tests.ladder.server.api.matches import (
    BLOCK,
    finish,
    finish_spar,
    planned_block,
    some_record,
)
from tests.ladder.server.web.conftest import Reader, Screen, Windows
from tests.ladder.server.web.conftest import fill as fill_ladder
from tests.ladder.server.web.filled_tournament import fill as fill_tournament
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.ladder.server.web.test_browser import is_there
from tests.ladder.server.web.test_duel_page import fill as fill_duel
from tests.support.api_server import serving
from tests.support.trying_host import try_bots
from tests.support.waiting import until

SIZES = ((1366, 768), (1920, 1080), (390, 844))
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SEATS = 3
CUPS = {
    "robin": (TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 9))), 2, 4, 1),
    "swiss": (TournamentPlan(Kind.SWISS, tuple(range(1, 12))), 2, 2, 3),
    "knockout": (TournamentPlan(Kind.KNOCKOUT, tuple(range(1, 13)), sudden_death=0), 2, 3, 1),
    "gauntlet": (TournamentPlan(Kind.GAUNTLET, tuple(range(1, 11))), 4, 1, 2),
}
"""A plan, a table's seats, whole played rounds, and matches of the next."""
PUBLIC = {
    "ladders": "",
    "few bots": "courtisans-4/",
    "many bots": "courtisans-5/",
    "bots that are found": "courtisans-5/?find=ar",
    "ladder of miracles": "miracles-3/",
    "rules": "courtisans-5/rules.html",
    "rules of miracles": "miracles-3/rules.html",
    "bot": "courtisans-5/bots/{bot}.html",
    "rounds": "courtisans-5/rounds/",
    "sheet": "courtisans-5/rounds/1.html",
    "search": "courtisans-5/rounds/find.html",
    "matches that are found": "courtisans-5/rounds/find.html?bot={bot}",
    "nothing is found": "courtisans-5/rounds/find.html?bot=nobody",
    "replay": "courtisans-5/matches/{match}.html",
    "replay of miracles": "miracles-3/matches/{other}.html",
    "report": "courtisans-5/report.html",
    "tournaments": "courtisans-4/tournaments/",
    "round robin": "courtisans-4/tournaments/robin/tournament.html",
    "swiss": "courtisans-4/tournaments/swiss/tournament.html",
    "pairings": "courtisans-4/tournaments/swiss/pairings.html",
    "knockout": "courtisans-4/tournaments/knockout/tournament.html",
    "gauntlet": "courtisans-4/tournaments/gauntlet/tournament.html",
    "projector": "courtisans-4/tournaments/swiss/screen.html",
    "bracket on a projector": "courtisans-4/tournaments/knockout/screen.html",
    "duel": "courtisans-2-duel/duel.html",
    "missing": "courtisans-5/bots/nobody.html",
    "signed out": "me/",
}
PRIVATE = {
    "me": "me/",
    "my bot": "me/bots/ann/",
    "my version": "me/bots/ann/versions/1/",
    "my match": "me/bots/ann/matches/{match}/",
    "my replay": "me/replays/{match}-0.html",
    "pasting": "me/paste",
    "submission": "me/submissions/{sha256}/",
    "spars": "me/spars/",
    "spar": "me/spars/1/",
    "match of a spar": "me/spars/1/matches/{spar}/",
    "replay of a spar": "me/spars/1/matches/{spar}/replay.html",
    "shared spar": "{shared}",
    "refusal": "me/bots/nobody/",
}
REPLAYS = {"replay", "replay of miracles", "my replay", "replay of a spar"}
"""The pages that need scripts."""
CLASS = {"results of a class": "results.html", "invitations": "invitations.html"}
ANSWER_404 = {"missing", "refusal"}


@dataclass(frozen=True)
class Served:
    """Where the pages of a kind are, and what is filled into their paths."""

    address: str
    names: dict[str, str]
    token: str = ""

    def open(self, page: Page, path: str) -> None:
        """Open a page, signed in if there is a token, and wait until it is drawn."""
        if self.token:
            cookie = {"name": "courtyard", "value": self.token, "url": self.address}
            page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(self.address + path.format(**self.names), wait_until="load")


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory, miracles: Path) -> Iterator[Served]:
    """Serve ladders with few and many bots, of both games, tournaments and a duel."""
    root = tmp_path_factory.mktemp("site")
    few = fill_ladder(root / "few", "courtisans", 4, 8, 8)
    many = fill_ladder(root / "many", "courtisans", 5, 40, 150)
    for name, moment in CUPS.items():
        fill_tournament(few / name, *moment)
    folders = (few, many, miracles, fill_duel(root / "duel", 5))
    with ExitStack() as stack:
        ladders = [stack.enter_context(Ladder.open(Home(folder))) for folder in folders]
        one, other = (PublicReader(ladder).snapshot() for ladder in ladders[1:3])
        line = next(iter(one.finished))
        names = {
            "bot": next(seat.version.bot for seat in line.seats if seat.version),
            "match": line.match_id,
            "other": next(iter(other.finished)).match_id,
        }
        address = f"http://{stack.enter_context(serving(ladders))}/"
        until(lambda: is_there(f"{address}{PUBLIC['report']}"))
        yield Served(address, names)


def _cookie(token: str) -> dict[str, str]:
    return {"Cookie": f"courtyard={token}"}


def _sent(address: str, token: str, path: str, **form: str) -> str:
    """Send an author's form, and return where it leads."""
    with closing(http.client.HTTPConnection(address, timeout=60)) as wire:
        wire.request("POST", path, urlencode(form), _cookie(token))
        return wire.getresponse().headers["location"]


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve a ladder where ann has bots, a match, a submission and a spar."""
    home = planned_block(
        tmp_path_factory.mktemp("club"), "courtisans", SEATS, ("ann", "bob", "eve")
    )
    with Ladder.open(home) as ladder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "work", try_bots)
        token = tokens.create(ladder, "ann")
        finish(ladder, BLOCK[0], some_record("courtisans", SEATS))
        with serving([ladder]) as address:
            kit = {"name": "ann-2", "kit": "python-plain", "code": "# Plays.\n"}
            sent = _sent(address, token, "/me/paste", **kit)
            _sent(address, token, "/me/spars/", bot="ann", opponent="bob", matches="3")
            with ladder.database.read() as tx:
                spar = spars.open_matches(tx)[0].match_id
            finish_spar(ladder, spar, some_record("courtisans", SEATS))
            _sent(address, token, "/me/spars/1/change", shared="on")
            with urlopen(Request(f"http://{address}/me/spars/1/", headers=_cookie(token))) as page:
                link = re.search(r"spars/[0-9a-f]{32}/", page.read().decode())
            names = {"match": BLOCK[0], "spar": spar, "sha256": sent.split("/")[-2]}
            assert link
            names["shared"] = link[0]
            yield Served(f"http://{address}/", names, token)


@pytest.fixture(scope="module")
def of_a_class(tmp_path_factory: pytest.TempPathFactory) -> Served:
    """Write the pages of a class: its invitations and its results."""
    root = tmp_path_factory.mktemp("class")
    with Ladder.open(Home(fill_ladder(root / "7b", "courtisans", 4, 12, 40))) as ladder:
        rows = queries.standings(ladder)
    pupils = [Member(f"Zo\u00eb M\u00fcller {i}", f"zoe-{i}") for i in range(8)]
    house = [row.bot for row in rows[8:]]
    met = {bot: Opponent(bot, 12, 5 + i, 1) for i, bot in enumerate(house)}
    members = [
        MemberResult(i, pupil.name, pupil.author, row, met)
        for i, (pupil, row) in enumerate(zip(pupils, rows, strict=False), start=1)
    ]
    late = MemberResult(None, "Nora Berg", "nora", None, {})
    shown = ClassResults("7b \u00b7 Courtisans", house, [*members, late])
    (root / "results.html").write_bytes(class_pages.results(shown))
    invited = [(pupil, f"http://192.168.1.20:8000/me/#{'a' * 43}") for pupil in pupils]
    sheets = class_pages.invitations("7b", invited, "2027-01-15T18:00:00Z")
    (root / "invitations.html").write_bytes(sheets)
    return Served(f"{root.as_uri()}/", {})


MOVING = """() => [...document.querySelectorAll("*")].filter((each) => {
    const style = getComputedStyle(each);
    const long = (times) => times.split(",").some((time) => parseFloat(time) > 0.01);
    return long(style.transitionDuration) || long(style.animationDuration)
        || style.scrollBehavior === "smooth";
}).map((each) => each.outerHTML.slice(0, 80))"""
"""What moves where its reader prefers no motion."""


@pytest.mark.parametrize("name", [*PUBLIC, *PRIVATE, *CLASS])
def test_every_page(name: str, windows: Windows, request: pytest.FixtureRequest) -> None:
    """Each fits each screen in both themes, axe finds nothing, targets are large, none complain."""
    fixture = "public" if name in PUBLIC else "private" if name in PRIVATE else "of_a_class"
    served: Served = request.getfixturevalue(fixture)
    path = {**PUBLIC, **PRIVATE, **CLASS}[name]
    found: list[Any] = []
    for width, height in SIZES:
        for theme in THEMES:
            reader = Reader(windows, Screen(width, height, theme, "reduce"))
            served.open(reader.page, path)
            if name in REPLAYS:
                reader.page.wait_for_selector("#replay button:visible")
            screen = f"{width}x{height} {theme}"
            defects = [*amiss(reader.page), *reader.page.evaluate(MOVING), *reader.foreign()]
            if name not in ANSWER_404:  # the browser itself complains of that answer
                defects += reader.complaints
            found += [(screen, defect) for defect in defects]
            keep_picture(reader.page, f"{name.replace(' ', '-')}/{width}-{theme}")
            reader.close()
    assert found == []
