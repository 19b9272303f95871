"""The command `referee`, run as people run it.

Where what it says is the point, and not that it is a process, it is run in this one.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer.main

from referee.cli.app import app
from referee.conformance.testing import random_record
from referee.match.record import load_record, save_record
from referee.match.verify import verify
from referee.sandbox.program import Level
from referee.sandbox.trusted import WARNING

Command = Callable[..., "subprocess.CompletedProcess[str]"]

COMMANDS = ("play", "verify", "replay")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of records and manifests, right and wrong."""
    folder = tmp_path_factory.mktemp("files")
    record = random_record("courtisans", 3, "a match")
    save_record(record, folder / "match.json")
    record.outcomes[1].points += 1
    save_record(record, folder / "edited.json")
    record.decisions[0].action.courtisans.opponent = 7
    save_record(record, folder / "impossible.json")
    (folder / "garbage.json").write_bytes(b"\x00\xff")
    (folder / "list.json").write_text("[1, 2]")
    (folder / "deep.json").write_text('{"a":' * 100_000)
    with (folder / "huge.json").open("wb") as huge:
        huge.truncate(16 * 1024 * 1024 + 1)
    for name, text in MANIFESTS.items():
        (folder / name).mkdir()
        (folder / name / "bot.toml").write_text(text)
    (folder / "empty").mkdir()
    return folder


RIGHT = 'name = "bot"\ngames = ["courtisans"]\ncommand = ["./bot"]\n'
MANIFESTS = {
    "right": RIGHT,
    "unknown_key": RIGHT + "colour = 1\n",
    "bad_toml": RIGHT + "= 1\n",
    "other_game": RIGHT.replace("courtisans", "miracles"),
    "deep": "name = " + "[" * 20_000,
    "nasty": RIGHT.replace('"bot"', '"\\u001b[2Jbot"'),
}


# What works


@pytest.mark.costly
def test_a_match_is_played_shown_and_recorded(
    referee: Command, referee_here: Command, random_bot: Path, tmp_path: Path
) -> None:
    """The whole way: two bots and a stand-in, a record that is true, and the same match again."""
    path = tmp_path / "match.json"
    options = ("--seed", "7", "--seats", 3, "--record", path, "--decision-limit", 100)
    played = referee("play", *options, "--bank", 1_000, "--startup", 100, random_bot, random_bot)
    record = load_record(path)

    warning = f"{WARNING}\n" if record.sandbox == Level.TRUSTED else ""
    assert (played.returncode, played.stderr) == (0, f"{warning}The record is in {path}.\n")
    assert "Courtisans · 3 seats · seed 7" in played.stdout
    assert re.search(r"^ 24 \w+", played.stdout, re.MULTILINE)
    assert [seat.name for seat in record.seats] == ["random", "random", "stand-in"]
    assert [seat.stand_in for seat in record.seats] == [False, False, True]
    assert (record.clock.decision_limit_ms, record.clock.startup_ms) == (100_000, 100_000)
    assert not any(decision.HasField("fault") for decision in record.decisions)

    verified = referee_here("verify", path)
    assert (verified.returncode, verified.stderr) == (0, "")
    assert verified.stdout == f"{path}: true in every field\n"

    replayed = referee_here("replay", path)
    assert (replayed.returncode, replayed.stderr) == (0, "")
    assert replayed.stdout == played.stdout


@pytest.mark.costly
def test_one_seed_gives_one_match(referee: Command, referee_here: Command) -> None:
    """Seed and table decide all that chance decides; another seed decides otherwise."""
    first, again, other = (
        command("play", "--seats", 2, "--seed", seed).stdout
        for command, seed in ((referee, "one"), (referee_here, "one"), (referee_here, "other"))
    )

    assert first == again
    assert first != other


def test_without_a_seed_every_match_is_another(referee_here: Command) -> None:
    """A new seed is drawn, and told."""
    seeds = {
        re.search(r"seed (\w{16})\n", referee_here("play", "--seats", 2).stdout)[1]  # type: ignore[index]
        for _ in range(2)
    }

    assert len(seeds) == 2


