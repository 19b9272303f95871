"""What it takes from nothing to a bot that plays, by browser, curl, small and full install.

A real `ladder serve` builds and validates each bot. All that passes between author and ladder is
counted on the way. Packages are wheels in a local folder: their bytes count as if downloaded.
"""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from tests.support.lacking import need_chromium, need_program
from tests.support.waiting import until

pytestmark = pytest.mark.bench

ROOT = Path(__file__).resolve().parents[2]
LADDER = Path(sys.executable).with_name("ladder")
CURL = """set -eu
printf 'header = "Authorization: Bearer %s"\\n' "$(cat ann.token)" > ann.curl
ask() { curl --silent --show-error --fail-with-body --config ann.curl "$@"; }
tar --create --gzip --format=ustar --file bot.tar.gz made
DIGEST=$(sha256sum bot.tar.gz | cut -c1-64)
ask --upload-file bot.tar.gz $API/uploads/$DIGEST > /dev/null
ask --no-buffer $API/submissions/$DIGEST/log
"""
"""What docs/curl.md says."""
MIB = 1 << 20


class Counting(ThreadingTCPServer):
    """Passes on what comes to a port, and counts the bytes of both directions."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int) -> None:
        """Lead to a port of this machine."""
        super().__init__(("127.0.0.1", 0), _Passing)
        self.port = port
        self.passed = 0
        Thread(target=self.serve_forever, daemon=True).start()


class _Passing(BaseRequestHandler):
    def handle(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as there:  # type: ignore[attr-defined]
            back = Thread(target=self._pass, args=(there, self.request), daemon=True)
            back.start()
            self._pass(self.request, there)
            back.join()

    def _pass(self, come: socket.socket, go: socket.socket) -> None:
        try:
            while data := come.recv(1 << 16):
                self.server.passed += len(data)  # type: ignore[attr-defined]
                go.sendall(data)
            go.shutdown(socket.SHUT_WR)
        except OSError:  # one of them has closed it
            pass


@contextmanager
def served(folder: Path) -> Iterator[Counting]:
    """Make and serve a ladder, and yield the way to it."""
    run("init", folder / "club")
    words = [str(LADDER), "serve", "--port", "0", "--ladder", str(folder / "club")]
    log = folder / "log"
    with log.open("wb") as out, subprocess.Popen(words, stdout=out, stderr=out) as server:
        try:
            found = until(lambda: re.search(r"Open http://[^:]+:(\d+)", log.read_text()))
            with Counting(int(found[1]) if found else 0) as way:
                yield way
                way.shutdown()
        finally:
            server.terminate()


def run(*words: object, program: Path = LADDER, cwd: Path | None = None) -> str:
    """Run a command; return what it printed."""
    done = subprocess.run(
        [str(program), *map(str, words)], capture_output=True, text=True, check=False, cwd=cwd
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def wheels_of(folder: Path, extra: str) -> Path:
    """Fetch the wheels of an install into a folder."""
    name = f"{ROOT}[{extra}]" if extra else str(ROOT)
    run("-m", "pip", "wheel", "--quiet", "--wheel-dir", folder, name, program=Path(sys.executable))
    return folder


def size_of(folder: Path) -> int:
    """Return the bytes of a folder's files."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def test_from_nothing_to_a_bot(tmp_path: Path) -> None:
    """Print seconds and bytes of each way."""
    chromium = need_chromium()
    need_program("curl", "apt-get install curl")
    wheels = {extra: wheels_of(tmp_path / f"wheels-{extra}", extra) for extra in ("", "ladder")}
    with served(tmp_path) as way:
        url = f"http://127.0.0.1:{way.server_address[1]}"
        ways: dict[str, Callable[[Path], tuple[int, int]]] = {
            "browser": lambda folder: by_browser(folder, url, chromium),
            "curl": lambda folder: by_curl(folder, url),
            "small install": lambda folder: by_install(folder, url, wheels[""]),
            "full install": lambda folder: by_install(folder, url, wheels["ladder"]),
        }
        for number, (name, submitted) in enumerate(ways.items()):
            folder = tmp_path / f"{number}"
            folder.mkdir()
            token = run("token", "create", f"author-{number}", "--ladder", tmp_path / "club")
            (folder / "ann.token").write_text(token.split()[-1])
            if name == "curl":  # its author has written a bot
                run("new-bot", folder / "made", "--language", "python")
            way.passed, began = 0, time.perf_counter()
            packages, installed = submitted(folder)
            seconds = time.perf_counter() - began
            print(
                f"{name}: {seconds:.1f} s, {way.passed / 1024:.0f} KiB to and from the ladder, "
                f"{packages / MIB:.1f} MiB of wheels, {installed / MIB:.0f} MiB installed"
            )


def by_browser(folder: Path, url: str, program: str) -> tuple[int, int]:
    """Follow an invitation link, write a bot into the kit's page, and wait until it plays."""
    from playwright.sync_api import expect, sync_playwright  # noqa: PLC0415 - only where measured

    with sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(f"{url}/me/#{(folder / 'ann.token').read_text()}")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Write or paste a bot").click()
        page.get_by_label("Name of the bot").fill("by-browser")
        page.get_by_role("button", name="Submit the bot").click()
        told = page.get_by_role("status")
        expect(told).to_contain_text("by-browser version 1 plays.", timeout=120_000)
    return 0, 0


def by_curl(folder: Path, url: str) -> tuple[int, int]:
    """Send a bot as docs/curl.md does."""
    script = CURL.replace("$API", f"{url}/api/v1")
    assert "made version 1 plays." in run("-c", script, program=Path("bash"), cwd=folder)
    return 0, 0


def by_install(folder: Path, url: str, wheels: Path) -> tuple[int, int]:
    """Install Courtyard, make a bot, and submit it."""
    run("-m", "venv", folder / "env", program=Path(sys.executable))
    programs = folder / "env" / "bin"
    found = ("--no-index", "--find-links", wheels)
    (own,) = wheels.glob("courtyard-*.whl")
    extra = f"{own}[ladder]" if wheels.name.endswith("ladder") else own
    run("install", "--quiet", *found, extra, program=programs / "pip")
    bot = f"by-{wheels.name}bot"
    run("new-bot", folder / bot, "--language", "python", program=programs / "ladder")
    words = ("submit", folder / bot, "--url", url, "--token-file", folder / "ann.token")
    assert f"{bot} version 1 plays." in run(*words, program=programs / "ladder")
    return size_of(wheels), size_of(folder / "env")
