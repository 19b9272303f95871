"""Pictures of pages, kept in build/pages, and their defects."""

from pathlib import Path

from playwright.sync_api import Page

from tests.ladder.server.web.axe import violations
from tests.support.sampling import SAMPLE

_PICTURES = Path(__file__).resolve().parents[4] / "build" / "pages"


def keep_picture(page: Page, name: str) -> None:
    """Keep a picture of the whole page under a name, perhaps in a folder; not in `make test`."""
    if SAMPLE == 1:
        page.screenshot(path=_PICTURES / f"{name}.png", full_page=True)


def amiss(page: Page) -> list[str]:
    """Return a page's defects, once it has loaded: wider than the screen, and what axe finds."""
    found = violations(page)  # waits until the page has loaded
    fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return [*([] if fits else ["it is wider than the screen"]), *found]
