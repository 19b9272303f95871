"""Visitors play with bots on the pages of a served ladder, by forms alone."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from http import HTTPStatus
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from ladder.results import queries
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from referee.core.clock import ClockConfig
from referee.match.record import record_from_json
from referee.match.verify import verify
from tests.ladder.server.web.conftest import COMMAND, Reader, serving
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.games import GAMES
from tests.support.new_ladder import new_ladder
from tests.support.processes import children, is_python_child
from tests.support.visitors import Visitor
from tests.support.waiting import until

SEATS = 3
TABLES = 2
PATIENT = ClockConfig(startup_ms=300_000, decision_limit_ms=300_000, bank_ms=300_000)
"""Tables stand back, so on a busy machine their bots are late."""


@dataclass(frozen=True)
class Place:
    """A server with a ladder of each game, and tables."""

    host: str
    homes: dict[str, Home]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Serve a ladder of each game, with tables."""
    folder = tmp_path_factory.mktemp("tables")
    homes = {
        game: new_ladder(folder / game, game, game=game, seats=SEATS, clock=PATIENT)
        for game in GAMES
    }
    paths = [home.path for home in homes.values()]
    with serving(*paths, options=("--tables", str(TABLES))) as address:
        yield Place(urlsplit(address).netloc, homes)


@pytest.fixture
def visitor(place: Place) -> Visitor:
    """A visitor without cookies."""
    return Visitor(place.host)


@contextmanager
def seated(visitor: Visitor, *seats: str, game: str = GAMES[0], **fields: str) -> Iterator[str]:
    """Sit at a table within the block, and leave it."""
    table = visitor.open(game, *seats, **fields)
    try:
        yield table
    finally:
        visitor.ask(f"{table}leave", {})


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_by_forms_alone(place: Place, visitor: Visitor, game: str) -> None:
    """With a bot, to the end; its record verifies, and the ladder has no match of it."""
    table = visitor.open(game, "sample random", "me", "stand-in")
    version = -1
    while 'href="replay.html"' not in (page := visitor.ask(table)[2]):
        assert ">Leave the table<" in page
        options = re.findall(r'name="option" value="(\d+)"', page)
        if not options:
            version = visitor.state(table, version)["version"]
            continue
        (question,) = re.findall(r'name="question" value="(\d+)"', page)
        answer = {"question": question, "option": options[-1]}
        status, headers, _ = visitor.ask(f"{table}answer", answer)
        assert (status, headers["location"]) == (HTTPStatus.SEE_OTHER, "./")

    assert "The game is over: " in page
    record = record_from_json(Visitor(place.host).ask(f"{table}record.json")[2])
    assert [seat.name for seat in record.seats] == ["random", "Ada", "stand-in"]
    assert not any(outcome.forfeit for outcome in record.outcomes)
    assert verify(record) == []
    for file in ("replay.html", "replay-file.html"):
        assert 'id="replay-packed"' in visitor.ask(f"{table}{file}")[2]
    compare_decisions(visitor, table, page)
    with Ladder.open(place.homes[game]) as ladder:
        assert queries.latest(ladder, 9) == []


def compare_decisions(visitor: Visitor, table: str, page: str) -> None:
    """Ask a sample bot for one's decisions by a link of the page, which strangers cannot use."""
    assert 'href="compare?bot=greedy"' in page
    address = f"{table}compare?bot=greedy"
    status, _, compared = visitor.ask(address)
    assert status == HTTPStatus.OK, compared
    ((same, all_),) = re.findall(r"greedy would have decided (\d+) of (\d+)", compared)
    agrees, decisions = int(same), int(all_)
    assert decisions > 0
    assert compared.count("<td>the same</td>") == agrees
    assert compared.count('<td class="n">') == decisions
    assert 'role="status"' not in compared
    assert visitor.ask(address)[2] == compared
    assert Visitor(visitor.host).ask(address)[0] == HTTPStatus.FORBIDDEN
    assert visitor.ask(f"{table}compare?bot=nobody")[0] == HTTPStatus.NOT_FOUND


@pytest.mark.sweep
@pytest.mark.parametrize("game", GAMES)
def test_a_bot_says_what_it_would_do(visitor: Visitor, game: str) -> None:
    """By a form alone; the option is marked, and all who join are told that they may ask."""
    with seated(visitor, "me", "stand-in", "stand-in", game=game, hints="greedy") as table:
        visitor.question(table)
        page = visitor.ask(table)[2]
        assert "hints by greedy" in page
        assert ">What would greedy do?</button>" in page
        hint = visitor.hint(table)
        page = unescape(visitor.ask(table)[2])
        assert f"greedy would choose: {hint['steps'][0]}" in page
        assert page.count("<small>(hint)</small>") == 1
        assert "What would" not in page
        for other in (Visitor(visitor.host), Visitor(visitor.host, {table: "courtyard-seat=x"})):
            assert "hints by greedy" in other.ask(table)[2]
            assert other.ask(f"{table}hint", {})[0] == HTTPStatus.FORBIDDEN
    with seated(visitor, "me", "person", "stand-in", game=game, hints="random") as table:
        assert "may ask what random would do" in visitor.ask(f"{table}join")[2]
        assert visitor.ask(f"{table}hint", {})[0] == HTTPStatus.CONFLICT
    with seated(visitor, "me", "stand-in", "stand-in", game=game) as table:
        visitor.question(table)
        page = visitor.ask(table)[2]
        assert "hints by" not in page
        assert "What would" not in page
        foreign = {"Sec_Fetch_Site": "cross-site"}
        assert visitor.ask(f"{table}hint", {}, **foreign)[0] == HTTPStatus.FORBIDDEN
        status, _, page = visitor.ask(f"{table}hint", {})
        assert (status, "This table has no hints." in page) == (HTTPStatus.CONFLICT, True)


