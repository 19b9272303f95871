"""A person plays in a browser: by buttons, pieces and keys, against a table without a server."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Error, Locator, Page, Route, expect

import ladder.server.web
from ladder.server.web.headers import HEADERS
from ladder.server.web.replay.bundle import table_bundles
from ladder.server.web.replay.columns import by_columns
from referee.core.clock import NOT_MEASURED
from referee.match.match import Match, MatchSetup
from referee.view.frames import film, view
from tests.ladder.server.web.conftest import PHONE, Screen, Windows
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.games import GAMES

if TYPE_CHECKING:
    from referee.games.choice import Option

STATIC = Path(ladder.server.web.__file__).parent / "static"
HOME = "https://table.test/play/id/"
NAMES = ("ada", "<b>bertrand</b>", "carp_diem")
ME = 1
SCREEN = Screen(1366, 768, "light", "reduce")
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
SHORT: dict[str, Any] = {"courtisans": {}, "miracles": {"config": {"max_rounds": 4}}}

in_every_game = pytest.mark.parametrize("game", GAMES)


class Table:
    """Answers a page as the server of a table does: seat 1 is a person's, stand-ins play the rest.

    A request for news waits until the page has answered.
    """

    def __init__(self, game: str, *, spectator: bool = False) -> None:
        """Deal."""
        others = frozenset(range(len(NAMES))) - {ME}
        setup = MatchSetup(
            "a match", game, len(NAMES), master_seed="4", without_bot=others, **SHORT[game]
        )
        self.match = Match(setup)
        self.match.use_plain_dialect([ME])
        self.game = game
        self.spectator = spectator
        self.version = 1
        self.question = 1
        self.taken: list[Option] = []
        self.left_s = 300
        self.refusing = False
        self.status = 200
        self.waiting: list[Route] = []
        self.answers: list[Any] = []

    def serve(self, route: Route) -> None:
        """Answer one request of the page."""
        path, query = urlsplit(route.request.url).path, urlsplit(route.request.url).query
        if path.endswith("/state"):
            self._tell(route, int(query.removeprefix("after=")))
        elif path.endswith("/answer"):
            self._hear(route)
        elif path.startswith("/static/"):
            name = path.rpartition("/")[2]
            body = table_bundles().get(name) or (STATIC / name).read_bytes()
            route.fulfill(body=body, content_type=KINDS[Path(name).suffix], headers=HEADERS)
        else:
            route.fulfill(body=page_of(self.game), content_type="text/html", headers=HEADERS)

    def _tell(self, route: Route, after: int) -> None:
        if self.version > after or self.status != 200:
            route.fulfill(status=self.status, json=self.state())
        else:
            self.waiting.append(route)

    def _hear(self, route: Route) -> None:
        answer = json.loads(route.request.post_data or "")
        self.answers.append(answer)
        step, option = self.match.step, answer["option"]
        if self.refusing or step is None or answer["question"] != self.question:
            route.fulfill(status=409)
            return
        if option == "back":
            self.match.take_back()
            self.taken.pop()
        else:
            self.taken.append(step.options[option])
            self.match.choose(option, NOT_MEASURED)
            if not self.match.path:
                self.taken = []
        route.fulfill(status=204)
        self.question += 1
        self.news()

    def news(self) -> None:
        """Tell the page that waits for it what is new."""
        self.version += 1
        waiting, self.waiting = self.waiting, []
        for route in waiting:
            self._tell(route, 0)

    def state(self) -> dict[str, Any]:
        """Return what the page is told."""
        seats = [(name, "") for name in NAMES]
        shown = view(film(self.match, seats), None if self.spectator else ME)
        if self.spectator:
            shown = {**shown, "own": {}}
        step = None if self.spectator else self.match.step
        return {
            "version": self.version,
            "state": "over" if self.match.due is None else "playing",
            "words": "It is your turn." if step else "The match is over.",
            "film": by_columns(shown),
            "asked": step
            and {
                "question": self.question,
                "prompt": step.prompt,
                "options": step.options,
                "taken": self.taken,
            },
            "left_s": self.left_s if step else None,
            "seats": [
                {"name": name, "kind": "person", "you": seat == ME, "taken": True}
                for seat, name in enumerate(NAMES)
            ],
        }


def page_of(game: str) -> str:
    """The page of a table."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A table</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/static/style.css">'
        f'<link rel="stylesheet" href="/static/{game}-table.css">'
        f'<script src="/static/{game}-table.js" defer></script>'
        '<link rel="icon" href="/static/icon.svg"></head>'
        '<body><main class="wide"><h1>A table</h1><div id="table" class="replay"></div>'
        "</main></body></html>"
    )


