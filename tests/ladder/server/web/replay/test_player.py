"""The replay in a real browser: keys, links, viewers, words, and accessibility."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import courtyard
import pytest
from playwright.sync_api import ConsoleMessage, Error, Page, expect

import ladder.server.web
from ladder.server.web.replay import AUDIENCE, Viewer, pack, page
from ladder.server.web.replay.bundle import bundles
from referee.conformance.testing import play, sends
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.ladder.server.web.conftest import Screen, Windows
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.games import GAMES

STATIC = Path(ladder.server.web.__file__).parent / "static"
MINUS = "\N{MINUS SIGN}"
NAMES = ("ada", "bertrand", "carp_diem")
SHORT: dict[str, Any] = {
    "courtisans": {"master_seed": "4"},
    "miracles": {"master_seed": "244", "config": {"max_rounds": 8}},
}
"""A match of each game: that of Miracles has more kinds of events than longer ones."""

SCREEN = Screen(1280, 900, "light", "reduce")

DRAWN = ".stage > div > *"
"""Holds once a replay is shown."""

Open = Callable[..., Page]

in_every_game = pytest.mark.parametrize("game", GAMES)
in_any_game = pytest.mark.parametrize(
    "game",
    [GAMES[0], *(pytest.param(game, marks=pytest.mark.proof) for game in GAMES[1:])],
)
"""For what is the same code in every game; `make proof` tries them all."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Viewer], Path]:
    """The file of a page that shows a viewer a match of three, one of which forfeits."""
    folder = tmp_path_factory.mktemp("replays")
    records: dict[str, Any] = {}
    for game in GAMES:
        match = Match(MatchSetup("a match", game, seats=len(NAMES), **SHORT[game]))
        play(match, {1: {4: sends(b"junk")}})
        records[game] = record_of(match, [SeatInfo(name, "2") for name in NAMES])

    def file(game: str, viewer: Viewer) -> Path:
        path = folder / f"{game}-{viewer}.html"
        if not path.exists():
            path.write_text(html(game, page(records[game], viewer)), encoding="utf-8")
        return path

    for name, content in bundles().items():
        (folder / name).write_bytes(content)
    return file


def html(game: str, data: bytes) -> str:
    """A page around a replay, under the strictest policy that files allow."""
    policy = "default-src 'none'; script-src file:; style-src file:; img-src data:"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A match</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="{(STATIC / "style.css").as_uri()}">'
        f'<link rel="stylesheet" href="{game}.css"><script src="{game}.js" defer></script>'
        '<link rel="icon" href="data:,"></head><body><main class="wide"><h1>A match</h1>'
        '<div id="replay" class="replay"></div>'
        f'<script type="text/plain" id="replay-packed">{pack(data, game)}</script>'
        "</main></body></html>"
    )


@pytest.fixture
def show(
    windows: Windows, files: Callable[[str, Viewer], Path], request: pytest.FixtureRequest
) -> Iterator[Open]:
    """Open a replay; at the end of the test no page has complained."""
    pages: list[Page] = []
    complaints: list[str] = []

    def failed(error: Error) -> None:
        complaints.append(str(error))

    def heard(said: ConsoleMessage) -> None:
        complaints.append(said.text)

    def open_page(
        game: str, viewer: Viewer = AUDIENCE, where: str = "", screen: Screen = SCREEN
    ) -> Page:
        shown = windows.take(screen)
        pages.append(shown)
        shown.on("pageerror", failed)
        shown.on("console", heard)
        shown.goto(files(game, viewer).as_uri() + where)
        shown.locator(DRAWN).first.wait_for(state="attached")
        return shown

    yield open_page
    for shown in pages:
        shown.remove_listener("pageerror", failed)
        shown.remove_listener("console", heard)
        windows.give_back(shown)
    assert complaints == []


def words(shown: Page) -> str:
    """The words of each event."""
    return shown.locator(".words").inner_text()


def drawn(shown: Page) -> str:
    """The drawn scene."""
    return shown.locator(".stage > div").inner_html()


def steps(shown: Page) -> int:
    """How many steps there are."""
    return int(shown.get_by_label("Step", exact=True).get_attribute("max") or 0)


def data_of(shown: Page) -> Any:
    """The data in the page."""
    return shown.evaluate("Courtyard.data")


@in_every_game
def test_steps_lead_through_a_whole_replay(show: Open, game: str) -> None:
    """Each step right draws and tells an event, to the final scores; each left undoes one."""
    shown = show(game)
    shown.evaluate(WATCH)
    goes_through(shown, lambda key, times: shown.evaluate(PRESS, [key, times]))


@pytest.mark.proof
@in_every_game
@pytest.mark.parametrize("viewer", [AUDIENCE, 1])
def test_the_arrows_lead_through_a_whole_replay(show: Open, game: str, viewer: Viewer) -> None:
    """The same with real key presses."""
    shown = show(game, viewer)
    shown.evaluate(WATCH)

    def press(key: str, times: int) -> None:
        for _ in range(times):
            shown.keyboard.press(key)

    goes_through(shown, press)


