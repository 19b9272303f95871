"""The pages on OpenSpiel are true."""

import re
from pathlib import Path

import pytest

from courtyard_openspiel.family import openspiel
from referee.games.base import ConfigError
from tests.support.lacking import need_open_spiel

ROOT = Path(__file__).parents[2]


@pytest.mark.costly
def test_each_fault_is_reproduced_as_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    """Each program of docs/openspiel-audit.md prints what stands behind it."""
    need_open_spiel()
    page = (ROOT / "docs" / "openspiel-audit.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(programs) == 4
    for program in programs:
        exec(program, {})  # noqa: S102 our own page
        said = re.findall(r"^(?:.*\)  )?# (.+)$", program, re.MULTILINE)
        printed = capsys.readouterr().out.splitlines()
        assert printed == said[-len(printed) :]


@pytest.mark.costly
def test_the_page_says_which_games_play() -> None:
    """Each game stands in the table that it belongs to, with its number of seats."""
    need_open_spiel()
    page = (ROOT / "docs" / "openspiel.md").read_text()
    plays, _, refused = page.partition("## Games that do not")
    for name, seats in re.findall(r"^\| (\w+) \| ([\d to]+) \| \w*perfect", plays, re.MULTILINE):
        offered = openspiel(name).seats
        assert seats.split(" to ") == [str(n) for n in sorted({offered[0], offered[-1]})]
    for name, why in re.findall(r"^\| (\w+) \| (it .*|its .*) \|$", refused, re.MULTILINE):
        with pytest.raises(ConfigError, match=why):
            openspiel(name)
