"""A played ladder, its pages served and exported, and a browser for them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from ladder.server.public.reader import Source
from ladder.server.public.snapshot import Snapshot
from ladder.server.web.site import Site
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from tests.support.lacking import need_chromium

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
    return fill(tmp_path_factory.mktemp("filled") / "courtisans", "courtisans", 4, 8, 120)


@pytest.fixture(scope="session")
def miracles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a ladder of Miracles: 4 bots, 6 matches. Read-only."""
    return fill(tmp_path_factory.mktemp("filled") / "miracles", "miracles", 3, 4, 6)


@pytest.fixture
def source(courtisans: Path) -> Iterator[Source]:
    """Read the ladder of Courtisans."""
    with Ladder.open(Home(courtisans)) as ladder:
        yield Source(ladder)


@pytest.fixture
def snapshot(source: Source) -> Snapshot:
    """The state of the ladder of Courtisans."""
    return source.snapshot()


@pytest.fixture
def site(source: Source, snapshot: Snapshot) -> Site:
    """The pages of the ladder of Courtisans."""
    return Site([(snapshot, source.records)], live=False)


@pytest.fixture(scope="session")
def exported(courtisans: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The exported folder of the ladder of Courtisans."""
    folder = tmp_path_factory.mktemp("site") / "site"
    command = [str(COMMAND), "export", str(folder), "--ladder", str(courtisans)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


@contextmanager
def serving(*ladders: Path) -> Iterator[str]:
    """Serve ladders while the block runs; yield the address, which ends with a slash."""
    named = [word for ladder in ladders for word in ("--ladder", str(ladder))]
    with subprocess.Popen(
        [str(COMMAND), "serve", "--port", "0", *named],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        said = server.stdout.readline()
        assert said.startswith("Open http://127.0.0.1:"), said
        yield said.split()[1]
        server.terminate()
        out, err = server.communicate()
    assert (server.returncode, out, err) == (0, "Stopped.\n", "")


@pytest.fixture(scope="session")
def served(courtisans: Path, miracles: Path) -> Iterator[str]:
    """The address of both served ladders; it ends with a slash."""
    with serving(courtisans, miracles) as address:
        yield address


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
    """A screen for pages."""

    width: int
    height: int
    scheme: str


PHONE = Screen(390, 844, "dark")
DESKTOP = Screen(1280, 860, "light")


class Reader:
    """Opens pages and records whatever they should not do."""

    def __init__(self, browser: Browser, screen: Screen) -> None:
        """Open an empty page on a screen."""
        self.width = screen.width
        self._context = browser.new_context(
            viewport={"width": screen.width, "height": screen.height},
            color_scheme="dark" if screen.scheme == "dark" else "light",
        )
        self.page: Page = self._context.new_page()
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", self._requested)

    def open(self, address: str) -> Page:
        """Open a page and wait until it is idle."""
        self.page.goto(address, wait_until="load")
        return self.page

    def close(self) -> None:
        """Close the page."""
        self._context.close()

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

    def _requested(self, request: Request) -> None:
        self.asked.append(request.url)


@pytest.fixture(
    params=[
        pytest.param(DESKTOP, id="desktop"),
        pytest.param(PHONE, id="phone", marks=pytest.mark.proof),
    ]
)
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at a desktop, in light colours, and one with a phone, in dark ones."""
    reader = Reader(browser, request.param)
    yield reader
    reader.close()


@pytest.fixture
def phone(browser: Browser) -> Iterator[Reader]:
    """A phone reader, in dark colours."""
    reader = Reader(browser, PHONE)
    yield reader
    reader.close()


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Reader]:
    """A desktop reader, in light colours."""
    reader = Reader(browser, DESKTOP)
    yield reader
    reader.close()