def goes_through(shown: Page, press: Callable[[str, int], object]) -> None:
    """Press to the end of a watched replay and a good way back, and check each step."""
    press("ArrowRight", steps(shown))
    said, scenes = shown.evaluate("[seen.words, seen.scenes]")
    lines = shown.evaluate(LINES)
    assert said == lines
    assert len(set(scenes)) > len(scenes) / 2
    expect(shown.locator(".score")).to_have_count(len(NAMES))
    press("ArrowLeft", 40)
    assert shown.evaluate("seen.scenes.slice(-40)") == scenes[-2:-42:-1]
    expect(shown.locator(".score").first).to_be_hidden()


LINES = """
    [...document.querySelectorAll("[data-at]")]
      .sort((one, other) => one.dataset.at - other.dataset.at)
      .map((line) => line.textContent)
"""
"""The lines of the log, in the order of their steps."""

PRESS = """
    async ([key, times]) => {
      for (let i = 0; i < times; i += 1) {
        document.dispatchEvent(new KeyboardEvent("keydown", { key }));
        await null; // the observers look now
      }
    }
"""
"""Presses a key many times in one round trip."""

WATCH = """
    const stage = document.querySelector(".stage > div");
    const words = document.querySelector(".words");
    // What changed last does not count when it comes to it from the other side.
    const look = () => {
      seen.words.push(words.textContent);
      seen.scenes.push(stage.textContent);
    };
    window.seen = { words: [], scenes: [] };
    look();
    new MutationObserver(look).observe(words, { childList: true });
"""
"""Records words and scene after every step."""


@in_any_game
def test_the_other_keys(show: Open, game: str) -> None:
    """Shift and arrows change turns, Home and End go to the ends, digits choose the viewer."""
    shown = show(game)
    turn = shown.locator(".now b")
    for number in (1, 2, 3):
        shown.keyboard.press("Shift+ArrowRight")
        expect(turn).to_have_text(f"Turn {number}")
    shown.keyboard.press("Shift+ArrowLeft")
    expect(turn).to_have_text("Turn 2")
    shown.get_by_label("Step", exact=True).focus()
    shown.keyboard.press("ArrowDown")
    expect(turn).to_have_text("Turn 3")
    shown.keyboard.press("End")
    expect(turn).to_have_text("The end")
    shown.keyboard.press("Home")
    expect(turn).to_have_text("The deal")
    for key, name in (("2", "bertrand"), ("0", "the audience"), ("3", "carp_diem")):
        shown.keyboard.press(key)
        pressed = shown.locator('.view[aria-pressed="true"]')
        expect(pressed).to_have_count(1)
        assert name in (pressed.get_attribute("aria-label") or "")


@in_any_game
def test_arrows_up_and_down_scroll_the_page_until_the_replay_has_the_focus(
    show: Open, game: str
) -> None:
    """The page keeps the keys that scroll it, and Tab reaches the graph first."""
    shown = show(game)
    for key in ("ArrowDown", "ArrowDown", "End"):
        shown.keyboard.press(key)
    expect(shown.get_by_label("Step", exact=True)).to_have_value("0")
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.type") == "range"


@in_any_game
def test_every_control_is_a_button_that_works(show: Open, game: str) -> None:
    """Named buttons do what they say; play runs by itself and space stops it."""
    shown = show(game)
    where = shown.get_by_label("Step", exact=True)
    for name, value in (
        ("Step forward", "1"),
        ("Step forward", "2"),
        ("Step back", "1"),
        ("Last step", str(steps(shown))),
        ("First step", "0"),
    ):
        shown.get_by_role("button", name=name).click()
        expect(where).to_have_value(value)
    shown.get_by_label("Speed").select_option("4")
    shown.get_by_role("button", name="Play").click()
    expect(where).not_to_have_value("0")
    shown.locator("h1").click()
    shown.keyboard.press(" ")
    expect(shown.get_by_role("button", name="Play")).to_be_visible()


@in_any_game
def test_a_link_leads_to_a_moment(show: Open, game: str) -> None:
    """The address names turn, step and viewer; opening it restores them."""
    shown = show(game, AUDIENCE, "#t=3&seat=2")
    expect(shown.locator(".now b")).to_have_text("Turn 3")
    assert "carp_diem" in (
        shown.locator('.view[aria-pressed="true"]').get_attribute("aria-label") or ""
    )
    shown.keyboard.press("ArrowRight")
    scene, address = drawn(shown), shown.evaluate("location.hash")
    assert address == "#t=3&s=1&seat=2"
    assert drawn(show(game, AUDIENCE, address)) == scene


