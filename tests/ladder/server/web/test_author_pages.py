"""An author signs in with a token, sees the own bots and seats alone, and submits by browser."""

import http.client
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect

from ladder.model.bots import Entry, ValidationResult
from ladder.model.matches import PlannedMatch
from ladder.server.web.replay import page
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from ladder.submission import class_list
from referee.hosting.match_runner import MatchSpec
from tests.ladder.server.web.conftest import serving
from tests.ladder.server.web.filled_ladder import records_of
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.new_ladder import new_ladder
from tests.support.replay_data import unpacked

SEATS = 3
POSTS = (
    *("/me/in", "/me/out", "/me/submit", "/me/paste", "/me/bots/bot-0/change"),
    *("/me/spars/", "/me/spars/1/change"),
)


@dataclass(frozen=True)
class Place:
    """A ladder with a block of three matches, all but the last played."""

    address: str
    tokens: dict[str, str]
    """By author: ann and bob own a bot each, the ladder's owner the third."""
    ids: tuple[str, ...]
    records: tuple[Any, ...]
    """Of the two finished matches."""


@pytest.fixture(
    scope="module", params=["courtisans", pytest.param("miracles", marks=pytest.mark.proof)]
)
def place(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Place]:
    """Serve such a ladder, where the environment tells uvicorn to believe everybody."""
    game = request.param
    home = new_ladder(tmp_path_factory.mktemp("mine") / game, "mine", game=game, seats=SEATS)
    with Ladder.open(home) as ladder:
        played = list(_play(ladder, game))
        known = {author: tokens.create(ladder, author) for author in ("ann", "bob", "eve")}
        known["lapsed"] = tokens.create(ladder, "ann", timedelta(0))
        known["revoked"] = tokens.create(ladder, "ann")
        tokens.revoke(ladder, 5)
        ((_, known["member"]),) = class_list.invite(ladder, ["Zoë"], None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FORWARDED_ALLOW_IPS", "*")
        patch.setenv("WEB_CONCURRENCY", "many")
        with serving(home.path) as address:
            yield Place(
                address, known, tuple(id_ for id_, _ in played), tuple(r for _, r in played[:2])
            )


def _play(ladder: Ladder, game: str) -> Iterator[tuple[str, Any]]:
    """Store a block with two of three matches over."""
    records = list(records_of(SEATS, game, 3))
    with ladder.database.write() as tx:
        for i, author in enumerate(("ann", "bob", None)):
            entry = Entry(f"bot-{i}", f"{i:064x}", ("./play",), "grpc", (), author=author)
            bots.enter(tx, entry, ValidationResult(rejected=None))
        playing = bots.active(tx)
        for i, record in enumerate(records):
            seats = tuple(playing[i:] + playing[:i])
            planned = PlannedMatch(f"{i + 10:032x}", 1, i, seats, deal="a deal")
            matches.add(tx, [planned])
            if i < 2:
                record.match_id = planned.match_id
                spec = MatchSpec(planned.match_id, game, (None,) * SEATS, "")
                matches.finish(tx, pack(record, {}, spec))
            yield planned.match_id, record


@dataclass(frozen=True)
class Answer:
    """An answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def ask(
    place: Place,
    path: str,
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    sender: str = "127.0.0.1",
) -> Answer:
    """Request a page, or send a form."""
    server = urlsplit(place.address).netloc
    connection = http.client.HTTPConnection(server, timeout=30, source_address=(sender, 0))
    with closing(connection):
        body = None if form is None else urlencode(form)
        connection.request("GET" if form is None else "POST", path, body, {**(headers or {})})
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, answer.read())


def seat_path(place: Place, match: int, seat: int) -> str:
    """The address of a seat's view of a match."""
    return f"/me/replays/{place.ids[match]}-{seat}.html"


def bearer(place: Place, author: str) -> dict[str, str]:
    """The header with a token."""
    return {"Authorization": f"Bearer {place.tokens[author]}"}


def data_of(body: bytes) -> bytes:
    """The replay's data in a page."""
    found = re.search(rb'(\w+)\.js" defer.*id="replay-packed">([^<]*)<', body, re.DOTALL)
    assert found
    return unpacked(found[2], found[1].decode())


def test_an_author_sees_the_own_seat(place: Place) -> None:
    """A token shows each own seat's view, byte for byte, and no more."""
    for match, seat in ((0, 0), (1, 2)):  # seats rotate from match to match
        answer = ask(place, seat_path(place, match, seat), headers=bearer(place, "ann"))
        assert answer.status == 200
        data = data_of(answer.body)
        assert data == page(place.records[match], seat)
        assert json.loads(data)["viewer"] == seat
        assert answer.headers["cache-control"] == "private, no-store"


def test_no_other_author_sees_it(place: Place) -> None:
    """Others get no replay: without a valid token the form, with one the answer of no match."""
    path = seat_path(place, 0, 0)
    wrong = place.tokens["ann"][:-1] + ("A" if place.tokens["ann"][-1] != "A" else "B")
    for headers, status in (
        ({}, 200),
        ({"Authorization": f"Bearer {wrong}"}, 401),
        (bearer(place, "bob"), 404),
        (bearer(place, "eve"), 404),
        ({"Cookie": f"courtyard={place.tokens['bob']}"}, 404),
    ):
        answer = ask(place, path, headers=headers)
        assert (answer.status, b"replay-packed" in answer.body) == (status, False)
    for seat in (1, 2):
        assert ask(place, seat_path(place, 0, seat), headers=bearer(place, "ann")).status == 404


def test_a_match_that_is_still_played_has_no_page(place: Place) -> None:
    """An unfinished match has no page for its authors either."""
    seats = [
        ask(place, seat_path(place, 2, seat), headers=bearer(place, "ann")) for seat in range(SEATS)
    ]
    assert [answer.status for answer in seats] == [404] * SEATS


def test_a_login_leaves_the_token_in_a_strict_cookie_alone(place: Place) -> None:
    """The form sets a cookie closed to scripts and other sites; no page holds the token."""
    token = place.tokens["ann"]
    answer = ask(place, "/me/in", {"token": token})
    assert (answer.status, answer.headers["location"]) == (303, "/me/")
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert "Max-Age" not in cookie
    shown = ask(place, "/me/", headers={"Cookie": cookie.split(";")[0]})
    assert (shown.status, token.encode() in shown.body) == (200, False)
    assert b'href="bots/bot-0/"' in shown.body
    assert b"bot-1" not in shown.body
    assert "deleted" not in ask(place, "/me/out", {}).headers["set-cookie"].lower()
    assert "Max-Age=0" in ask(place, "/me/out", {}).headers["set-cookie"]


def test_over_tls_the_cookie_goes_over_tls_alone(place: Place) -> None:
    """Behind TLS the cookie is Secure and bound to this host; without TLS it opens nothing."""
    tls = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.7"}
    cookie = ask(place, "/me/in", {"token": place.tokens["ann"]}, tls).headers["set-cookie"]
    own, *attributes = cookie.split("; ")
    assert own == f"__Host-courtyard={place.tokens['ann']}"
    assert {"HttpOnly", "SameSite=strict", "Path=/", "Secure"} == set(attributes)
    assert ask(place, seat_path(place, 0, 0), headers={**tls, "Cookie": own}).status == 200
    plain = own.removeprefix("__Host-")
    for other in ({**tls, "Cookie": plain}, {"Cookie": own}):
        assert b"replay-packed" not in ask(place, seat_path(place, 0, 0), headers=other).body
    forgotten = ask(place, "/me/out", {}, tls).headers["set-cookie"]
    assert forgotten.startswith('__Host-courtyard=""; ')
    assert {"Max-Age=0", "Path=/", "Secure"} <= set(forgotten.split("; "))


@pytest.mark.parametrize(
    ("sender", "headers"),
    [
        # From a web server on this machine without TLS, with or without a forwarded address.
        ("127.0.0.1", {"X-Forwarded-Proto": "http", "X-Forwarded-For": "203.0.113.7"}),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.7"}),
        ("127.0.0.1", {"X-Forwarded-Proto": "http"}),
        # From elsewhere: only 127.0.0.1 is local. A stranger's claim of TLS is not believed.
        ("127.0.0.2", {}),
        ("127.0.0.2", {"X-Forwarded-Proto": "https"}),
        ("127.0.0.2", {"X-Forwarded-For": "127.0.0.1"}),
    ],
)
def test_a_token_from_elsewhere_is_not_taken_without_tls(
    place: Place, sender: str, headers: dict[str, str]
) -> None:
    """Form and request both refuse it; the answer says why and sets no cookie."""
    for answer in (
        ask(place, "/me/in", {"token": place.tokens["ann"]}, headers, sender),
        ask(place, "/me/", headers={**headers, **bearer(place, "ann")}, sender=sender),
        ask(place, seat_path(place, 0, 0), None, {**headers, **bearer(place, "ann")}, sender),
    ):
        assert answer.status == 403
        assert b"Send tokens only over TLS" in answer.body
        assert "set-cookie" not in answer.headers
    assert ask(place, "/me/", headers=headers, sender=sender).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "http://evil"},
        {"Origin": "null"},
        {"Origin": "http://[x"},
    ],
)
def test_another_site_can_do_nothing(place: Place, headers: dict[str, str]) -> None:
    """Every form from another site is refused, also with the cookie, and no cookie changes."""
    own = {"Cookie": f"courtyard={place.tokens['ann']}"}
    for path in POSTS:
        answer = ask(place, path, {"token": place.tokens["ann"]}, {**headers, **own})
        assert (answer.status, b"FOREIGN_SITE" in answer.body) == (403, True)
        assert "set-cookie" not in answer.headers


