"""A played ladder, its pages served and exported, and a browser for them."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    sync_playwright,
)

from ladder.server.public.reader import PublicReader
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.site import Site
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.lacking import need_chromium
from tests.support.made_once import made_once

SCRIPT = Path(__file__).with_name("filled_ladder.py")
COMMAND = Path(sys.executable).with_name("ladder")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def fill(folder: Path, game: str, seats: int, bots: int, matches: int) -> Path:
    """Make a played ladder, and return its folder."""
    numbers = [str(number) for number in (seats, bots, matches)]
    subprocess.run([sys.executable, str(SCRIPT), str(folder), game, *numbers], check=True)
    return folder


def age(home: Home) -> None:
    """Backdate a ladder's files by a long time."""
    for suffix in ("", "-wal"):
        file = home.database.with_name(home.database.name + suffix)
        if file.exists():
            os.utime(file, (0, 0))


@pytest.fixture(scope="session")
def courtisans(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder of Courtisans: 8 bots, 120 matches. Read-only."""
    return made_once(
        tmp_path_factory, "courtisans", lambda folder: fill(folder, "courtisans", 4, 8, 120)
    )


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder of Courtisans: 8 bots, 8 matches. Read-only."""
    return made_once(tmp_path_factory, "few", lambda folder: fill(folder, "courtisans", 4, 8, 8))


@pytest.fixture(scope="session")
def miracles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder of Miracles: 4 bots, 6 matches. Read-only."""
    return made_once(tmp_path_factory, "miracles", lambda folder: fill(folder, "miracles", 3, 4, 6))


@pytest.fixture(scope="module")
def source(courtisans: Path) -> Iterator[PublicReader]:
    """Read the ladder of Courtisans."""
    with Ladder.open(Home(courtisans)) as ladder:
        yield PublicReader(ladder)


@pytest.fixture(scope="module")
def snapshot(source: PublicReader) -> Snapshot:
    """The state of the ladder of Courtisans."""
    return source.snapshot()


@pytest.fixture(scope="module")
def site(source: PublicReader, snapshot: Snapshot) -> Site:
    """The pages of the ladder of Courtisans."""
    return Site([(snapshot, source)], live=False)


def export(ladder: Path, folder: Path) -> None:
    """Export a ladder to a folder."""
    command = [str(COMMAND), "export", str(folder), "--ladder", str(ladder)]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture(scope="session")
def exported(few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported folder of the ladder with few matches."""
    return made_once(tmp_path_factory, "site of few", lambda folder: export(few, folder))


@pytest.fixture(scope="session")
def exported_courtisans(courtisans: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported folder of the ladder of Courtisans."""
    return made_once(tmp_path_factory, "site", lambda folder: export(courtisans, folder))


@contextmanager
def serving(
    *ladders: Path, options: Sequence[str] = (), env: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Serve ladders while the block runs; yield the address, which ends with a slash."""
    named = [word for ladder in ladders for word in ("--ladder", str(ladder))]
    with subprocess.Popen(
        [str(COMMAND), "serve", "--port", "0", *named, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=env,
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said.startswith("Open http://127.0.0.1:"), said
        try:
            yield said.split()[1]
        finally:
            server.terminate()
        out, err = server.communicate()
    assert (server.returncode, out, err) == (0, "Stopped.\n", "")


@pytest.fixture(scope="session")
def served(courtisans: Path, miracles: Path) -> Iterator[str]:
    """The address of both served ladders; it ends with a slash."""
    with serving(courtisans, miracles) as address:
        yield address


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as a proof what needs a browser, unless it is marked as costly."""
    needs: tuple[str, ...] = getattr(item, "fixturenames", ())
    if "browser" in needs and not item.get_closest_marker("costly"):
        item.add_marker("proof")


# Not for the whole session: while it is open its loop runs in this thread, and no other may start
# there.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium."""
    program = need_chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()


@dataclass(frozen=True)
class Screen:
    """A screen for pages, and what its owner prefers."""

    width: int
    height: int
    scheme: Literal["dark", "light"]
    motion: Literal["reduce", "no-preference"] = "no-preference"


PHONE = Screen(390, 844, "dark")
DESKTOP = Screen(1280, 860, "light")


class Windows:
    """A browser's windows, each used by one test after the other: a new one takes a second."""

    def __init__(self, browser: Browser) -> None:
        """Begin without any."""
        self._browser = browser
        self._free: list[Page] = []

    def take(self, screen: Screen) -> Page:
        """Return an empty page on a screen, with nothing that is left of earlier ones."""
        page = self._free.pop() if self._free else self._browser.new_context().new_page()
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.emulate_media(color_scheme=screen.scheme, reduced_motion=screen.motion)
        return page

    def give_back(self, page: Page) -> None:
        """Empty a page that was taken, and forget what it stored."""
        page.goto("about:blank")
        page.context.clear_cookies()
        tools = page.context.new_cdp_session(page)
        tools.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        tools.detach()
        self._free.append(page)


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Windows:
    """The windows of the browser."""
    return Windows(browser)


class Reader:
    """Opens pages and records whatever they should not do."""

    def __init__(self, windows: Windows, screen: Screen) -> None:
        """Open an empty page on a screen."""
        self.width = screen.width
        self._windows = windows
        self.page = windows.take(screen)
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self._listeners: dict[Any, Any] = {
            "console": self._heard,
            "pageerror": self._failed,
            "request": self._requested,
        }
        for event, listener in self._listeners.items():
            self.page.on(event, listener)

    def open(self, address: str) -> Page:
        """Open a page and wait until it is idle."""
        self.page.goto(address, wait_until="load")
        return self.page

    def close(self) -> None:
        """Close the page."""
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)
        self._windows.give_back(self.page)

    def foreign(self) -> list[str]:
        """Return the requests to other origins than the page's own."""
        own = urlsplit(self.page.url)
        return [
            url
            for url in self.asked
            if (urlsplit(url).scheme, urlsplit(url).netloc) != (own.scheme, own.netloc)
        ]

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _failed(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _requested(self, request: Request) -> None:
        self.asked.append(request.url)


@pytest.fixture(
    params=[
        pytest.param(DESKTOP, id="desktop"),
        pytest.param(PHONE, id="phone", marks=pytest.mark.proof),
    ]
)
def reader(windows: Windows, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at a desktop, in light colours, and one with a phone, in dark ones."""
    reader = Reader(windows, request.param)
    yield reader
    reader.close()


@pytest.fixture
def phone(windows: Windows) -> Iterator[Reader]:
    """A phone reader, in dark colours."""
    reader = Reader(windows, PHONE)
    yield reader
    reader.close()


@pytest.fixture
def desktop(windows: Windows) -> Iterator[Reader]:
    """A desktop reader, in light colours."""
    reader = Reader(windows, DESKTOP)
    yield reader
    reader.close()
