"""The pages in a real browser, served and from files. Pictures of them are kept in build/pages.

`make test` tries some of these alone: what else needs a browser is a proof.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from ladder.server.public.snapshot import Snapshot
from tests.ladder.server.web.axe import violations
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.waiting import until

Address = Callable[[str], str]
pytestmark = pytest.mark.costly


@pytest.fixture(params=["served", pytest.param("exported", marks=pytest.mark.proof)])
def address(request: pytest.FixtureRequest) -> Address:
    """Where a page of the ladder of Courtisans is, served or exported."""
    if request.param == "served":
        return lambda path: f"{request.getfixturevalue('served')}courtisans-4/{path}"
    return lambda path: (request.getfixturevalue("exported_courtisans") / path).as_uri()


@pytest.fixture
def board(address: Address, desktop: Any) -> Page:
    """The leaderboard at a desktop."""
    page: Page = desktop.open(address("index.html"))
    return page


@pytest.fixture
def paths(snapshot: Snapshot) -> dict[str, str]:
    """A path of each kind of page."""
    bot = min(tally.version.bot for tally in snapshot.tallies if tally.matches)
    return {
        "leaderboard": "index.html",
        "bot": f"bots/{bot}.html",
        "schedule": "rounds/index.html",
        "sheet": "rounds/2.html",
        "full sheet": "rounds/1.html",
        "match": f"matches/{min(line.match_id for line in snapshot.finished)}.html",
        "report": "report.html",
    }


def is_there(address: str) -> bool:
    """Return whether a served page is there, and not still being worked out."""
    with suppress(HTTPError), urlopen(address, timeout=60):  # noqa: S310 - our own
        return True
    return False


@pytest.mark.parametrize(
    "kind",
    [
        *("leaderboard", "bot", "schedule", "sheet", "match", "report"),
        pytest.param("full sheet", marks=pytest.mark.proof),
    ],
)
def test_every_page(
    kind: str, paths: dict[str, str], address: Address, reader: Any, request: pytest.FixtureRequest
) -> None:
    """Each page has no errors, asks no other origin, fits the screen, and axe finds nothing."""
    if kind == "report" and address("").startswith("http"):
        until(lambda: is_there(address(paths[kind])))
    page = reader.open(address(paths[kind]))
    if kind == "match":
        page.wait_for_selector("#replay button:visible")
    keep_picture(page, request.node.callspec.id)
    assert reader.complaints == []
    assert reader.foreign() == []
    assert amiss(page) == []


def test_the_list_of_ladders(served: str, reader: Any) -> None:
    """The list of ladders passes the same checks, and leads to each."""
    page = reader.open(served)
    assert violations(page) == []
    page.get_by_role("link", name="La Cour des Miracles").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("La Cour des Miracles")
    page.get_by_role("link", name="Courtisans").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Courtisans")
    assert reader.complaints == []


def test_a_page_that_is_not_there(served: str, desktop: Any) -> None:
    """A wrong address shows a page with a way back, and axe finds nothing."""
    page = desktop.open(f"{served}courtisans-4/bots/nobody.html")
    assert violations(page) == []
    page.get_by_role("link", name="To the standings").click()
    expect(page).to_have_title("Ladders · Courtyard")


def column(page: Page, number: int) -> list[str]:
    """Return a column's texts in the standings, top to bottom."""
    cells = page.locator(f"#standings-table tbody tr > :nth-child({number})")
    # Not the inner text: a moved row has none before it is laid out again.
    return [text.strip() for text in cells.all_text_contents()]


def wait_until(page: Page, condition: str) -> None:
    """Wait for a condition in JavaScript; served pages forbid Playwright to poll."""
    page.evaluate(
        f"new Promise((then) => {{ const look = () => ({condition}) ? then()"
        " : requestAnimationFrame(look); look(); })"
    )


def test_sorting_by_keyboard(board: Page) -> None:
    """Enter and space on a column's head sort by it, then in reverse, and announce it."""
    ranks = column(board, 1)
    head = board.get_by_role("columnheader", name="Points")
    head.get_by_role("button").focus()
    board.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    points = [float(text.replace("−", "-")) for text in column(board, 7)]  # noqa: RUF001 - shown
    assert points == sorted(points, reverse=True)
    board.keyboard.press("Space")
    assert head.get_attribute("aria-sort") == "ascending"
    board.get_by_role("columnheader", name="Rank").get_by_role("button").press("Enter")
    assert board.locator("th[aria-sort]").count() == 1
    assert sorted(column(board, 1)) == sorted(ranks)


def test_sorting_by_name(board: Page) -> None:
    """A text column sorts from A first."""
    board.get_by_role("columnheader", name="Bot").get_by_role("button").press("Enter")
    assert column(board, 2) == sorted(column(board, 2))


def test_finding_a_bot(board: Page) -> None:
    """The field above the standings keeps the bots whose names contain its text."""
    name = board.locator("#standings-table tbody th a").nth(3).inner_text()
    board.get_by_label("Find a bot").fill(name.upper())
    shown = board.locator("#standings-table tbody tr:visible")
    assert name in shown.first.inner_text()
    assert shown.count() < len(column(board, 2))


