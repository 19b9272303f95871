"""People play whole matches in a browser against a served ladder's tables.

By mouse, by touch, by keyboard alone, and by what the accessibility tree says alone; games with a
drawing and one that others brought.
"""

import random
import re
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.ladder.server.web.conftest import COMMAND, serving
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.games import GAMES
from tests.support.installed import EXAMPLES, install, with_site
from tests.support.new_ladder import new_ladder

SEATS = 3
PLUG_IN = "liars-dice"
SHORT: dict[str, Any] = {"miracles": {"max_rounds": 4}}
READY = ".option:not([aria-disabled]), .stage .end:not([hidden])"
NOT_AN_ANSWER = ("Take back", "Hint")
PATIENCE_MS = 120_000
"""For a machine that has much else to do."""
DESKTOP: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "color_scheme": "dark",
}

Act = Callable[[Page, random.Random], None]
"""Takes one step towards an answer."""
Look = Callable[..., Page]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with tables for both games and for one that others brought."""
    folder = tmp_path_factory.mktemp("playing")
    site = tmp_path_factory.mktemp("installed")
    install(EXAMPLES / PLUG_IN, site)
    for game in GAMES:
        new_ladder(folder / game, game, game=game, seats=SEATS, config=SHORT.get(game, {}))
    ladder = ["--game", PLUG_IN, "--seats", str(SEATS), "--sandbox", "trusted"]
    command = [str(COMMAND), "init", str(folder / PLUG_IN), *ladder]
    subprocess.run(command, check=True, env=with_site(site), capture_output=True)
    paths = [folder / game for game in (*GAMES, PLUG_IN)]
    with serving(*paths, options=("--tables", "8"), env=with_site(site)) as address:
        yield address


@pytest.fixture
def look(browser: Browser) -> Iterator[Look]:
    """Opens a window of its own; its pages may complain of nothing."""
    opened: list[Page] = []
    complaints: list[str] = []

    def open_window(**screen: Any) -> Page:
        page = browser.new_context(reduced_motion="reduce", **screen).new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text))
        opened.append(page)
        return page

    yield open_window
    for page in opened:
        page.context.close()
    assert complaints == []


def opponent(game: str) -> str:
    """A sample bot that plays a game."""
    return "sample random" if game in GAMES else "sample python-plain"


def sit_down(page: Page, host: str, game: str, *others: str) -> None:
    """Open a table with hints by its form."""
    page.goto(f"{host}play/?ladder={game}-{SEATS}")
    page.get_by_label("Your name at the table").fill("Ada")
    page.get_by_label("Hints").select_option(opponent(game).removeprefix("sample "))
    for seat, other in enumerate(others, 1):
        page.locator(f"#seat{seat}").select_option(other)
    page.get_by_role("button", name="Open the table").click()


def question(page: Page) -> Locator:
    """What asks the person, once it does, or shows the result."""
    page.locator(READY).first.wait_for()
    return page.locator(".ask")


def is_over(page: Page) -> bool:
    """Whether the result is shown."""
    return page.locator(".stage .end:not([hidden])").count() > 0


def some(found: Locator, chance: random.Random) -> Locator:
    """One of those found."""
    return found.nth(chance.randrange(found.count()))


def on_the_stage(page: Page) -> Locator:
    """The pieces and places that can be chosen now, but for those that are chosen."""
    return page.locator(".stage .lit[data-lit]:not(.picked):visible, .stage .cell.lit:visible")


def by_mouse(page: Page, chance: random.Random) -> None:
    """Click a piece, a place, or what is in the list."""
    stage = on_the_stage(page)
    if stage.count() and chance.random() < 0.8:
        some(stage, chance).click(position={"x": 4, "y": 4})
    else:
        some(page.locator(".option"), chance).click()


def by_touch(page: Page, chance: random.Random) -> None:
    """Tap a piece, a place, or what is in the list."""
    stage = on_the_stage(page)
    if stage.count() and chance.random() < 0.8:
        some(stage, chance).tap(position={"x": 4, "y": 4})
    else:
        some(page.locator(".option"), chance).tap()


def by_keys(page: Page, chance: random.Random) -> None:
    """Press a number, or go to a piece or to the list by tabs and arrows."""
    options, keys = page.locator(".option").count(), page.keyboard
    if chance.random() < 0.7:
        number = chance.randint(1, options)
        for digit in str(number):
            keys.press(digit)
        if number * 10 <= options:
            keys.press("Enter")
    elif on_the_stage(page).count() and not page.locator(".picked").count():
        tab_to(page, ".stage")
        for _ in range(chance.randint(1, 6)):
            keys.press("ArrowRight")
        keys.press("Enter")
    else:
        tab_to(page, ".option")
        for _ in range(chance.randint(0, 3)):
            keys.press("ArrowDown")
        keys.press("Enter")


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until the focus is on what a selector names."""
    for _ in range(200):
        if page.evaluate("what => Boolean(document.activeElement?.matches(what))", selector):
            return
        page.keyboard.press("Tab")
    pytest.fail(f"no number of tabs leads to {selector}")


def by_tree(page: Page, chance: random.Random) -> None:
    """Press a button of the question, as the accessibility tree names both."""
    tree = page.locator("main").aria_snapshot()
    asked, *lines = tree.partition("- group ")[2].splitlines()
    assert asked
    buttons = re.findall(r'^\s+- button "(.+)"', "\n".join(buttons_of(lines)), re.MULTILINE)
    label = chance.choice([one for one in buttons if one not in NOT_AN_ANSWER])
    page.get_by_role("button", name=label, exact=True).first.press("Enter")