def test_settings_reach_the_game(referee_here: Command, tmp_path: Path) -> None:
    """What --set gives stands in the record, with the clock's options beside it."""
    path = tmp_path / "match.json"
    settings = ("--set", "noble_weight_in_missions=1", "--set", "reveal_eliminated_spies=true")
    done = referee_here("play", "--quiet", *settings, "--increment", 0.5, "--record", path)
    record = json.loads(path.read_text())

    assert (done.returncode, done.stdout.count("\n")) == (0, 1), "the result alone"
    assert done.stdout.startswith("1. ")
    assert record["config"]["courtisans"] == {
        "noble_weight_in_missions": 1,
        "reveal_eliminated_spies": True,
    }
    assert record["clock"]["increment_ms"] == 500
    assert verify(load_record(path)) == []


def test_bots_can_be_reached_over_tcp(
    referee_here: Command, random_bot: Path, tmp_path: Path
) -> None:
    """With --tcp the match is the same."""
    path = tmp_path / "match.json"
    done = referee_here("play", "--tcp", "--quiet", "--record", path, random_bot)
    record = load_record(path)

    assert done.returncode == 0
    assert [d.stand_in for d in record.decisions if d.seat == 0] == [False] * 10
    assert not any(decision.HasField("fault") for decision in record.decisions)


def test_a_bot_that_fails_loses_and_the_command_does_not(
    referee_here: Command, bots: Path, tmp_path: Path
) -> None:
    """What goes wrong with a bot is part of the match, and how to look into it is told."""
    path = tmp_path / "match.json"
    done = referee_here("play", "--record", path, bots / "crasher")

    assert done.returncode == 0
    assert "crasher (seat 0) forfeits: disconnected (the bot ended its stream" in done.stdout
    assert verify(load_record(path)) == []
    again = shlex.join(["repro", str(path), "--seat", "0", str(bots / "crasher")])
    assert re.search(
        f"^To reproduce the requests to crasher: .*referee'? {re.escape(again)}$",
        done.stderr,
        re.MULTILINE,
    )


def test_a_bot_that_does_not_start_makes_the_command_fail(
    referee_here: Command, bots: Path
) -> None:
    """The match is played and shown without it, and the last line says who did not start, why."""
    done = referee_here("play", bots / "exits", bots / "crasher")

    assert done.returncode == 1
    assert "exits (seat 0) forfeits: failed to start (no Hello: its process" in done.stdout
    assert "crasher (seat 1) forfeits: disconnected (the bot ended its stream" in done.stdout
    assert done.stderr.endswith(
        "\nerror: exits (seat 0) did not start: no Hello: its process exited with status 7.\n"
    )


def test_a_bot_that_is_not_built_is_told_to_be(referee_here: Command, tmp_path: Path) -> None:
    """The line names the command that builds it, with the folder as it was given."""
    folder = tmp_path / "my bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(f'{RIGHT}build = [["make"]]\n')
    done = referee_here("play", "--quiet", folder)

    assert done.returncode == 1
    assert done.stderr.endswith(
        "did not start: './bot' cannot be started: No such file or directory. "
        f"Is it built? Try: referee build '{folder}'\n"
    )


def test_many_records_are_checked_at_once(referee_here: Command, files: Path) -> None:
    """Each has its lines; the last word names those that are not true."""
    right, edited = files / "match.json", files / "edited.json"
    done = referee_here("verify", right, edited, right)
    lines = done.stdout.splitlines()

    assert done.returncode == 1
    assert lines[0] == lines[2] == f"{right}: true in every field"
    assert lines[1].startswith(f"{edited}: outcomes[1].points: it is ")
    assert done.stderr == f"error: not true in every field: {edited}\n"


def test_a_replay_can_be_a_seats(referee_here: Command, files: Path) -> None:
    """With --seat only that seat's cards are named before the end."""
    done = referee_here("replay", files / "match.json", "--seat", 2)
    record = load_record(files / "match.json")
    playing, _, _ = done.stdout.partition("\nFamily ")
    own = [
        *record.deal.courtisans.hands[2].cards,
        *(
            card
            for event in record.events
            if event.game.courtisans.turn_played.seat == 2
            for card in event.game.courtisans.turn_played.drawn
        ),
    ]
    families = ("", "butterfly", "toad", "nightingale", "hare", "stag", "carp")
    own_spies = {f"{families[card.family]} spy" for card in own if card.role == 3}

    assert done.returncode == 0
    assert "As random (seat 2) saw it." in done.stdout
    assert set(re.findall(rf"(?:{'|'.join(families[1:])}) spy", playing)) <= own_spies
    assert "a spy, face down" in playing