@in_any_game
def test_a_wrong_link_shows_something(
    show: Open, files: Callable[[str, Viewer], Path], game: str
) -> None:
    """Whatever the address says, the replay shows."""
    shown = show(game)
    for where in ("#t=999", "#t=x&seat=9", "#seat=-1", "#%&=", "#t=2&s=1e9"):
        shown.goto("about:blank")
        shown.goto(files(game, AUDIENCE).as_uri() + where)
        shown.locator(DRAWN).first.wait_for(state="attached")
        assert words(shown), where


@in_every_game
def test_a_seat_sees_through_the_audience_what_it_sees_alone(show: Open, game: str) -> None:
    """The audience's page shows a chosen seat exactly as that seat's own page does."""
    alone, among = show(game, 1), show(game)
    among.keyboard.press("2")
    for _ in range(12):
        for shown in (alone, among):
            shown.keyboard.press("Shift+ArrowRight")
        assert drawn(alone) == drawn(among)
        assert words(alone) == words(among)


def test_a_seat_page_shows_no_other_hand(show: Open) -> None:
    """A seat's page draws other hands as backs only, and holds no other layer."""
    shown = show("courtisans", 1, "#t=0")
    assert [*data_of(shown)["own"]] == ["1"]
    for seat in (0, 2):
        hand = shown.locator(f"#seat-{seat} .hand .tile")
        expect(hand).to_have_count(3)
        assert shown.locator(f"#seat-{seat} .hand .tile.blank").count() == 3
        expect(shown.locator(f"#seat-{seat}")).to_contain_text("2 secret missions")


def test_the_table_adds_up_to_the_result(show: Open) -> None:
    """The final surpluses and points are the referee's."""
    shown = show("courtisans", 0)
    shown.get_by_role("button", name="Last step").click()
    explained = data_of(shown)["explained"]
    surpluses = shown.locator(".surplus").all_inner_texts()
    assert [int(text.replace(MINUS, "-")) for text in surpluses] == [
        above - below for _, above, below, _ in explained["families"]
    ]
    for seat, part in enumerate(explained["seats"]):
        cards = sum(value for _, _, value in part["cards"])
        points = shown.locator(f"#seat-{seat} .points").text_content() or ""
        first, last = points.replace(MINUS, "-").replace("=", "").split()[::2]
        assert (int(first), int(last)) == (cards, part["points"])


@in_every_game
def test_each_step_is_announced(show: Open, game: str) -> None:
    """A live region tells turn and words; the scene bears them as name and adjacent text."""
    shown = show(game, 1)
    shown.keyboard.press("Shift+ArrowRight")
    heard = shown.get_by_role("status").inner_text()
    assert heard.startswith("Turn 1. ")
    assert shown.get_by_role("group", name=heard).count() == 1
    shown.get_by_text("This moment in words").click()
    expect(shown.locator(".in-words")).to_contain_text("Hand of bertrand")
    assert "Hand of ada" not in shown.locator(".in-words").inner_text()


@in_every_game
def test_motion_is_for_those_who_like_it(show: Open, game: str) -> None:
    """Pieces glide if the system allows motion, and nothing moves otherwise."""
    moves = "document.querySelector('.stage').getAnimations({ subtree: true }).length"
    for screen, moving in ((SCREEN, False), (replace(SCREEN, motion="no-preference"), True)):
        shown = show(game, AUDIENCE, screen=screen)
        count = 0
        for _ in range(3):
            shown.keyboard.press("ArrowRight")
            count += shown.evaluate(moves)
        assert bool(count) is moving


@in_every_game
@pytest.mark.parametrize(
    ("moment", "width", "scheme"),
    [
        ("middle", 390, "dark"),
        pytest.param("end", 1280, "light", marks=pytest.mark.proof),
        pytest.param("middle", 1280, "light", marks=pytest.mark.proof),
        pytest.param("end", 390, "dark", marks=pytest.mark.proof),
    ],
)
def test_nothing_is_amiss_for_anybody(
    show: Open, game: str, moment: str, width: int, scheme: Literal["dark", "light"]
) -> None:
    """Axe finds nothing in the middle or at the end, and the page fits the screen."""
    screen = Screen(width, 900, scheme, "reduce")
    shown = show(game, AUDIENCE, "#t=12&s=2", screen)
    if moment == "end":
        # A phone has no button for it.
        shown.get_by_label("Step", exact=True).fill(str(steps(shown)))
    keep_picture(shown, f"replay/{game}-{moment}-{width}-{scheme}")
    assert amiss(shown) == []


def test_a_notebook_shows_a_replay_that_can_be_played(desktop: Any, tmp_path: Path) -> None:
    """In its frame, which has neither an address nor a store of its own."""
    record = courtyard.play("courtisans", [None, None], seed="notebook")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><title>Notebook</title>{record._repr_html_()}")
    page = desktop.open(notebook.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Next turn").click()

    expect(frame.get_by_role("slider", name="Step")).not_to_have_value("0")
    assert desktop.complaints == []
