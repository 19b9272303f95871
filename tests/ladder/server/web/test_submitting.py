"""An author who has only a browser submits, follows, retires and returns bots."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from ladder.results import queries
from ladder.storage import tokens
from ladder.storage.files.archive import pack
from ladder.storage.ladder import Ladder
from ladder.submission import process
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.api_server import serving
from tests.support.ladders import MakeBot
from tests.support.trying_host import try_bots

CODE = "# Does nothing but play.\n"
PATIENCE_MS = 60_000
"""How long a submission may take on a busy machine."""


@pytest.fixture
def me(ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Serve a ladder where the validation matches of submissions need no bots: /me's address."""
    monkeypatch.setattr(process, "work", try_bots)
    with serving([ladder]) as address:
        yield f"http://{address}/me/"


def signed_in(page: Page, me: str, ladder: Ladder) -> None:
    """Follow an invitation link of the author ann."""
    token = tokens.create(ladder, "ann")
    page.goto(f"{me}#{token}")
    expect(page.get_by_role("button", name="Sign in")).to_be_focused()
    assert token not in page.url
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Your bots")


def said(page: Page, words: str) -> None:
    """Wait until a submission is over, and compare its outcome."""
    expect(page.get_by_role("status")).to_contain_text(words, timeout=PATIENCE_MS)


def playing(ladder: Ladder, bot: str) -> list[int]:
    """Return the numbers of a bot's versions that play."""
    return [each.number for each in queries.versions(ladder, bot) if each.active]


def drop(page: Page, path: Path) -> None:
    """Drop a file or folder onto a page."""
    tools = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "x": 100, "y": 300, "data": data}
        tools.send("Input.dispatchDragEvent", event)


def test_from_an_invitation_to_a_retired_bot(reader: Any, me: str, ladder: Ladder) -> None:
    """The link signs in, pasted code becomes a bot with a log, which retires and returns."""
    page = reader.page
    signed_in(page, me, ladder)
    assert amiss(page) == []
    keep_picture(page, f"me-{reader.width}")
    page.get_by_role("link", name="Write or paste a bot").click()
    page.get_by_label("Name of the bot").fill("eva")
    page.get_by_label("bot.py").fill(CODE)
    assert amiss(page) == []
    page.get_by_role("button", name="Submit the bot").click()
    said(page, "eva version 1 plays.")
    expect(page.get_by_role("log")).to_contain_text("Validating eva")
    assert amiss(page) == []
    page.get_by_role("link", name="Its log and validation match").click()
    expect(page.get_by_text("Accepted")).to_be_visible()
    page.get_by_role("link", name="eva", exact=True).click()
    page.get_by_label("Description").fill("A first try")
    page.get_by_role("button", name="Save the description").click()
    page.get_by_role("button", name="Retire eva").click()
    expect(page.get_by_text("A first try").first).to_be_visible()
    assert amiss(page) == []
    assert playing(ladder, "eva") == []
    page.get_by_role("button", name="Let eva play again").click()
    expect(page.get_by_role("button", name="Retire eva")).to_be_visible()
    assert playing(ladder, "eva") == [1]
    assert reader.complaints == []
    version = queries.versions(ladder, "eva")[0]
    assert (ladder.home.bundle(version.digest) / "bot.py").read_text() == CODE


def test_code_is_edited_where_it_was_left(desktop: Any, me: str, ladder: Ladder) -> None:
    """The editor begins with a bot's newest version, whose other files stay."""
    page = desktop.page
    signed_in(page, me, ladder)
    page.goto(f"{me}paste?kit=python-plain")
    page.get_by_label("Name of the bot").fill("eva")
    page.get_by_role("button", name="Submit the bot").click()
    said(page, "eva version 1 plays.")
    page.goto(f"{me}bots/eva/")
    page.get_by_role("link", name="edit its code here").click()
    code = page.get_by_label("bot.py")
    expect(code).to_have_value(re.compile("Plays every game"))
    code.fill(CODE)
    page.get_by_role("button", name="Submit the bot").click()
    said(page, "eva version 2 plays; it replaces version 1.")
    one, two = (ladder.home.bundle(each.digest) for each in queries.versions(ladder, "eva"))
    assert (two / "bot.py").read_text() == CODE
    assert (one / "bot.toml").read_bytes() == (two / "bot.toml").read_bytes()


def test_what_is_dropped_is_submitted(
    desktop: Any, me: str, ladder: Ladder, make_bot: MakeBot, tmp_path: Path
) -> None:
    """A dropped folder, without its caches, and a dropped archive each become a version."""
    folder, page = make_bot("eva", "one"), desktop.page
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("private")
    signed_in(page, me, ladder)
    drop(page, folder)
    said(page, "eva version 1 plays.")
    page.goto(me)
    with (tmp_path / "eva.tgz").open("wb") as file:
        pack(make_bot("eva", "two"), file, lambda path: path.startswith(".git"))
    drop(page, tmp_path / "eva.tgz")
    said(page, "eva version 2 plays; it replaces version 1.")
    page.goto(me)
    (tmp_path / "notes.txt").write_text("no bot")
    drop(page, tmp_path / "notes.txt")
    said(page, "Refused")
    for version in queries.versions(ladder, "eva"):
        assert not (ladder.home.bundle(version.digest) / ".git").exists()


def test_a_browser_without_scripts_does_all_but_drop(
    browser: Browser, me: str, ladder: Ladder, make_bot: MakeBot, tmp_path: Path
) -> None:
    """A folder and an archive go by plain forms; the log's page renews itself until it is over."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(me)
    page.fill("#token", f"{me}#{tokens.create(ladder, 'ann')}")  # the link, pasted
    page.click("text=Sign in >> nth=-1")
    page.set_input_files("#folder", str(make_bot("eva", "one")))
    page.click("text=Submit the folder")
    page.wait_for_selector("text=eva version 1 plays.")
    page.goto(me)
    content = io.BytesIO()
    pack(make_bot("eva", "two"), content)
    (tmp_path / "eva.tar.gz").write_bytes(content.getvalue())
    page.set_input_files("#archive", str(tmp_path / "eva.tar.gz"))
    page.click("text=Submit the archive")
    page.wait_for_selector("text=eva version 2 plays; it replaces version 1.")
    page.goto(f"{me}bots/eva/")
    page.click("text=Retire eva")
    page.wait_for_selector("text=Let eva play again")
    context.close()
    assert playing(ladder, "eva") == []


def test_a_page_of_another_site_gets_nothing(
    browser: Browser, me: str, ladder: Ladder, tmp_path: Path
) -> None:
    """It can neither frame an author's page, nor send a form or a request with the cookie."""
    context = browser.new_context()
    page = context.new_page()
    signed_in(page, me, ladder)
    address = me.replace("127.0.0.1", "localhost")  # another site to the browser
    (evil := tmp_path / "evil.html").write_text(
        f'<iframe src="{me}"></iframe><form method="post" action="{me}bots/ann/change">'
        '<button name="state" value="retired">go</button></form>'
    )
    for opened in (evil.as_uri(), f"{address}"):
        page.goto(opened)
        told = page.evaluate(
            """address => fetch(address, {credentials: "include"})
                .then(answer => answer.text(), () => "refused")""",
            f"{me}",
        )
        assert told == "refused"
    page.goto(evil.as_uri())
    framed = page.frames[1]
    assert "Your bots" not in framed.content()
    page.click("text=go")
    expect(page.get_by_text("FOREIGN_SITE")).to_be_visible()
    context.close()
    assert playing(ladder, "ann") == [1]