def test_wrong_answers_are_refused_and_asked_again(visitor: Visitor) -> None:
    """Forged, late, doubled, foreign, large and senseless ones; the question stays."""
    with seated(visitor, "me", "stand-in", "stand-in") as table:
        asked = visitor.question(table)
        right = {"question": asked["question"], "option": 0}
        forger = Visitor(visitor.host, {table: "courtyard-seat=x"})
        for stranger in (Visitor(visitor.host), forger):
            assert stranger.answer(table, right) == HTTPStatus.FORBIDDEN
            assert stranger.ask(f"{table}leave", {})[0] == HTTPStatus.FORBIDDEN
        foreign = {"Sec_Fetch_Site": "cross-site"}
        assert visitor.answer(table, right, **foreign) == HTTPStatus.FORBIDDEN
        for late in ({"question": 0, "option": 0}, {"question": 99, "option": 0}):
            assert visitor.answer(table, late) == HTTPStatus.CONFLICT
        for option in (-1, len(asked["options"]), "back"):
            assert visitor.answer(table, {**right, "option": option}) == HTTPStatus.CONFLICT
        for rubbish in (*("", "[]", "{}", "null", "[1]", '"x"', " " * 1025), *senseless(asked)):
            assert visitor.answer(table, rubbish) == HTTPStatus.BAD_REQUEST
        assert visitor.ask(f"{table}state?after=x")[0] == HTTPStatus.BAD_REQUEST
        assert visitor.question(table) == asked

        assert visitor.answer(table, right) == HTTPStatus.NO_CONTENT
        assert visitor.answer(table, right) == HTTPStatus.CONFLICT
        assert visitor.ask(f"{table}answer", right)[0] == HTTPStatus.SEE_OTHER  # a form, too
        assert visitor.question(table)["question"] == asked["question"] + 1


def senseless(asked: Any) -> Iterator[str]:
    """Answers in the right form, with something else than numbers."""
    whats: tuple[Any, ...] = (None, True, 0.5, "x", [], {}, "\0")
    for what in whats:
        yield json.dumps({"question": asked["question"], "option": what})
        yield json.dumps({"question": what, "option": 0})


def test_a_spectator_sees_what_is_public(visitor: Visitor) -> None:
    """No question, no position, no seat; nothing is kept by caches or found by robots."""
    with seated(visitor, "me", "stand-in", "stand-in") as table:
        visitor.question(table)
        other = Visitor(visitor.host)
        seen, own = other.state(table), visitor.state(table)
        assert (seen["asked"], seen["text"], seen["film"]["own"]) == (None, [], {})
        assert own["text"]
        assert [seat["you"] for seat in own["seats"]] == [True, False, False]
        status, headers, page = other.ask(table)
        assert status == HTTPStatus.OK
        assert 'action="answer"' not in page
        assert 'action="leave"' not in page
        assert headers["cache-control"] == "private, no-store"
        assert headers["x-robots-tag"] == "noindex, nofollow"
        assert other.ask(f"{table}record.json")[0] == HTTPStatus.CONFLICT
        assert visitor.ask(f"{table}compare?bot=greedy")[0] == HTTPStatus.CONFLICT


def test_an_invited_person_takes_a_seat(visitor: Visitor) -> None:
    """By a link whose secret the server does not see as an address; the match then begins."""
    with seated(visitor, "me", "person", "stand-in") as table:
        status, headers, page = visitor.ask(table)
        assert "Waiting for 1 more person." in page
        (link,) = re.findall(r"Seat 1: <span class=\"link\"><code>(\S+)</code>", page)
        guest = Visitor(visitor.host)
        assert guest.ask(urlsplit(link).path)[0] == HTTPStatus.OK
        wrong = guest.ask(f"{table}join", {"invitation": "x"})
        assert wrong[0] == HTTPStatus.FORBIDDEN
        status, headers, _ = guest.ask(f"{table}join", {"invitation": link})
        assert (status, headers["location"]) == (HTTPStatus.SEE_OTHER, table)
        assert re.search(r"; HttpOnly; Path=/play/\S+/; SameSite=strict", headers["set-cookie"])
        assert [seat["you"] for seat in guest.state(table)["seats"]] == [False, True, False]
        assert guest.state(table)["state"] == "playing"
        assert "Invitations" not in visitor.ask(table)[2]
        guest.ask(f"{table}leave", {})