def pages(place: Place) -> list[str]:
    """Every address of an author's page that ann may see."""
    match = place.ids[0]
    bot = "/me/bots/bot-0/"
    return [
        *("/me/", "/me/paste", "/me/paste?bot=bot-0", bot, f"{bot}versions/1/"),
        *(f"{bot}matches/{match}/", seat_path(place, 0, 0)),
    ]


def test_pages_are_private_and_their_authors_alone(place: Place) -> None:
    """To no cache, frame or other author; without a valid token each page is the form."""
    for path in pages(place):
        own = ask(place, path, headers=bearer(place, "ann"))
        assert own.status == 200, path
        assert own.headers["cache-control"] == "private, no-store"
        assert own.headers["vary"].startswith("Authorization, Cookie")
        assert "frame-ancestors 'none'" in own.headers["content-security-policy"]
        assert "form-action 'self'" in own.headers["content-security-policy"]
    nonsense = {"Authorization": "Bearer nonsense"}
    for path in (*pages(place), f"/me/submissions/{'0' * 64}/"):
        for headers in ({}, nonsense, bearer(place, "lapsed"), bearer(place, "revoked")):
            other = ask(place, path, headers=headers)
            assert b'name="token"' in other.body
            assert b"bot-0" not in other.body
            assert "location" not in other.headers
    for path in pages(place)[3:]:
        for author in ("bob", "member"):
            assert ask(place, path, headers=bearer(place, author)).status in (403, 404), path


