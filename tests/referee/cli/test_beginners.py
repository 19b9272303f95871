"""The Python kit shows authors their own faults, without the lines of its plumbing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MANIFEST = """name = "mine"
games = ["{game}"]
command = ["python3", "bot.py"]
transport = "{transport}"
"""
STRATEGY = """from courtyard_kit.{game} import run


def choose(position):
    {line}


run(choose, name="mine")
"""
IN_COURTISANS = {
    "nothing": (
        "position.random_action()",
        "bot.py, line 4, choose: it returned None, not an Action: is a `return` missing?",
    ),
    "a wrong type": ("return 7", "bot.py, line 4, choose: it returned 7, not an Action"),
    "a wrong part": (
        "return position.random_action()._replace(opponent='me')",
        "which holds something wrong: ",
    ),
    "a typo": ("return positon", "NameError: name 'positon' is not defined."),
    "an error": ("return position.hand[9]", "IndexError: tuple index out of range"),
}
"""The line of a strategy, and what its author is told."""


@pytest.mark.parametrize(
    ("game", "line", "told"),
    [
        *(pytest.param("courtisans", *case, id=name) for name, case in IN_COURTISANS.items()),
        pytest.param("miracles", *IN_COURTISANS["nothing"], id="nothing in miracles"),
    ],
)
@pytest.mark.parametrize("transport", ["grpc", pytest.param("stdio", marks=pytest.mark.proof)])
def test_an_author_sees_the_own_fault(
    referee_here: Callable[..., Any],
    tmp_path: Path,
    transport: str,
    game: str,
    line: str,
    told: str,
) -> None:
    """It names the line of the strategy, and none of the kit's or asyncio's."""
    (tmp_path / "bot.toml").write_text(MANIFEST.format(game=game, transport=transport))
    (tmp_path / "bot.py").write_text(STRATEGY.format(game=game, line=line))

    played = referee_here("play", "--quiet", "--startup", 100, "--game", game, tmp_path)

    _, _, printed = played.stderr.partition("The last output of mine")
    assert told in printed
    assert 'bot.py", line 5, in choose' in printed or "bot.py, line 4, choose: " in printed
    assert "courtyard_kit" not in printed
    assert "asyncio" not in printed