Sit = Callable[..., Page]


@pytest.fixture
def sit(windows: Windows) -> Iterator[Sit]:
    """Opens the page of a table; it may complain of nothing."""
    opened: list[tuple[Page, Table]] = []
    complaints: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        expected = "Failed to load resource" in message.text  # of what the table refuses
        if message.type in {"error", "warning"} and not expected:
            complaints.append(message.text)

    def failed(error: Error) -> None:
        complaints.append(str(error))

    def open_page(table: Table, screen: Screen = SCREEN) -> Page:
        shown = windows.take(screen)
        opened.append((shown, table))
        shown.on("pageerror", failed)
        shown.on("console", heard)
        shown.route("https://table.test/**", table.serve)
        shown.goto(HOME)
        shown.locator(".stage > div > *").first.wait_for(state="attached")
        return shown

    yield open_page
    for shown, _ in opened:
        shown.remove_listener("pageerror", failed)
        shown.remove_listener("console", heard)
        shown.unroute_all(behavior="ignoreErrors")
        windows.give_back(shown)
    assert complaints == []


def asked(shown: Page, table: Table) -> None:
    """Wait until the page asks what the table does."""
    count = len(table.match.step.options) if table.match.step else 0
    expect(shown.locator(".option:not([aria-disabled])")).to_have_count(count)
    expect(shown.locator(".so-far li")).to_have_count(len(table.taken))


def unlit(shown: Page, options: "Iterable[Option]") -> list[str]:
    """Return the pieces and places of options that do not light up."""
    keys = {key for _, *ends in options for key in ends if key}
    boxes = '[data-key="{0}"]:is(.lit, .lit *), [data-place="{0}"].lit'
    return [key for key in keys if shown.locator(boxes.format(key)).count() == 0]


def piece(shown: Page, key: str) -> Locator:
    """The piece or the first box of a place."""
    return shown.locator(f'[data-key="{key}"], [data-place="{key}"]').first


def drag(shown: Page, key: str, target: Locator) -> None:
    """Drag a piece with the mouse."""
    for at, act in ((piece(shown, key), shown.mouse.down), (target, shown.mouse.up)):
        box = at.bounding_box()
        assert box
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        shown.mouse.move(*middle, steps=3)
        act()


@in_every_game
def test_a_match_is_played_by_number_keys_to_its_scoring(sit: Sit, game: str) -> None:
    """A key answers each question, whose pieces light up; the end shows the way to the replay."""
    table = Table(game)
    shown = sit(table)
    while table.match.step is not None:
        asked(shown, table)
        assert unlit(shown, table.match.step.options) == []
        many = len(table.match.step.options) > 9
        with shown.expect_response("**/answer"):
            shown.keyboard.press("1")
            if many:
                shown.keyboard.press("Enter")
    expect(shown.locator(".stage .end")).to_be_visible()
    assert shown.get_by_role("link", name="Watch the replay").get_attribute("href") == "replay.html"
    assert amiss(shown) == []
    keep_picture(shown, f"tables/{game}-end")


def test_a_piece_narrows_the_options_and_a_place_takes_one(sit: Sit) -> None:
    """A click on a card leaves the two sides of the mat; a click on one of them puts it there."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    piece(shown, "hand/1[0]").click()
    expect(shown.locator(".option")).to_have_count(2)
    piece(shown, "t/b").click()
    expect(shown.locator(".so-far li")).to_have_count(1)
    assert table.taken[0][1:] == ("hand/1[0]", "t/b")
    expect(piece(shown, f"t/{len(table.match.decisions) + 1}")).to_be_visible()


def test_a_step_is_taken_back_by_a_key(sit: Sit) -> None:
    """The card is in the hand again, and the first question is asked."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    shown.keyboard.press("2")
    expect(shown.locator(".so-far li")).to_have_count(1)
    shown.keyboard.press("u")
    expect(shown.locator(".so-far li")).to_have_count(0)
    assert [answer["option"] for answer in table.answers] == [1, "back"]
    expect(piece(shown, "hand/1[0]")).to_be_visible()


