"""What the accessibility checker axe says of a page."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_OPTIONS = {
    "preload": False,  # to preload style sheets fails on pages that are files
    "resultTypes": ["violations"],  # to describe each element that is right takes half of the time
}


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong with a page, a line for each element."""
    found = Axe().run(page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']}: {node['target']}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
