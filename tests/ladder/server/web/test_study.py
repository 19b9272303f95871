"""A study at tables: consent, conditions, and the file of decisions."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ladder.model.errors import LadderError
from ladder.server.tables.study import study_in
from tests.ladder.server.web.conftest import COMMAND, Reader, serving
from tests.ladder.server.web.looks import amiss, keep_picture
from tests.support.new_ladder import new_ladder
from tests.support.visitors import Visitor
from tests.support.waiting import until

SEATS = {"seat0": "me", "seat1": "stand-in", "seat2": "stand-in"}
SENTENCE = "I am 18 & agree."
AGREED = {**SEATS, "consent": "yes"}


@dataclass(frozen=True)
class Place:
    """A server of a study."""

    host: str
    file: Path

    def lines(self, table: str) -> list[Any]:
        """The decisions of a table, once they are kept."""

        def kept() -> list[Any]:
            text = self.file.read_text() if self.file.exists() else ""
            lines = [json.loads(line) for line in text.splitlines()]
            return [line for line in lines if line["table"] == table.split("/")[-2]]

        return until(kept)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Serve a ladder with tables and a study that asks for consent."""
    folder = tmp_path_factory.mktemp("studied")
    home = new_ladder(folder / "ladder", "study", seats=3)
    study = folder / "study"
    study.mkdir()
    (study / "consent.txt").write_text(f"{SENTENCE}\n")
    with serving(home.path, options=("--tables", "2", "--study", str(study))) as address:
        yield Place(urlsplit(address).netloc, study / "decisions.jsonl")


@pytest.fixture
def visitor(place: Place) -> Visitor:
    """A visitor without cookies."""
    return Visitor(place.host)


def opened(visitor: Visitor, **fields: str) -> str:
    """Open a table with consent; return its address."""
    status, headers, page = visitor.ask("/play/", {**AGREED, **fields})
    assert status == HTTPStatus.SEE_OTHER, page
    return headers["location"]


@pytest.mark.costly
def test_each_decision_of_a_match_is_a_line(place: Place, visitor: Visitor) -> None:
    """With its condition, what the seat knew, a hint, and every step, also those taken back."""
    assert 'name="condition" value="B-2"' in visitor.ask("/play/?condition=B-2")[2]
    table = opened(visitor, condition="B-2", name="Ada Lovelace", hints="random")
    hint = visitor.hint(table)
    for option in (0, "back"):
        asked = visitor.question(table)
        visitor.answer(table, {"question": asked["question"], "option": option})
    visitor.play(table)
    assert 'href="../../play/?condition=B-2"' in visitor.ask(table)[2]

    lines = place.lines(table)
    assert [line["decision"] for line in lines] == [*range(1, len(lines) + 1)]
    for line in lines:
        assert line["condition"] == "B-2"
        assert (line["game"], line["seat"], line["finished"]) == ("courtisans", 0, True)
        assert line["hints"] == "random"
        assert line["players"] == ["person", "stand-in", "stand-in"]
        assert line["facts"]["seat"] == 0
        assert line["facts"]["hand"]
        assert line["missed"] is False
        assert line["seconds"] == pytest.approx(sum(step["seconds"] for step in line["steps"]))
    assert [line["hint"] for line in lines] == [hint["steps"], *[None] * (len(lines) - 1)]
    taken = [step["taken"] for step in lines[0]["steps"]]
    assert taken[:2] == [0, None]
    first, again = lines[0]["steps"][0], lines[0]["steps"][2]
    assert (first["prompt"], first["options"]) == (again["prompt"], again["options"])
    assert all(taken is not None for line in lines[1:] for taken in [line["steps"][0]["taken"]])
    assert "Ada" not in place.file.read_text()


def test_no_seat_without_consent(visitor: Visitor) -> None:
    """Neither for the person who opens the table nor for one who is invited."""
    page = visitor.ask("/play/")[2]
    assert "keeps each decision" in page
    assert "I am 18 &amp; agree." in page
    for fields in (SEATS, {**SEATS, "consent": ""}):
        status, _, page = visitor.ask("/play/", fields)
        assert (status, "who agree to this" in page) == (HTTPStatus.BAD_REQUEST, True)
    table = opened(visitor, seat1="person")
    ((_, secret),) = visitor.state(table)["invitations"]
    guest = Visitor(visitor.host)
    assert "I am 18 &amp; agree." in guest.ask(f"{table}join")[2]
    invitation = {"invitation": secret}
    assert guest.ask(f"{table}join", invitation)[0] == HTTPStatus.BAD_REQUEST
    assert visitor.state(table)["state"] == "lobby"
    agreed = {**invitation, "consent": "yes"}
    assert guest.ask(f"{table}join", agreed)[0] == HTTPStatus.SEE_OTHER
    for each in (visitor, guest):
        each.ask(f"{table}leave", {})


def test_who_leaves_leaves_complete_decisions(place: Place, visitor: Visitor) -> None:
    """Those of a match without an end say so."""
    table = opened(visitor)
    begun = 0
    while begun < 2:  # the second one is left open
        asked = visitor.question(table)
        begun += not asked["taken"]
        if begun < 2:
            visitor.answer(table, {"question": asked["question"], "option": 0})
    visitor.ask(f"{table}leave", {})

    (line,) = place.lines(table)
    assert (line["condition"], line["decision"], line["finished"]) == ("", 1, False)


@pytest.mark.parametrize("condition", ["a b", "é", "x" * 33, "<b>"])
def test_a_strange_condition_is_refused(visitor: Visitor, condition: str) -> None:
    """On the way in and in the form."""
    status, _, page = visitor.ask("/play/", {**AGREED, "condition": condition})
    assert (status, "The condition in the link" in page) == (HTTPStatus.BAD_REQUEST, True)


def test_the_way_to_the_form_keeps_the_condition(visitor: Visitor) -> None:
    """Also without the last slash."""
    assert visitor.ask("/play?condition=B")[1]["location"] == "/play/?condition=B"


@pytest.mark.parametrize("text", [b"", b" \n", b"\xff"])
def test_a_sentence_that_is_none_is_told(tmp_path: Path, text: bytes) -> None:
    """With its file, which the owner is to write or to remove."""
    path = tmp_path / "consent.txt"
    path.write_bytes(text)
    with pytest.raises(LadderError, match=f"^{path}"):
        study_in(tmp_path)


def test_a_study_needs_tables(tmp_path: Path) -> None:
    """In one line."""
    command = [str(COMMAND), "serve", "--study", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "error: --study needs --tables: it keeps what people decide there\n"


def test_the_forms_of_a_study_are_accessible(place: Place, visitor: Visitor, phone: Reader) -> None:
    """They fit a phone's screen."""
    table = opened(visitor)
    for path in ("/play/?condition=B", f"{table}join"):
        page = phone.open(f"http://{place.host}{path}")
        assert amiss(page) == []
    keep_picture(phone.open(f"http://{place.host}/play/"), "play-study-phone")
    visitor.ask(f"{table}leave", {})
