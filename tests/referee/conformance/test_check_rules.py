"""`referee check` tries exactly the rules of docs/protocol.md."""

import re
from pathlib import Path

from referee.conformance.check.rules import DEMANDS, Rule

PAGE = Path(__file__).resolve().parents[3] / "docs" / "protocol.md"
ROW = re.compile(r"^\| <a id=\"(?P<anchor>[^\"]+)\"></a>`(?P<name>[^`]+)` \| (?P<demand>.+) \|$")


def test_every_rule_is_on_the_page_as_it_is_in_the_code() -> None:
    """Names, order and demands are equal, and each name is an anchor."""
    rows = [row for line in PAGE.read_text().splitlines() if (row := ROW.match(line))]

    assert [(row["name"], row["demand"]) for row in rows] == [
        (rule.value, DEMANDS[rule]) for rule in Rule
    ]
    assert all(row["anchor"] == row["name"] for row in rows)


def test_every_rule_says_how_binding_it_is() -> None:
    """Each demand has a MUST or a SHOULD."""
    assert all(re.search(r"\b(MUST|SHOULD)\b", demand) for demand in DEMANDS.values())


def test_every_rule_that_the_page_speaks_of_is_one() -> None:
    """A name with a dot between backquotes is a rule, a file or not ours."""
    names = set(
        re.findall(
            r"`((?:hello|answer|stream|games|match|request|process)\.[a-z-]+)`", PAGE.read_text()
        )
    )

    assert names == {rule.value for rule in Rule if "." in rule}