def test_cards_are_dragged_to_places_and_to_the_question(sit: Sit) -> None:
    """Where one option takes a piece to, it is put; in vain, nothing is sent."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    drag(shown, "hand/1[1]", shown.locator(".caption"))
    assert table.answers == []
    drag(shown, "hand/1[1]", piece(shown, "t/a"))
    expect(shown.locator(".so-far li")).to_have_count(1)
    assert table.taken[0][1:] == ("hand/1[1]", "t/a")


def test_a_rogue_is_dragged_to_a_spot_through_two_questions(sit: Sit) -> None:
    """Which rogue, and where, in one movement; what else there is to decide there is asked."""
    table = Table("miracles")
    shown = sit(table)
    asked(shown, table)
    assert table.match.step
    free = "spot/4/1"
    drag(shown, "hand/1[0]", piece(shown, free))
    expect(shown.locator(".so-far li")).to_have_count(1)
    expect(shown.locator(".option")).to_have_count(2)
    step = table.match.step
    assert [
        one.label in shown.locator(".options").inner_text()
        for one in step.options
        if one.place == free
    ]


def test_pieces_are_reached_by_arrows_and_taken_by_enter(sit: Sit) -> None:
    """A lit piece is a button with a name, and the focus stays on it when the stage is redrawn."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    shown.locator(".stage").focus()
    while shown.evaluate("document.activeElement.dataset.lit") != "hand/1[0]":
        shown.keyboard.press("ArrowRight")
    shown.keyboard.press("Enter")
    expect(shown.locator(".option")).to_have_count(2)
    focused = shown.locator("[data-lit]:focus")
    expect(focused).to_have_attribute("aria-pressed", "true")
    expect(focused).to_have_role("button")
    shown.keyboard.press("Escape")
    asked(shown, table)


@pytest.mark.parametrize("screen", [SCREEN, PHONE], ids=["desktop", "phone"])
@in_every_game
def test_a_table_fits_the_window_and_axe_finds_nothing(sit: Sit, game: str, screen: Screen) -> None:
    """Stage and question are in sight."""
    table = Table(game)
    shown = sit(table, screen)
    asked(shown, table)
    assert amiss(shown) == []
    for name in (".stage", ".ask", ".caption"):
        box = shown.locator(name).bounding_box()
        assert box
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= screen.height


def test_an_answer_that_is_refused_is_asked_again(sit: Sit) -> None:
    """The page says so, and takes another answer."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    table.refusing = True
    shown.keyboard.press("1")
    expect(shown.get_by_role("status")).to_contain_text("did not take this answer")
    table.refusing = False
    shown.keyboard.press("1")
    expect(shown.locator(".so-far li")).to_have_count(1)


def test_a_table_that_is_gone_says_so(sit: Sit) -> None:
    """In one sentence, with the way to another."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    table.status = 404
    table.news()
    sentence = "This table ended, as the server was restarted."
    expect(shown.get_by_role("status")).to_have_text(sentence)
    expect(shown.get_by_role("link", name="Open another table")).to_be_visible()


def test_a_lost_connection_is_said_and_found_again(sit: Sit) -> None:
    """The words come back with the server."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    table.status = 502
    table.news()
    expect(shown.locator(".turn-of")).to_contain_text("The connection is lost")
    table.status = 200
    table.news()
    expect(shown.locator(".turn-of")).to_have_text("It is your turn.")


def test_the_last_minute_is_a_warning(sit: Sit) -> None:
    """For the eyes and for a screen reader."""
    table = Table("courtisans")
    table.left_s = 59
    shown = sit(table)
    expect(shown.locator(".time-left.late")).to_be_visible()
    expect(shown.get_by_role("status")).to_contain_text("seconds left")


def test_a_spectator_is_asked_nothing(sit: Sit) -> None:
    """The stage shows what the public sees."""
    shown = sit(Table("courtisans", spectator=True))
    expect(shown.locator("#prompt")).to_have_text("You are watching")
    assert shown.locator(".option").count() == 0
    assert shown.locator(".hand .tile:not(.blank)").count() == 0


def test_names_are_text(sit: Sit) -> None:
    """Markup in a name is read, not obeyed."""
    table = Table("courtisans")
    shown = sit(table)
    asked(shown, table)
    assert shown.locator(".domain .name").all_inner_texts()[0] == NAMES[ME]