def buttons_of(lines: list[str]) -> list[str]:
    """The lines of a tree that belong to its first group."""
    inner = len(lines[0]) - len(lines[0].lstrip())
    ends = (at for at, line in enumerate(lines) if len(line) - len(line.lstrip()) < inner)
    return lines[: next(ends, len(lines))]


def ask_for_a_hint(page: Page, hand: str) -> None:
    """Ask by the means of a hand, and hear that there is one; its option is marked."""
    if hand == "keyboard":
        page.keyboard.press("h")
    elif hand == "touch":
        page.get_by_role("button", name="Hint", exact=True).tap()
    else:
        page.get_by_role("button", name="Hint", exact=True).click()
    page.get_by_role("status").filter(has_text=" would choose: ").wait_for(state="attached")
    assert page.locator(".option", has_text=re.compile("hint$")).count() == 1
    assert page.get_by_role("button", name="Hint", exact=True).count() == 0


HANDS: dict[str, tuple[Act, dict[str, Any]]] = {
    "mouse": (by_mouse, DESKTOP),
    "touch": (by_touch, PHONE),
    "keyboard": (by_keys, DESKTOP),
    "tree": (by_tree, DESKTOP),
}


def compare(page: Page, name: str) -> None:
    """Ask a sample bot for one's decisions, and come back."""
    page.get_by_role("link", name="Compare with ").first.tap()
    page.get_by_role("table", name="Your decisions in order").wait_for()
    assert amiss(page) == []
    keep_picture(page, name)
    page.get_by_role("link", name="The table", exact=True).tap()
    page.get_by_role("link", name="Watch the replay").first.wait_for()


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("game", [*GAMES, PLUG_IN])
def test_a_whole_match_is_played(host: str, look: Look, game: str, hand: str) -> None:
    """To its result and the replay; axe finds nothing on the way, and a step can be taken back."""
    act, screen = HANDS[hand]
    page, chance = look(**screen), random.Random(f"{game} {hand}")
    sit_down(page, host, game, opponent(game), "stand-in")
    question(page)
    assert amiss(page) == []
    ask_for_a_hint(page, hand)
    assert amiss(page) == []
    taken_back = False
    while not is_over(page):
        act(page, chance)
        question(page)
        if not taken_back and page.locator(".so-far li").count():
            assert amiss(page) == []
            page.keyboard.press("u")
            page.locator(".so-far li").wait_for(state="detached")
            taken_back = True
    expect(page.get_by_role("status")).to_contain_text("The game is over: ")
    assert not page.get_by_role("button", name="Leave the table").is_visible()
    assert amiss(page) == []
    keep_picture(page, f"playing/{game}-{hand}-over")
    if hand == "touch":
        compare(page, f"playing/{game}-{hand}-compared")
    tab_to(page, "[href='replay.html']")
    page.keyboard.press("Enter")
    page.get_by_role("slider").wait_for()
    assert amiss(page) == []


WIDTHS = {1366: 768, 1920: 1080, 820: 1180, 390: 844}
"""The sizes of windows: a laptop's, a screen's, a tablet's, a phone's."""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("game", [*GAMES, PLUG_IN])
def test_a_hint_fits_the_window(host: str, look: Look, game: str, width: int) -> None:
    """With the question, and after a step that follows it; axe finds nothing."""
    page = look(viewport={"width": width, "height": WIDTHS[width]})
    sit_down(page, host, game, opponent(game), "stand-in")
    question(page)
    ask_for_a_hint(page, "mouse")
    assert amiss(page) == []
    keep_picture(page, f"playing/{game}-{width}-hint")
    question(page).locator(".option", has_text=re.compile("hint$")).click()
    if question(page).locator(".so-far li").count():
        expect(page.locator(".option", has_text=re.compile("hint$"))).to_be_in_viewport(ratio=1)
        keep_picture(page, f"playing/{game}-{width}-hint-step")
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_role("heading", name="No result").wait_for()


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", [*GAMES, PLUG_IN])
def test_whoever_waits_or_watches_sees_how_things_are(
    host: str, look: Look, game: str, screen: dict[str, Any]
) -> None:
    """Axe finds nothing in the lobby, while another thinks, as a spectator, and at a sudden end."""
    opener, guest, spectator = look(**screen), look(**screen), look(**screen)
    sit_down(opener, host, game, "person", "stand-in")
    opener.get_by_role("heading", name="Waiting for 1 more person.").wait_for()
    assert amiss(opener) == []
    guest.goto(opener.locator("[data-while=lobby] code").inner_text())
    assert amiss(guest) == []
    guest.get_by_label("Your name at the table").fill("Grace")
    guest.get_by_role("button", name="Take the seat").click()
    for page in (opener, guest):
        page.locator(".sitting, .option").first.wait_for()
        page.locator("main > .lead", has_text="Grace").wait_for()
    spectator.goto(opener.url)
    spectator.get_by_role("heading", name="You are watching").wait_for()
    for number, page in enumerate((opener, guest, spectator)):
        assert amiss(page) == []
        assert not page.get_by_role("heading", name="Invitations").is_visible()
        keep_picture(page, f"playing/{game}-{screen['viewport']['width']}-{number}")
    guest.get_by_role("button", name="Leave the table").click()
    opener.locator(".turn-of", has_text="Grace left the table.").wait_for()
    assert amiss(opener) == []
