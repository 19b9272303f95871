"""An author asks for matches by a form, and shares their results by a link."""

import http.client
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import spars
from tests.ladder.server.api.matches import finish_spar, planned_block, some_record
from tests.ladder.server.web.conftest import PHONE
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.api_server import serving

SEATS = 3
HEADERS = {
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow",
}


@dataclass(frozen=True)
class Place:
    """A served ladder with bots of ann, bob and eve."""

    ladder: Ladder
    address: str
    tokens: Mapping[str, str]

    def ask(
        self, who: str, path: str, form: Any = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """Request a page as an author, or as a stranger, or send a form."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if who:
            sent["Cookie"] = f"courtyard={self.tokens[who]}"
        body = None if form is None else urlencode(form, doseq=True)
        with closing(http.client.HTTPConnection(self.address, timeout=60)) as wire:
            wire.request("GET" if form is None else "POST", path, body, sent)
            answer = wire.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()

    def planned(self) -> list[str]:
        """Return the matches of spars that are to be played, in order."""
        with self.ladder.database.read() as tx:
            return [match.match_id for match in spars.open_matches(tx)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Serve it."""
    home = planned_block(tmp_path / "club", "courtisans", SEATS, ("ann", "bob", "eve"))
    with Ladder.open(home) as ladder:
        known = {name: tokens.create(ladder, name) for name in ("ann", "bob", "eve")}
        with serving([ladder]) as address:
            yield Place(ladder, address, known)


def asked(place: Place, **more: Any) -> str:
    """Let ann ask for three matches against bob and eve; return the page of her spar."""
    form = {"bot": "ann", "opponent": ["bob", "eve"], "matches": "3", **more}
    status, headers, body = place.ask("ann", "/me/spars/", form)
    assert status == 303, body
    return headers["location"]


def shared(place: Place, path: str) -> str:
    """Let ann share her spar; return the path of the link."""
    assert place.ask("ann", f"{path}change", {"shared": "on"})[0] == 303
    found = re.search(r"spars/[0-9a-f]{32}/", place.ask("ann", path)[2])
    assert found
    return f"/{found[0]}"


def test_a_form_asks_and_a_page_shows_how_it_goes(place: Place) -> None:
    """No script is needed to ask, to read the results, a log and a replay, or to withdraw."""
    path = asked(place)
    ids = place.planned()
    finish_spar(place.ladder, ids[0], some_record("courtisans", SEATS))
    page = place.ask("ann", path)[2]
    log = place.ask("ann", f"{path}matches/{ids[0]}/")[2]
    replay = place.ask("ann", f"{path}matches/{ids[0]}/replay.html")
    place.ask("ann", f"{path}change", {"withdrawn": "yes"})

    assert "95 % interval" in page
    assert "2 still to be played" in page
    assert "seat 0" in log
    assert (replay[0], replay[1]["cache-control"]) == (200, "private, no-store")
    assert place.planned() == []
    assert "Spar 1" in place.ask("ann", "/me/spars/")[2]


def test_only_its_author_sees_a_spar(place: Place) -> None:
    """The opponents' authors, who guess its addresses, get nothing, and change nothing."""
    path = asked(place)
    ids = place.planned()
    finish_spar(place.ladder, ids[0], some_record("courtisans", SEATS))
    for who in ("bob", ""):
        for each in (path, f"{path}matches/{ids[0]}/", f"{path}matches/{ids[0]}/replay.html"):
            status, _, body = place.ask(who, each)
            assert (status, ids[0][:8] in body) == (404 if who else 200, False)
        place.ask(who, f"{path}change", {"shared": "on", "withdrawn": "yes"})

    assert "Spar 1" not in place.ask("bob", "/me/spars/")[2]
    assert ids[0][:8] not in place.ask("bob", "/me/bots/bob/")[2]
    assert place.planned() == ids[1:]
    assert place.ask("", "/spars/None/")[0] == 404


def test_a_link_shows_the_results_alone(place: Place) -> None:
    """Its holder sees the table, no match; it is kept by no cache and listed nowhere."""
    path = asked(place)
    ids = place.planned()
    finish_spar(place.ladder, ids[0], some_record("courtisans", SEATS))
    link = shared(place, path)
    assert shared(place, path) == link
    status, headers, body = place.ask("", link)

    assert (status, HEADERS.items() <= headers.items()) == (200, True)
    assert "Head to head" in body
    assert not any(each[:8] in body for each in (*ids, "/me/spars"))
    place.ask("ann", f"{path}change", {"shared": "off"})
    ended = place.ask("", link)
    assert (ended[0], HEADERS.items() <= ended[1].items()) == (404, True)
    assert shared(place, path) != link


@pytest.mark.parametrize("token", ["0" * 32, "x", "1", "%00", "a" * 5000, "..%2f..", "'--"])
def test_a_guessed_link_shows_nothing(place: Place, token: str) -> None:
    """It is as missing as any other page."""
    shared(place, asked(place))

    assert place.ask("", f"/spars/{token}/")[0] in (404, 414)


def test_another_site_can_ask_for_nothing(place: Place) -> None:
    """Forms that another site sends with the author's cookie are refused."""
    form = {"bot": "ann", "opponent": "bob", "matches": "3"}
    for headers in ({"Sec_Fetch_Site": "cross-site"}, {"Origin": "http://evil"}):
        status, _, body = place.ask("ann", "/me/spars/", form, **headers)
        assert (status, "FOREIGN_SITE" in body) == (403, True)

    assert place.planned() == []


@pytest.mark.parametrize(
    ("form", "told", "status"),
    [
        ({"matches": "101"}, "100 more of today", 429),
        ({"matches": "many"}, "Matches:", 400),
        ({"opponent": []}, "at least one opponent", 409),
        ({"opponent": ["nobody"]}, "no bot &#39;nobody&#39;", 404),
        ({"bot": "bob", "opponent": ["ann"]}, "another author", 403),
    ],
)
def test_a_form_that_cannot_be_followed(
    place: Place, form: dict[str, Any], told: str, status: int
) -> None:
    """Its author reads why, and nothing is asked for."""
    given = {"bot": "ann", "opponent": ["bob"], "matches": "3", **form}
    found, headers, body = place.ask("ann", "/me/spars/", given)

    assert (found, told in body) == (status, True), body
    assert ("retry-after" in headers) == (status == 429)
    assert place.planned() == []


def test_an_author_closes_a_bot_by_a_form(place: Place) -> None:
    """Others no longer find it among the opponents."""
    assert 'value="bob"' in place.ask("ann", "/me/spars/")[2]
    assert place.ask("bob", "/me/bots/bob/change", {"sparring": "off"})[0] == 303
    assert 'value="bob"' not in place.ask("ann", "/me/spars/")[2]
    assert "Let others spar" in place.ask("bob", "/me/bots/bob/")[2]


def test_a_phone_without_scripts_asks_by_keyboard(place: Place, browser: Browser) -> None:
    """From the form to the shared results, with no mouse and no script, and no defect."""
    context = browser.new_context(
        viewport={"width": PHONE.width, "height": PHONE.height}, java_script_enabled=False
    )
    with closing(context):
        page = context.new_page()
        page.goto(f"http://{place.address}/me/")
        page.get_by_label("Your token").fill(place.tokens["ann"])
        page.get_by_label("Your token").press("Enter")
        page.get_by_role("link", name="spars").press("Enter")
        keep_picture(page, "me-spars-phone")
        page.get_by_label("bob").press("Space")
        page.get_by_label("Matches", exact=True).fill("4")
        page.get_by_label("Matches", exact=True).press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Spar 1: ann")
        page.get_by_role("button", name="Make a link").press("Enter")
        keep_picture(page, "me-spar-phone")
        page.locator("a.link").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("ann in unrated matches")
        keep_picture(page, "spar-phone")
    assert len(place.planned()) == 4


def test_the_pages_have_no_defects(place: Place, phone: Any) -> None:
    """Neither is wider than a phone, nor does axe find anything."""
    link = shared(place, path := asked(place))
    finish_spar(place.ladder, place.planned()[0], some_record("courtisans", SEATS))
    shown = phone.open(f"http://{place.address}/me/")
    shown.get_by_label("Your token").fill(place.tokens["ann"])
    shown.get_by_label("Your token").press("Enter")
    expect(shown.get_by_role("heading", level=1)).to_have_text("Your bots")
    for each in ("/me/spars/", path, link):
        assert amiss(phone.open(f"http://{place.address}{each}")) == []
    assert phone.complaints == []
