"""Games come from installed distributions, by entry points."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.games.base import ConfigError
from referee.games.registry import game_named, game_names, installed_games, origin_of

GAME = """
from referee.games.courtisans.game import Courtisans

class Mine(Courtisans):
    name = {name!r}

GAME = Mine()

def family(rest):
    '''Games named after their parameter.'''
    game = Mine()
    game.name = {name!r} + ":" + rest
    return game
"""


def install(folder: Path, distribution: str, name: str, target: str, code: str = "") -> None:
    """Lay out a distribution as an installer does: a module and its metadata."""
    module = target.partition(":")[0]
    (folder / f"{module}.py").write_text(code or GAME.format(name=name))
    info = folder / f"{distribution.replace('-', '_')}-1.5.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(f"[courtyard.games]\n{name} = {target}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for distributions that this process finds."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_distribution_brings_a_game(site: Path) -> None:
    """A game that another distribution names is found, and its origin is known."""
    install(site, "my-tables", "brought", "brought_rules:GAME")

    assert game_named("brought").name == "brought"
    assert origin_of("brought").origin == "my-tables 1.5"


def test_a_game_is_found_from_when_it_is_installed_until_it_is_removed(site: Path) -> None:
    """What was found before is looked for anew once a folder of distributions has changed."""
    assert "passing" not in game_names()
    install(site, "passing-tables", "passing", "passing_rules:GAME")
    assert "passing" in game_names()

    shutil.rmtree(site / "passing_tables-1.5.dist-info")

    assert "passing" not in game_names()


def test_our_games_are_brought_in_the_same_way() -> None:
    """Courtyard's own games are entry points of its distribution."""
    assert {one.distribution for one in installed_games()} == {"courtyard"}


def test_looking_for_names_imports_no_game(site: Path) -> None:
    """A game that cannot be imported neither breaks the list nor the other games."""
    install(site, "broken-tables", "fragile", "fragile_rules:GAME", "import nothing_of_this_name")

    assert "fragile" in {one.name for one in installed_games()}
    assert game_named("courtisans").title == "Courtisans"


def test_a_game_that_cannot_be_imported_is_named_until_it_is_mended(site: Path) -> None:
    """The error names game, distribution, version and reason; it is not remembered."""
    install(site, "late-tables", "late", "late_rules:GAME", "import nothing_of_this_name")
    with pytest.raises(ConfigError) as caught:
        game_named("late")
    assert str(caught.value) == (
        "the game 'late' of late-tables 1.5 cannot be loaded: "
        "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    )

    (site / "late_rules.py").write_text(GAME.format(name="late") + "# mended\n")

    assert game_named("late").name == "late"


def test_two_distributions_with_one_name_are_both_named(site: Path) -> None:
    """Neither is taken by chance."""
    install(site, "first-tables", "wanted", "wanted_one:GAME")
    install(site, "second-tables", "wanted", "wanted_two:GAME")

    with pytest.raises(
        ConfigError, match=r"first-tables 1\.5 and second-tables 1\.5 both bring a game 'wanted'"
    ):
        game_named("wanted")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("GAME = object()", "is no Game: it has no title, rules_version"),
        (GAME.format(name="other"), "calls itself 'other'"),
        ("raise SyntaxError('two\\nlines')", "cannot be loaded: SyntaxError: two lines"),
    ],
)
def test_what_is_no_game_is_refused_in_one_line(site: Path, code: str, problem: str) -> None:
    """A plug-in that does not keep the contract is named with what is wrong."""
    name = f"odd{abs(hash(code))}"
    install(site, "odd-tables", name, f"{name}_rules:GAME", code)

    with pytest.raises(ConfigError) as caught:
        game_named(name)

    assert f"the game '{name}' of odd-tables 1.5" in str(caught.value)
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_with_an_odd_name_is_refused(site: Path) -> None:
    """A name becomes a path and a line of the terminal."""
    install(site, "odd-names", "../x", "odd_names_rules:GAME", GAME.format(name="../x"))

    with pytest.raises(ConfigError, match=r"odd-names 1\.5 has no valid name: use a-z, 0-9"):
        game_named("../x")


def test_a_family_of_games_is_asked_for_one(site: Path) -> None:
    """What follows a colon names the game within a family."""
    install(site, "many-tables", "many", "many_rules:family")

    assert game_named("many:small").name == "many:small"
    with pytest.raises(ConfigError, match="'many' is a family of games: name one"):
        game_named("many")
    with pytest.raises(ConfigError, match="'courtisans' is one game, not a family"):
        game_named("courtisans:small")


def test_the_command_lists_games_with_their_distributions(site: Path) -> None:
    """`referee games` shows what is installed, and says why a game does not load."""
    install(site, "broken-list", "unlucky", "unlucky_rules:GAME", "import nothing_of_this_name")
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r}); from referee.__main__ import main; main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, "games"], capture_output=True, text=True, check=True
    )

    assert "La Cour des Miracles" in done.stdout
    assert "broken-list 1.5" in done.stdout
    assert "No module named 'nothing_of_this_name'" in done.stdout
