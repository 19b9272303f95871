"""The command `referee check`, as bots' authors run it."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from referee.games import game_named
from tests.support.games import GAMES

Command = Callable[..., CompletedProcess[str]]
MANIFEST = 'name = "mine"\ngames = ["courtisans"]\ntransport = "stdio-json"\n'


@pytest.fixture
def bot(tmp_path: Path, bots: Path) -> Callable[..., Path]:
    """A copy of the bot on trial that breaks this rule, with more lines in its bot.toml."""

    def copy(fault: str, more: str = "") -> Path:
        folder = tmp_path / "mine"
        folder.mkdir()
        shutil.copy(bots / "check_trial" / "bot.py", folder)
        command = f'command = ["python3", "bot.py", "{fault}"]\n'
        (folder / "bot.toml").write_text(MANIFEST + command + more)
        return folder

    return copy


@pytest.mark.costly
def test_a_bot_that_passes(referee: Command, bot: Callable[..., Path]) -> None:
    """Each step has a line with number and rule, then comes their count; status 0."""
    done = referee("check", "--sandbox", "trusted", bot("nothing"))
    first, *lines, last = done.stdout.splitlines()

    assert (done.returncode, done.stderr) == (0, "")
    assert first == "mine: stdio-json, at level trusted"
    assert [line.split()[0] for line in lines] == [str(i + 1) for i in range(len(lines))]
    assert lines[1].startswith("   2 pass  start                starts  Hello after ")
    assert "plays courtisans with 5 seats  6 answers, median " in done.stdout
    assert last == f"{len(lines)} steps: {len(lines) - 2} passed, 2 skipped"


@pytest.mark.costly
def test_a_bot_that_fails(referee_here: Command, bot: Callable[..., Path]) -> None:
    """A failed step shows its rule, both messages and the bot's output; status 1."""
    done = referee_here("check", "--sandbox", "trusted", bot("dies"))
    shown = [line.strip() for line in done.stdout.splitlines()]
    at = shown.index("8 FAIL  stream.kept          while it plays courtisans with 2 seats")

    assert done.returncode == 1
    assert done.stderr == "error: mine breaks stream.kept\n"
    assert shown[at + 1].startswith("rule     stream.kept: A bot MUST keep its process")
    assert shown[at + 2].startswith("sent     request 3 of match check-1 (courtisans, 2 seats,")
    assert shown[at + 3].startswith("received the bot ended its stream instead of answering")
    assert shown[at + 4] == "answer   none"
    assert shown[at + 5].startswith("position Turn ")
    at = shown.index("printed  the last lines:")
    assert shown[at + 1] == "this is too much: dies·[2J[bold]"
    assert shown[at + 2].startswith("9-17 same  9 steps: the same as in step 8  (match.next, ga")


@pytest.mark.costly
def test_what_it_answered_in_which_position(
    referee_here: Command, bot: Callable[..., Path]
) -> None:
    """The report shows both in the game's words; other steps only say that it happened."""
    done = referee_here("check", "--sandbox", "trusted", bot("illegal"))
    shown = [line.strip() for line in done.stdout.splitlines()]
    at = shown.index("8 FAIL  answer.legal         while it plays courtisans with 2 seats")

    assert done.stderr == "error: mine breaks answer.legal\n"
    assert done.stdout.count("FAIL") == 1
    assert shown[at + 3].startswith("received ILLEGAL_ACTION: one card must go to an opponent's")
    assert re.fullmatch(r"answer   put the .+ · keep the .+ · give the bot the .+", shown[at + 4])
    assert shown[at + 5].startswith("position Turn 1 of the bot, seen by the bot")
    assert shown[at + 6].startswith("Hand  ")


def test_a_bot_that_does_not_start_is_told_in_few_lines(
    referee_here: Command, bot: Callable[..., Path]
) -> None:
    """One line covers all that it prevents."""
    done = referee_here("check", "--sandbox", "trusted", bot("no-start"))

    assert done.stdout.splitlines()[-2:] == [
        "   3-26 skip  24 steps: it did not start",
        "26 steps: 1 failed, 25 skipped",
    ]


@pytest.mark.costly
def test_a_check_that_did_not_end_did_not_pass(
    referee_here: Command, bot: Callable[..., Path]
) -> None:
    """An expired check names the option for more time, and has status 1."""
    done = referee_here("check", "--sandbox", "trusted", "--seconds", 1, bot("hangs"))

    assert done.returncode == 1
    assert " steps: the time limit of 1 s is over\n" in done.stdout
    assert done.stderr == "error: mine: steps were left out; raise --seconds to try all\n"


@pytest.mark.proof
def test_a_bot_for_all_games_is_checked_in_each(
    referee_here: Command, bot: Callable[..., Path]
) -> None:
    """In every installed game that is no family, with every number of seats."""
    folder = bot("plain")
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('["courtisans"]', '["*"]'))
    done = referee_here("check", "--sandbox", "trusted", folder)

    assert (done.returncode, done.stderr) == (0, "")
    for game in GAMES:
        for seats in game_named(game).seats:
            assert f"plays {game} with {seats} seats" in done.stdout


def test_a_bot_for_a_family_needs_a_game_to_be_checked(
    referee_here: Command, bot: Callable[..., Path]
) -> None:
    """No game of the family is installed by itself."""
    folder = bot("plain")
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace('["courtisans"]', '["openspiel:*"]'))
    done = referee_here("check", folder)

    assert done.returncode == 1
    assert done.stderr == "error: mine plays openspiel:*: name a game with --game\n"


def test_help_says_how_long_it_takes(referee_here: Command) -> None:
    """For passing and for hanging bots."""
    told = " ".join(referee_here("check", "--help").stdout.replace("│", " ").split())

    assert "5 to 10 seconds" in told
    assert "--seconds" in told
    assert "120" in told


def test_a_bot_that_cannot_be_built(referee_here: Command, bot: Callable[..., Path]) -> None:
    """The log of the build is shown, and nothing else is tried."""
    failing = bot("nothing", 'build = [["sh", "-c", "echo no such thing; exit 4"]]\n')
    done = referee_here("check", "--sandbox", "trusted", failing)

    assert done.returncode == 1
    assert done.stderr == "error: mine breaks build\n"
    assert "   1 FAIL  build" in done.stdout
    assert "no such thing" in done.stdout
    assert done.stdout.endswith("\n1 steps: 1 failed\n")


@pytest.mark.costly
def test_what_is_built_is_what_is_tried(referee_here: Command, bot: Callable[..., Path]) -> None:
    """The build runs first, in the bot's folder."""
    folder = bot("nothing", 'build = [["mv", "source.py", "bot.py"]]\n')
    (folder / "bot.py").rename(folder / "source.py")
    done = referee_here("check", "--sandbox", "trusted", folder)

    assert done.returncode == 0
    assert "   1 pass  build                builds\n" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no-such-folder"], "no-such-folder: no such file or folder"),
        (["--game", "miracles", "mine"], "mine: mine plays courtisans, not miracles"),
        (["--game", "chess", "mine"], "mine: mine plays courtisans, not chess"),
    ],
)
def test_what_cannot_be_checked_is_told_in_one_line(
    referee_here: Command,
    bot: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    reason: str,
) -> None:
    """No bot starts."""
    bot("nothing")
    monkeypatch.chdir(tmp_path)
    done = referee_here("check", *arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {reason}\n"