def test_a_row_far_down(board: Page) -> None:
    """A row far from the screen is laid out only when found or reached."""
    board.evaluate(
        """() => {
          const body = document.querySelector("#standings-table").tBodies[0];
          for (let i = 0; i < 300; i += 1) {
            const row = body.rows[0].cloneNode(true);
            row.querySelector("a").textContent = `far-${i}`;
            body.append(row);
          }
        }"""
    )
    link = "[...document.querySelectorAll('#standings-table a')].find((a) => a.text === '{}')"
    shown = link + ".checkVisibility({{ contentVisibilityAuto: true }})"
    wait_until(board, f"!{shown.format('far-250')} && !{shown.format('far-120')}")
    assert board.evaluate("window.find('far-250')")
    wait_until(board, shown.format("far-250"))
    board.evaluate(f"{link.format('far-120')}.focus()")
    wait_until(board, shown.format("far-120"))
    board.keyboard.press("Tab")
    expect(board.get_by_role("link", name="far-121")).to_be_focused()


def test_the_scale_is_over_its_lines(board: Page) -> None:
    """Each tick of the heading's scale stands over its line in the rows."""
    ticks, lines = board.evaluate("""() => {
        const left = (shape) => shape.getBoundingClientRect().left;
        const ticks = [...document.querySelectorAll(".ticks text")].map(
            (tick) => left(tick) + tick.getBoundingClientRect().width / 2);
        const plot = document.querySelector("tbody .rating svg");
        const lines = plot.querySelector(".grid").getAttribute("d").matchAll(/M([\\d.]+)/g);
        const scale = plot.getScreenCTM();
        return [ticks, [...lines].map((found) => scale.e + scale.a * Number(found[1]))];
    }""")

    assert len(ticks) > 1
    assert ticks == pytest.approx(lines, abs=1.5)


def test_a_phone_has_no_scale(exported: Path, phone: Any) -> None:
    """Where bars are smaller, the heading names the column and shows no wrong scale."""
    page = phone.open((exported / "index.html").as_uri())
    assert not page.locator(".ticks").is_visible()
    heading = page.get_by_role("columnheader", name="Rating").get_by_role("button").bounding_box()
    assert heading
    assert heading["x"] + heading["width"] <= phone.width
    assert page.locator("tbody .rating svg").first.is_visible()


@pytest.mark.parametrize("width", [1280, 1366, 1600])
def test_a_screen_shows_all_columns(board: Page, width: int) -> None:
    """A usual screen needs no sideways scrolling, and no cell is wider than its column."""
    board.set_viewport_size({"width": width, "height": 800})
    wide = """() => [...document.querySelectorAll(".scroll, .standings th, .standings td")]
        .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.textContent)"""
    assert board.evaluate(wide) == []


def test_the_skip_link(board: Page) -> None:
    """The first Tab reaches a link to the content; Enter goes there."""
    board.keyboard.press("Tab")
    expect(board.get_by_role("link", name="Skip to the content")).to_be_focused()
    board.keyboard.press("Enter")
    expect(board.locator("main")).to_be_focused()


def test_the_theme(board: Page, address: Address) -> None:
    """The button turns dark to light and back; the choice holds for the next page."""
    colour = "getComputedStyle(document.body).backgroundColor"
    light = board.evaluate(colour)
    button = board.get_by_role("button", name="Dark theme")
    assert button.get_attribute("aria-pressed") == "false"
    button.press("Space")
    assert button.get_attribute("aria-pressed") == "true"
    dark = board.evaluate(colour)
    board.goto(address("rounds/index.html"))
    assert (board.evaluate(colour), dark == light) == (dark, False)
    board.get_by_role("button", name="Dark theme").press("Space")
    assert board.evaluate(colour) == light


def test_the_curve(address: Address, paths: dict[str, str], desktop: Any) -> None:
    """A bot's page draws its curve, shows the value under the pointer, and lists the numbers."""
    page = desktop.open(address(paths["bot"]))
    page.locator(".plotted .u-over").hover()
    assert "to" in page.locator(".curve .note").inner_text()
    shown = json.loads(page.locator(".curve script").text_content() or "")
    page.get_by_text("The numbers").click()
    cells = page.get_by_label("Rating by number of matches").locator("tbody tr")
    assert cells.last.inner_text().split("\t")[2] == f"{shown[-1]['mu'][-1]:.1f}"


@pytest.mark.costly
def test_without_scripts(browser: Any, exported: Path) -> None:
    """Without JavaScript every page reads, in order and without dead buttons, but the replay."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    rows = {}
    for kind in ("index", "bots/*", "rounds/index", "rounds/1", "matches/*", "report", "rules"):
        page.goto(min(exported.glob(f"{kind}.html")).as_uri())
        assert page.get_by_role("heading", level=1).count() == 1, kind
        assert page.get_by_role("button").count() == 0, kind
        rows[kind] = page.locator("tbody tr").count()
    context.close()

    assert rows["index"] == 7
    assert min(rows.values()) > 0
