"""What the accessibility checker axe finds on pages."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

_OPTIONS = {
    "preload": False,  # preloading style sheets fails on pages that are files
    "rules": {"target-size": {"enabled": True}},  # 24 px or the distance, off by default
    "resultTypes": ["violations"],  # describing each correct element takes half of the time
}


def violations(page: Page) -> list[str]:
    """Return axe's findings on a page, once it has loaded, a line for each element."""
    page.wait_for_load_state("load")
    found = Axe().run(page, options=_OPTIONS).response["violations"]
    return [
        f"{rule['id']}: {node['target']}: {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
