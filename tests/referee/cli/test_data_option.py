"""A data set in a file of one's own: `--data` of the commands `referee play` and `survey`."""

from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from referee.cli.settings import game_settings
from referee.core.errors import UsageError
from referee.games import game_named
from referee.match.record import load_record
from referee.view.game_statistics import play_some

Command = Callable[..., Any]

STANDARD = resources.files("referee.games.miracles").joinpath("standard.toml").read_text("utf-8")


def edited(*edits: tuple[str, str]) -> str:
    """The standard data set with the first of each of these texts replaced."""
    text = STANDARD
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    return text


MINE = edited(
    ('name = "standard-reconstruction"', 'name = "mine"'),
    ("version = 1", "version = 3"),
    ("cost = 4", "cost = 2"),
)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """A file with another data set."""
    file = tmp_path / "board.toml"
    file.write_text(MINE, "utf-8")
    return file


def test_the_file_becomes_the_field_data(board: Path) -> None:
    """The game's configuration holds the data set of the file, beside other settings."""
    fields = game_settings("miracles", ["max_rounds=9"], board)
    config = game_named("miracles").config(fields)
    assert (config.data.label, config.data.line(1).cost, config.max_rounds) == ("mine-3", 2, 9)


@pytest.mark.parametrize(
    ("edits", "line", "problem"),
    [
        ([("cost = 4", "cost = 100")], "cost = 4", "renown_square.line_1.cost: this must be a num"),
        ([('3 = "le', '30 = "le')], '3 = "le', "king.wrath.30: a Wrath lies on a space from 1 to"),
        ([("[rogues.brute]", "[rogues.bandit]")], "[rogues.brute]", "rogues.bandit: there is no"),
        (
            [('rank_2 = "plot 1"\n', "")],
            "[neighbourhoods.taverne]",
            "neighbourhoods.taverne.rank_2",
        ),
    ],
    ids=["number", "Wrath", "rogue", "spot"],
)
def test_a_wrong_entry_is_named_with_its_line(
    tmp_path: Path, edits: list[tuple[str, str]], line: str, problem: str
) -> None:
    """What the game refuses is one line with the file, the line in it, the key and the reason."""
    file = tmp_path / "wrong.toml"
    file.write_text(edited(*edits), "utf-8")
    number = 1 + next(i for i, text in enumerate(STANDARD.splitlines()) if text.startswith(line))
    with pytest.raises(UsageError) as refusal:
        game_settings("miracles", [], file)
    assert str(refusal.value).startswith(f"{file}, line {number}: {problem}")
    assert "\n" not in str(refusal.value)


def test_a_game_without_data_refuses_the_file(board: Path) -> None:
    """Courtisans has no data set; the error names the file and says so."""
    with pytest.raises(UsageError) as refusal:
        game_settings("courtisans", [], board)
    assert str(refusal.value).startswith(f"{board}: courtisans has no setting 'data'")


def test_a_match_is_played_recorded_and_checked_with_it(
    referee_here: Command, board: Path, tmp_path: Path
) -> None:
    """The record holds the whole data set: it can be checked and shown without the file."""
    path = tmp_path / "match.json"
    options = ("--game", "miracles", "--data", board, "--seed", "7", "--quiet")
    played = referee_here("play", *options, "--record", path)
    board.unlink()
    verified, shown = referee_here("verify", path), referee_here("replay", path)

    assert (played.returncode, verified.returncode, shown.returncode) == (0, 0, 0)
    assert load_record(path).config.miracles.data.lines[0].cost == 2
    assert "mine-3" in shown.stdout


def test_a_wrong_file_stops_the_command(referee_here: Command, tmp_path: Path) -> None:
    """A match with a wrong data set does not begin; the command says why in one line."""
    ended = referee_here("play", "--game", "miracles", "--data", tmp_path / "none.toml")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"error: {tmp_path / 'none.toml'}: No such file or directory\n"


SHORT = edited(
    ("final_space = 27", "final_space = 1"),
    *[(line, "") for line in STANDARD.splitlines() if line[:1].isdigit()],
)


def test_a_survey_with_it(referee_here: Command, tmp_path: Path) -> None:
    """Random games are played with the data set of the file: the King has one space to go."""
    file = tmp_path / "short.toml"
    file.write_text(SHORT, "utf-8")
    options = ("--game", "miracles", "--games", 2, "--seats", 3)
    surveyed = referee_here("survey", *options, "--data", file)
    assert surveyed.returncode == 0, surveyed.stderr
    assert "King arrived 100.0%" in surveyed.stdout
    without = play_some("miracles", 3, "survey", {}, range(2))
    assert (
        without.rounds
        > play_some("miracles", 3, "survey", game_settings("miracles", [], file), range(2)).rounds
    )


def test_a_survey_with_settings(referee_here: Command) -> None:
    """`--set` sets fields of the game's configuration, and the games differ from the standard."""
    options = ("--game", "miracles", "--games", 2, "--seats", 3, "--set", "max_rounds=2")
    surveyed = referee_here("survey", *options)
    assert "2 random games, 2.00 rounds and" in surveyed.stdout
    assert "elsewhere" not in surveyed.stdout
    refused = referee_here("survey", "--set", "pace=2")
    assert refused.returncode == 1
    assert "pace" in refused.stderr


@pytest.mark.costly
def test_figures_found_elsewhere(referee_here: Command, tmp_path: Path) -> None:
    """A survey shows the figures of others beside its own only where the game is the same."""
    file = tmp_path / "short.toml"
    file.write_text(SHORT, "utf-8")
    options = ("--game", "miracles", "--games", 2, "--seats", 3)
    assert "elsewhere" in referee_here("survey", *options).stdout
    assert "elsewhere" not in referee_here("survey", *options, "--data", file).stdout
