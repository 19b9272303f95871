"""`referee play --browser SEAT`: one match on the pages of a table, without a ladder."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from referee.match.record import load_record
from referee.match.verify import verify
from tests.support.games import GAMES
from tests.support.visitors import Visitor

REFEREE = Path(sys.executable).with_name("referee")
WITHOUT = """
import sys
sys.modules["{package}"] = None
from referee.cli.app import main
main()
"""


@contextmanager
def playing(*arguments: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """Play with stand-ins; yield the command, and the link that it prints."""
    command = [str(REFEREE), "play", "--browser", "1", "--seats", "3", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        found = re.fullmatch(r"Open (http://127\.0\.0\.1:\S+#\S+) \(Ctrl-C ends\)\n", said)
        assert found, said
        try:
            yield process, found[1]
        finally:
            process.kill()


def seated(link: str) -> tuple[Visitor, str]:
    """The person, and the address of the table."""
    visitor = Visitor(urlsplit(link).netloc)
    return visitor, visitor.join(link)


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_and_told_as_at_the_terminal(game: str, tmp_path: Path) -> None:
    """The record is true; the pages stay until the person has seen enough."""
    record = tmp_path / "match.json"
    with playing("--game", game, "--record", str(record), "--quiet") as (process, link):
        visitor, table = seated(link)
        assert visitor.play(table)["state"] == "over"
        assert process.stdout is not None
        assert "person" in process.stdout.readline()
        assert verify(load_record(record)) == []
        assert load_record(record).seats[1].name == "person"
        for page in ("replay.html", "replay-file.html", "record.json", "compare?bot=greedy"):
            assert visitor.ask(f"{table}{page}")[0] == HTTPStatus.OK
        status, _, page = visitor.ask("/play/")
        assert (status, "This is one match" in page) == (HTTPStatus.OK, True)
        status, _, page = visitor.ask(f"{table}leave", {})
        assert (status, "this page can be closed" in page) == (HTTPStatus.OK, True)
        assert process.wait() == 0


@pytest.mark.costly
def test_the_match_begins_when_the_person_sits_down(tmp_path: Path) -> None:
    """By the link, as often as it is opened; the first name given there is in the record."""
    record = tmp_path / "match.json"
    with playing("--record", str(record), "--quiet") as (process, link):
        person = Visitor(urlsplit(link).netloc)
        table = urlsplit(link).path.removesuffix("join")
        seen = person.state(table)
        assert (seen["state"], seen["film"], seen["seats"][1]["taken"]) == ("lobby", None, False)
        person.join(link, "Ada")
        seen = Visitor(person.host).state(table)
        assert (seen["state"], seen["seats"][1]["name"]) == ("playing", "Ada")
        again, _ = seated(link)
        assert again.question(table) == person.question(table)
        person.play(table)
        assert process.stdout is not None
        assert "Ada" in process.stdout.readline()
    assert load_record(record).seats[1].name == "Ada"


@pytest.mark.costly
def test_a_bot_says_what_it_would_do() -> None:
    """Whoever started the command wanted it to."""
    with playing("--hints", "greedy") as (_, link):
        visitor, table = seated(link)
        assert visitor.hint(table)["steps"]


@pytest.mark.costly
def test_ctrl_c_ends_a_match_that_has_not_begun() -> None:
    """Whoever has not opened the link need not."""
    with playing() as (process, _):
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.costly
def test_a_stranger_gets_no_seat() -> None:
    """Whoever comes without the link's secret sees what is public, and ends nothing."""
    with playing() as (process, link):
        person, table = seated(link)
        question = person.question(table)
        stranger = Visitor(person.host)
        assert stranger.state(table)["film"]["own"] == {}
        answer = {"question": question["question"], "option": 0}
        assert stranger.answer(table, answer) == HTTPStatus.FORBIDDEN
        assert stranger.ask(f"{table}leave", {})[0] == HTTPStatus.FORBIDDEN
        assert stranger.ask("/play/x/state")[0] == HTTPStatus.NOT_FOUND
        assert person.question(table) == question
        assert process.poll() is None


@pytest.mark.costly
def test_who_leaves_gets_no_record(tmp_path: Path) -> None:
    """As at the terminal, the command says so, and succeeds."""
    record = tmp_path / "match.json"
    with playing("--record", str(record)) as (process, link):
        visitor, table = seated(link)
        visitor.ask(f"{table}leave", {})
        assert process.wait() == 0
        assert process.stdout is not None
        assert process.stdout.read() == "You left the match: it has no result and no record.\n"
    assert not record.exists()


@pytest.mark.costly
def test_ctrl_c_ends_a_match_at_once() -> None:
    """With the status of an interrupted command, and without a word."""
    with playing() as (process, link):
        visitor, table = seated(link)
        visitor.question(table)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
        assert process.stderr is not None
        assert process.stderr.read() == ""


@pytest.mark.costly
def test_ctrl_c_ends_the_pages_after_a_match() -> None:
    """The command has done what it had to."""
    with playing("--quiet") as (process, link):
        visitor, table = seated(link)
        visitor.play(table)
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


@pytest.mark.costly
@pytest.mark.parametrize("package", ["ladder", "uvicorn", "jinja2"])
def test_without_the_pages_one_line_says_what_to_install(package: str) -> None:
    """The referee alone has no pages."""
    program = WITHOUT.format(package=package)
    command = [sys.executable, "-c", program, "play", "--browser", "0"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stderr == (
        f"error: --browser needs the package {package}: install Courtyard with its extra, "
        "as in `pip install '.[web]'` where its pyproject.toml is\n"
    )


def test_a_person_sits_at_one_place() -> None:
    """Not at the terminal and in a browser."""
    command = [str(REFEREE), "play", "--browser", "0", "--human", "0"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert ended.stderr == (
        "error: a person plays at the terminal or in a browser: --human or --browser\n"
    )