def test_a_visitor_has_few_tables(visitor: Visitor) -> None:
    """Another one is refused in a sentence, until one of them ends; so is the next of anyone."""
    table = ("me", "stand-in", "stand-in")
    form = {f"seat{seat}": who for seat, who in enumerate(table)}
    with seated(visitor, *table), seated(visitor, *table):
        for address, words in (
            ("127.0.0.1", "You already have 2 open tables"),
            ("192.0.2.7", f"All {TABLES} tables are taken"),
        ):
            status, _, page = visitor.ask("/play/", form, X_Forwarded_For=address)
            assert status == HTTPStatus.TOO_MANY_REQUESTS
            assert words in page
    with seated(visitor, *table):
        pass


def test_a_network_of_ipv6_is_one_visitor(visitor: Visitor) -> None:
    """Its owner has 2 ** 64 addresses."""
    form = {"seat0": "me", "seat1": "stand-in", "seat2": "stand-in"}
    tables = []
    for address in ("2001:db8::1", "2001:db8::2:2"):
        _, headers, _ = visitor.ask("/play/", form, X_Forwarded_For=address)
        tables.append(headers["location"])
    status, _, page = visitor.ask("/play/", form, X_Forwarded_For="2001:db8::3")
    for table in tables:
        visitor.ask(f"{table}leave", {})
    assert status == HTTPStatus.TOO_MANY_REQUESTS
    assert "You already have 2 open tables" in page


@pytest.mark.parametrize(
    "seats",
    [
        {},
        {"seat0": "me"},
        {"seat0": "stand-in", "seat1": "stand-in", "seat2": "stand-in"},
        {"seat0": "me", "seat1": "me", "seat2": "stand-in"},
        {"seat0": "me", "seat1": "sample ../../x", "seat2": "stand-in"},
        {"seat0": "me", "seat1": "bot nobody", "seat2": "stand-in"},
        {"seat0": "me", "seat1": "stand-in", "seat2": "stand-in", "hints": "../../x"},
        {f"seat{seat}": "me" if not seat else "stand-in" for seat in range(30)},
    ],
)
def test_a_table_that_cannot_be_is_refused(visitor: Visitor, seats: dict[str, str]) -> None:
    """In a sentence."""
    status, _, page = visitor.ask("/play/", seats)
    assert status == HTTPStatus.BAD_REQUEST
    assert 'role="alert"' in page


@pytest.mark.costly
def test_the_pages_of_a_ladder_lead_to_its_tables(place: Place, visitor: Visitor) -> None:
    """The form has the sample bots and the ladder's number of seats."""
    for game in GAMES:
        here = f"/{game}-{SEATS}/index.html"
        (link,) = re.findall(r'href="(\S+)">Play<', visitor.ask(here)[2])
        form = visitor.ask(urljoin(here, unescape(link)))[2]
        assert f'name="ladder" value="{game}-{SEATS}"' in form
        assert '<option value="sample greedy"' in form
        assert f'name="seat{SEATS - 1}"' in form


def test_the_pages_of_tables_are_accessible_on_a_phone(visitor: Visitor, phone: Reader) -> None:
    """And fit the screen: before, at, and after a match."""
    host = f"http://{visitor.host}"
    with seated(visitor, "me", "person", "stand-in") as table:
        for path in ("/play/", table, f"{table}join", f"{table}replay.html", "/play/x/"):
            assert amiss(phone.open(f"{host}{path}")) == []
        page = phone.open(f"{host}/play/")
        keep_picture(page, "play-phone")
    page.get_by_role("button", name="Open the table").click()
    page.locator(".theatre").wait_for()  # until all are there, the page may load itself anew
    assert amiss(page) == []
    keep_picture(page, "table-phone")
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("button", name="Leave the table").wait_for(state="detached")
    assert amiss(page) == []


@pytest.mark.costly
def test_a_killed_process_ends_its_tables_in_a_sentence(place: Place) -> None:
    """Then new ones can be opened; the log says what has happened."""
    home = place.homes[GAMES[0]].path
    command = [str(COMMAND), "serve", "--tables", "1", "--port", "0", "--ladder", str(home)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        visitor = Visitor(urlsplit(server.stdout.readline().split()[1]).netloc)
        table = visitor.open(GAMES[0], "me", "stand-in", "stand-in")
        (process,) = filter(is_python_child, children(server.pid))
        os.kill(process, signal.SIGKILL)
        assert "was ended by SIGKILL, and all tables with it" in server.stderr.readline()
        until(lambda: visitor.ask(table)[0] == HTTPStatus.NOT_FOUND)
        assert "a table ends when the server is restarted" in visitor.ask(table)[2]
        with seated(visitor, "me", "stand-in", "stand-in"):
            pass
        server.terminate()
        assert server.wait() == 0
