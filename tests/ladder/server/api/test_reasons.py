"""The page for operators lists every reason of a refusal."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[4]
NAMES = ("COURTYARD_", "GRPC_")
"""The prefix of environment variables."""
REASON = r"[A-Z]+(?:_[A-Z]+)+|INTERNAL"


def test_every_reason_is_listed() -> None:
    """docs/operations.md lists every reason in the code of the author API, and no other."""
    code = "".join(path.read_text() for path in (ROOT / "ladder" / "server" / "api").glob("*.py"))
    given = {each for each in re.findall(rf'"({REASON})"', code) if not each.startswith(NAMES)}
    page = (ROOT / "docs" / "operations.md").read_text()
    table = page.split("### Refusals")[1].split("### ")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]

    assert {each for cell in first_cells for each in re.findall(rf"`({REASON})`", cell)} == given