@pytest.mark.costly
def test_output_fits_a_terminal_without_its_signs(files: Path) -> None:
    """Where ♛ and → cannot be written, a replay is still shown."""
    done = subprocess.run(
        [Path(sys.executable).parent / "referee", "replay", files / "match.json"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? Queen" not in done.stdout
    assert b"Courtisans ? 3 seats" in done.stdout


def test_paths_are_printed_as_they_are(referee_here: Command, tmp_path: Path) -> None:
    """Brackets and colons in a path are neither markup nor emoji."""
    folder = tmp_path / "[bold]:smile:[" / "]"
    folder.mkdir(parents=True)
    path = folder / "a match.json"
    played = referee_here("play", "--quiet", "--record", path)
    verified = referee_here("verify", path)

    assert played.stderr == f"The record is in {path}.\n"
    assert verified.stdout == f"{path}: true in every field\n"


# What does not work


WRONG: dict[str, tuple[tuple[Any, ...], str]] = {
    "no such bot": (("play", "no/where"), "no/where: no such file or folder"),
    "no such name": (
        ("play", "greed"),
        "no sample bot 'greed', only counter, greedy, llm, python-plain, random, searcher, shell-",
    ),
    "no manifest": (("play", "{files}/empty"), "empty: no bot.toml in this folder"),
    "an unknown key": (("play", "{files}/unknown_key"), 'bot.toml: unknown key "colour"'),
    "bad TOML": (("play", "{files}/bad_toml"), "bot.toml: not valid TOML: "),
    "deep TOML": (("play", "{files}/deep"), "bot.toml: not valid TOML: "),
    "a nasty name": (("play", "{files}/nasty"), '"name" must be one line of text'),
    "a long path": (("play", "x" * 300), "File name too long"),
    "another game's bot": (("play", "{files}/other_game"), "bot plays miracles, not courtisans"),
    "an unknown game": (("play", "--game", "chess"), "there is no game 'chess'"),
    "a bot for it": (
        ("play", "--game", "chess", "{files}/right"),
        "bot plays courtisans, not chess",
    ),
    "too many bots": (("play", *["{files}/right"] * 6), "has 2 to 5 seats, not 6"),
    "more bots than seats": (
        ("play", "--seats", 2, *["{files}/right"] * 3),
        "3 bots for 2 seats: name at most 2",
    ),
    "too few seats": (("play", "--seats", 1), "courtisans has 2 to 5 seats, not 1"),
    "negative seats": (("play", "--seats", -2), "courtisans has 2 to 5 seats, not -2"),
    "no number of seats": (("play", "--seats", "two"), "Invalid value for '--seats'"),
    "no setting": (("play", "--set", "spies"), "'spies' is not a setting: write KEY=VALUE"),
    "an unknown setting": (("play", "--set", "jokers=2"), "courtisans has no setting 'jokers'"),
    "a wrong setting": (
        ("play", "--set", "noble_weight_in_missions=9"),
        "noble_weight_in_missions must be 1 or 2, not 9",
    ),
    "no time": (("play", "--bank", 0), "the clock's bank is 0 s: it must be from 0.001"),
    "negative time": (("play", "--increment", -1), "increment is -1 s: it must be from 0"),
    "endless time": (("play", "--startup", "inf"), "inf is not a time in seconds"),
    "no number of seconds": (("play", "--decision-limit", "nan"), "nan is not a time in seconds"),
    "far too much time": (("play", "--bank", "1e306"), "1e+306 is not a time in seconds"),
    "no text": (("play", "--seed", "\udcff"), "the seed is not UTF-8 text"),
    "no folder for the record": (
        ("play", "--quiet", "--record", "nowhere/x.json"),
        "nowhere/x.json: No such file or directory",
    ),
    "an impossible folder for the record": (
        ("play", "--quiet", "--record", f"{'x' * 300}/x.json"),
        "x.json: File name too long",
    ),
    "a file for the record's folder": (
        ("play", "--quiet", "--record", "{files}/list.json/x.json"),
        "list.json/x.json: Not a directory",
    ),
    "a folder as record": (("play", "--quiet", "--record", "."), ".: Is a directory"),
    "an unknown option": (("play", "--colour", "red"), "No such option: --colour"),
    "an unknown command": (("watch",), "No such command 'watch'"),
    "nothing to verify": (("verify",), "Missing argument 'RECORD'"),
    "no such record": (("verify", "nowhere.json"), "nowhere.json: No such file or directory"),
    "a garbled record": (("verify", "{files}/garbage.json"), "garbage.json: not UTF-8 text"),
    "a list": (("verify", "{files}/list.json"), "list.json: not a record: it is not a JSON object"),
    "a deep record": (("verify", "{files}/deep.json"), "deep.json: not a record: "),
    "a huge record": (("verify", "{files}/huge.json"), "huge.json: larger than 16777216 bytes"),
    "an edited record": (
        ("verify", "{files}/edited.json"),
        "not true in every field: {files}/edit",
    ),
    "nothing to replay": (("replay",), "Missing argument 'RECORD'"),
    "no such record to replay": (("replay", "nowhere.json"), "nowhere.json: No such file"),
    "a folder to replay": (("replay", "{files}"), "Is a directory"),
    "a garbled replay": (("replay", "{files}/garbage.json"), "garbage.json: not UTF-8 text"),
    "an impossible replay": (
        ("replay", "{files}/impossible.json"),
        "impossible.json: decisions[0].action: one card must go to an opponent's domain",
    ),
    "no such seat": (
        ("replay", "{files}/match.json", "--seat", 3),
        "match.json: there is no seat 3: the match has seats 0 to 2",
    ),
}


@pytest.mark.parametrize(("arguments", "problem"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_gets_one_clear_line(
    referee_here: Command, files: Path, arguments: tuple[Any, ...], problem: str
) -> None:
    """It stands on stderr, says what is wrong where, and the status is 1."""
    done = referee_here(*(str(argument).replace("{files}", str(files)) for argument in arguments))

    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert problem.replace("{files}", str(files)) in done.stderr


def test_a_record_that_cannot_be_read_keeps_no_other_from_being_checked(
    referee_here: Command, files: Path
) -> None:
    """Each file has its line, in order; the last word tells edited ones from unreadable ones."""
    right, edited = files / "match.json", files / "edited.json"
    done = referee_here("verify", right, "nowhere.json", files / "list.json", edited, right)
    lines = done.stdout.splitlines()

    assert done.returncode == 1
    assert lines[0] == lines[4] == f"{right}: true in every field"
    assert lines[1] == "nowhere.json: No such file or directory"
    assert lines[2] == f"{files / 'list.json'}: not a record: it is not a JSON object"
    assert lines[3].startswith(f"{edited}: outcomes[1].points: it is ")
    assert done.stderr == (
        f"error: not true in every field: {edited}; nowhere.json: No such file or directory; "
        f"{files / 'list.json'}: not a record: it is not a JSON object\n"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_help_tells_of_every_option(referee_here: Command, command: str) -> None:
    """Each option and each argument stands there, with a sentence about it."""
    done = referee_here(command, "--help")
    shown = " ".join(re.sub(r"[│╭╮╰╯─]", " ", done.stdout).split())
    click_command = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]

    assert (done.returncode, done.stderr) == (0, "")
    assert click_command.help.split("\n")[0] in shown
    for parameter in click_command.params:
        names = parameter.opts if parameter.param_type_name == "option" else [parameter.metavar]
        assert all(name in shown for name in names)
        assert parameter.help
        assert parameter.help.split()[0] in shown


@pytest.mark.costly
def test_help_tells_of_every_command(referee: Command) -> None:
    """Without arguments too."""
    for arguments in (["--help"], []):
        done = referee(*arguments)
        assert all(f" {command} " in done.stdout for command in COMMANDS)
        assert "Traceback" not in done.stderr


@pytest.mark.costly
def test_ctrl_c_ends_a_match_with_its_bots(
    waiting_bot: Path,
    asked: Callable[[Path], int],
    ends: Callable[[int], bool],
    random_bot: Path,
) -> None:
    """The status is 130, no bot and no folder stay, and there is no traceback."""
    temporary = waiting_bot / "tmp"
    temporary.mkdir()
    command = [
        Path(sys.executable).parent / "referee",
        "play",
        "--sandbox",
        "trusted",
        waiting_bot,
        random_bot,
    ]
    with subprocess.Popen(
        [*map(str, command), "--decision-limit", "3600", "--bank", "3600"],
        env=os.environ | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        bot = asked(waiting_bot)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate()

    assert process.returncode == 130
    assert "Traceback" not in output + errors
    assert ends(bot)
    assert list(temporary.iterdir()) == []


@pytest.mark.costly
def test_a_reader_that_has_gone_is_no_error(files: Path) -> None:
    """`referee replay … | head` ends quietly."""
    command = [str(Path(sys.executable).parent / "referee"), "replay", str(files / "match.json")]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)

    assert done.stderr == b""
    assert done.returncode == 1
