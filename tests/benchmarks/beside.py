"""Measures pages of two served sites by turns: first paint, script time and weight as sent.

    beside.py ADDRESS OTHER

Both serve the same ladder, such as one that `filled_ladder.py` made, by two versions of Courtyard.
Of each page it prints the medians of nine loads without a cache, each side's and the second's
divided by the first's.
"""

import re
import sys
from statistics import median
from urllib.request import urlopen

from playwright.sync_api import Browser, sync_playwright

from tests.support.lacking import need_chromium

LOADS = 9
FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
OF_PAGE = "performance.getEntriesByType('navigation')[0].encodedBodySize"
OF_ALL = (
    "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
    ".reduce((sum, each) => sum + each.encodedBodySize, 0)"
)
SETTLED_MS = 700
WHAT = ("first paint, ms", "script, ms", "page, bytes", "page with all that it loads, bytes")


def main(addresses: list[str]) -> None:
    """Measure all pages, and print them."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=need_chromium(), args=FLAGS)
        for name in ("standings", "bot", "newest matches", "sheet", "match"):
            paths = [path_of(name, address) for address in addresses]
            loads: list[list[tuple[float, ...]]] = [[], []]
            for _ in range(LOADS + 1):
                for side, address in enumerate(addresses):
                    loads[side].append(load(browser, f"{address}{paths[side]}"))
            # The first load of each side makes the page, and is left out.
            one, other = ([median(x) for x in zip(*each[1:], strict=True)] for each in loads)
            for what, first, second in zip(WHAT, one, other, strict=True):
                print(f"{name:15} {what:35} {first:9.1f} {second:9.1f} {second / first:6.2f}")
        browser.close()


def path_of(name: str, address: str) -> str:
    """Return the path of a page; bots by name, and the newest match."""
    if name == "standings":
        return ""
    if name == "bot":
        return str(min(re.findall(r'href="(bots/[^"]+)"', text(address))))
    if name == "sheet":
        return "rounds/1.html"
    newest = text(f"{address}rounds/")
    match = re.search(r'href="\.\./(matches/[0-9a-f]+\.html)"', newest)
    return "rounds/" if name == "newest matches" or match is None else str(match[1])


def text(address: str) -> str:
    """Return a page as text."""
    with urlopen(address) as page:  # noqa: S310 -- as the command says
        return str(page.read().decode())


def load(browser: Browser, address: str) -> tuple[float, ...]:
    """Load a page into an empty cache, and return what `WHAT` names."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Performance.enable")
    page.goto(address)
    page.wait_for_timeout(SETTLED_MS)
    metered = session.send("Performance.getMetrics")["metrics"]
    metrics = {each["name"]: each["value"] for each in metered}
    found = (
        page.evaluate(FIRST_PAINT),
        1000 * metrics["ScriptDuration"],
        page.evaluate(OF_PAGE),
        page.evaluate(OF_ALL),
    )
    context.close()
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
