"""Draws the pictures of the README from what the commands really print, and a page really shows.

    make pictures

Plays a match and a small ladder in a temporary folder and writes docs/images. Needs Chromium.
"""

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
BIN = Path(sys.executable).parent
BOTS = ROOT / "sample_bots" / "python" / "courtisans"
_LOOKS = (50, 200, 800)
"""The matches after which `draw_intervals` looks at a ladder."""
_PANEL, _LINE = 280, 24
_RATINGS = (5.0, 40.0)
"""The ends of its axis."""
SVG = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""Rich's picture of a terminal, without the fonts that it would load from elsewhere."""


def output(command: Sequence[str], folder: Path, columns: int) -> str:
    """Return what a command prints to a terminal of a number of columns."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    environment |= {"COLORTERM": "truecolor", "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=theirs) as process:
        os.close(theirs)
        printed = bytearray()
        while chunk := _read(ours):
            printed += chunk
    os.close(ours)
    if process.returncode:
        sys.exit(f"{shlex.join(command)} exited with status {process.returncode}")
    return printed.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end of a terminal is closed
        return b""


def draw(name: str, shown: str, lines: Sequence[str], columns: int) -> None:
    """Write a picture of a terminal with a command and some lines of what it printed."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(file=nowhere, record=True, width=columns, color_system="truecolor")
        console.print(Text(f"$ {shown}", style="bold"))
        for line in lines:
            console.print(Text.from_ansi(line), soft_wrap=True)
        console.save_svg(str(IMAGES / f"{name}.svg"), title="Courtyard", code_format=SVG)


def photograph(page: Path) -> None:
    """Take a picture of a match's page shortly before the end of its replay."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport={"width": 1200, "height": 860})
        shown.goto(page.as_uri())
        shown.get_by_role("slider").wait_for()
        shown.get_by_role("slider").focus()
        for key in ("End", *["ArrowLeft"] * 12):
            shown.keyboard.press(key)
        shown.screenshot(path=IMAGES / "replay.png")
        browser.close()


def photograph_turn(folder: Path) -> None:
    """Take a picture of a person's turn, late in a match with two bots."""
    command = ["referee", "play", "--seed", "7", "--browser", "0", "greedy", "counter"]
    environment = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with (
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True
        ) as table,
        sync_playwright() as playwright,
    ):
        link = next(iter(table.stdout or ())).split()[1]
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shown = browser.new_page(viewport={"width": 1366, "height": 768}, reduced_motion="reduce")
        shown.goto(link)
        shown.get_by_role("button", name="Take the seat").click()
        for answer in (1, 2, 1) * 4:
            shown.locator(".option:not([aria-disabled])").first.wait_for()
            with shown.expect_response("**/answer"):
                shown.keyboard.press(str(answer))
        shown.locator(".option:not([aria-disabled])").first.wait_for()
        shown.screenshot(path=IMAGES / "table.png")
        browser.close()
        table.terminate()


def draw_intervals(folder: Path) -> None:
    """Draw the ratings of three bots and their twins after some matches of one ladder."""
    bots = []
    for name in ("counter", "greedy", "random"):
        output(["ladder", "new-bot", f"{name}-twin", "--from", name], folder, 100)
        bots += [name, f"{name}-twin"]
    here = ["--ladder", "twins"]
    output(
        ["ladder", "init", "twins", "--seats", "4", "--seed", "twins", "--reproducible"],
        folder,
        100,
    )
    output(["ladder", "submit", *bots, *here], folder, 100)
    panels, played = [], 0
    for at, matches in enumerate(_LOOKS):
        output(["ladder", "run", "--matches", str(matches - played), *here], folder, 100)
        played = matches
        rows = json.loads(output(["ladder", "standings", "--json", *here], folder, 100))
        panels.append(_panel(rows, matches, 10 + at * _PANEL))
    width, height = 10 + _PANEL * len(_LOOKS), 30 + _LINE * len(bots)
    (IMAGES / "intervals.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="system-ui, sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(panels)}</svg>\n'
    )


def _panel(rows: Sequence[Mapping[str, Any]], matches: int, left: float) -> str:
    """Return a panel with an interval for each line of the standings."""
    parts = [f'<text x="{left}" y="16" font-weight="bold">after {matches} matches</text>']
    zero, scale = left + 95, (_PANEL - 115) / (_RATINGS[1] - _RATINGS[0])
    for at, row in enumerate(rows):
        y = 34 + _LINE * at
        low, mid, high = (
            zero + scale * (row["mu"] + by * row["sigma"] - _RATINGS[0]) for by in (-2, 0, 2)
        )
        parts.append(
            f'<text x="{left}" y="{y + 4}">{row["bot"]}</text>'
            f'<path d="M{low:.1f} {y}H{high:.1f}" stroke="#666" stroke-width="2"/>'
            f'<circle cx="{mid:.1f}" cy="{y}" r="4" fill="#a3233a"/>'
        )
    return "".join(parts)


def main() -> None:
    """Draw all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        bots = [str(BOTS / name) for name in ("counter", "greedy", "random")]
        match = output(["referee", "play", "--seed", "7", *bots], folder, 100).splitlines()
        start = next(i for i, line in enumerate(match) if "Family" in line)
        draw("match", "referee play --seed 7 counter greedy random", match[start:], 100)
        output(["ladder", "init", "club", "--game", "courtisans", "--seats", "3"], folder, 100)
        output(["ladder", "submit", *bots, "--ladder", "club"], folder, 100)
        output(["ladder", "run", "--rounds", "150", "--ladder", "club"], folder, 100)
        table = output(["ladder", "standings", "--ladder", "club"], folder, 90)
        draw("standings", "ladder standings", table.splitlines(), 90)
        output(["ladder", "export", "site", "--ladder", "club"], folder, 90)
        draw_intervals(folder)
        photograph_turn(folder)
        photograph(min((folder / "site" / "matches").glob("*.html")))


if __name__ == "__main__":
    main()