@pytest.mark.parametrize("who", ["bob", "member", "lapsed", "revoked", None])
def test_no_other_author_changes_a_bot(place: Place, who: str | None) -> None:
    """Another author and a class member are refused; without a valid token comes the form."""
    headers = bearer(place, who) if who else {}
    answer = ask(place, "/me/bots/bot-0/change", {"state": "retired"}, headers)

    assert answer.status == (403 if who in ("bob", "member") else 401 if who else 200)
    assert (b'name="token"' in answer.body) == (answer.status != 403)
    assert b"Retire bot-0" in ask(place, "/me/bots/bot-0/", headers=bearer(place, "ann")).body


def test_a_name_that_leads_elsewhere_gets_nothing(place: Place) -> None:
    """By whatever name the server is reached, no answer repeats it, and no cookie is there."""
    evil = {"Host": "evil.example", "Origin": "http://evil.example"}
    for path in POSTS:
        answer = ask(place, path, {"state": "retired"}, evil)
        assert b"evil.example" not in answer.body
        assert "evil.example" not in str(answer.headers)
    assert b"Retire bot-0" in ask(place, "/me/bots/bot-0/", headers=bearer(place, "ann")).body


@pytest.mark.sweep
@pytest.mark.parametrize("token", ["", "nonsense", "courtyard_1_" + "A" * 43, "x" * 100_000, "\0"])
def test_a_wrong_token_is_told_so(place: Place, token: str) -> None:
    """A wrong token shows the form again, and sets no cookie."""
    answer = ask(place, "/me/in", {"token": token})
    assert answer.status == 401
    assert b"is not valid here" in answer.body
    assert "set-cookie" not in answer.headers


def test_an_author_sees_own_seats_in_a_browser(place: Place, reader: Any) -> None:
    """From the schedule through the form to a match's log and a seat's replay, and out."""
    shown = reader.open(f"{place.address}rounds/")
    shown.get_by_role("link", name="your own seats now").click()
    expect(shown.get_by_label("Your token")).to_be_visible()
    assert amiss(shown) == []
    shown.get_by_label("Your token").fill(place.tokens["ann"])
    shown.get_by_label("Your token").press("Enter")
    expect(shown.get_by_role("heading", level=1)).to_have_text("Your bots")
    shown.get_by_role("link", name="bot-0").click()
    shown.locator(f"tbody a[href*='{place.ids[0]}/']").click()
    expect(shown.get_by_text(f"referee repro {place.ids[0][:12]}.json --seat 0")).to_be_visible()
    assert amiss(shown) == []
    keep_picture(shown, f"me-match-{reader.width}")
    shown.get_by_role("link", name="Replay from seat 0").click()
    shown.wait_for_selector("#replay button:visible")
    assert place.tokens["ann"] not in shown.url + shown.content()
    assert amiss(shown) == []
    shown.get_by_role("link", name="Your bots").first.click()
    shown.get_by_role("button", name="Sign out").click()
    expect(shown.get_by_label("Your token")).to_be_visible()
    assert reader.complaints == []
