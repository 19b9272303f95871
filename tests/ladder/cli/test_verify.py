"""`ladder verify` shows how far it is, can be stopped and continued, and can draw a sample."""

import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

import ladder.cli.verify as command_module
from ladder.model.matches import MatchLine
from ladder.storage import verified, verify
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.submission.spars import ask
from referee.match.verify import Examined
from tests.support.ladders import Command, Ended
from tests.support.played_ladder import play_spars, played_ladder

pytestmark = pytest.mark.both_engines

MATCHES = 6
NONE_FOUND = f"No problem found in the files and {MATCHES} matches"


class Patient:
    """A played ladder, and the matches that `verify` replays."""

    def __init__(self, home: Home, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        """Note every match that is checked."""
        self.home = home
        self.replayed: list[str] = []
        self.stop_at: int | None = None
        self._command = command
        check = verify.check_match

        def checked(ladder: Ladder, match: MatchLine, *, is_spar: bool) -> Examined:
            if len(self.replayed) == self.stop_at:
                raise KeyboardInterrupt
            self.replayed.append(match.match_id)
            return check(ladder, match, is_spar=is_spar)

        monkeypatch.setattr(verify, "check_match", checked)

    def verify(self, *words: object, stop_at: int | None = None) -> Ended:
        """Run the command, and press Ctrl-C after `stop_at` matches."""
        self.replayed, self.stop_at = [], stop_at
        return self._command("verify", *words, "--ladder", self.home.path)

    def change(self, statement: str, **values: object) -> None:
        """Change the database."""
        with Ladder.open(self.home) as ladder, ladder.database.write() as tx:
            tx.execute(text(statement), values)

    def ids(self) -> list[str]:
        """Return the matches' ids, in order."""
        with Ladder.open(self.home) as ladder, ladder.database.read() as tx:
            found = tx.execute(text("select id from matches order by round, position"))
            return list(found.scalars())


@pytest.fixture
def patient(
    tmp_path: Path,
    enter: Any,
    make_bot: Any,
    command: Command,
    new_server: Callable[[], Server | None],
    monkeypatch: pytest.MonkeyPatch,
) -> Patient:
    """A played ladder to check."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = played_ladder(tmp_path / "ladder", enter, make_bot, new_server())
    return Patient(home, command, monkeypatch)


@pytest.mark.costly
def test_a_stopped_check_goes_on(patient: Patient) -> None:
    """After Ctrl-C, `--continue` replays the other matches only; afterwards nothing is left."""
    stopped = patient.verify(stop_at=4)
    assert stopped.status == 130
    assert stopped.out == "Checked 4 of 6 matches; `ladder verify --continue` goes on there.\n"

    again = patient.verify("--continue", stop_at=1)
    assert again.out == "Checked 5 of 6 matches; `ladder verify --continue` goes on there.\n"
    last = patient.verify("--continue")
    assert (last.status, last.out) == (0, f"{NONE_FOUND}, of which 5 were checked before.\n")
    assert patient.replayed == patient.ids()[5:]

    anew = patient.verify("--continue")
    assert anew.out == f"No earlier check is known: checking everything.\n{NONE_FOUND}.\n"
    assert patient.replayed == patient.ids()


CHANGES = {
    "a record": "update records set body = :packed where match_id = :match",
    "no record": "delete from records where match_id = :match",
    "points": "update seats set points = points + 1 where match_id = :match and seat = 0",
    "a deal": "update matches set deal = 'another' where id = :match",
    "a time": "update matches set finished_at = '2026-01-01T00:00:00+00:00' where id = :match",
    "who sat there": "update seats set version_id = 1 + version_id % 3 "
    "where match_id = :match and seat = 0",
    "the secret": "update ladder set secret = 'another'",
}


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_since_is_not_missed(patient: Patient, change: str) -> None:
    """If anything that was checked is another since, `--continue` says so and checks all anew."""
    patient.verify(stop_at=4)
    first = patient.ids()[0]
    known = {"match": first, "packed": zlib.compress(b"another")}
    patient.change(
        CHANGES[change], **{k: v for k, v in known.items() if f":{k}" in CHANGES[change]}
    )

    ended = patient.verify("--continue")

    assert "have changed: checking everything again.\n" in ended.out
    assert patient.replayed == patient.ids()


@pytest.mark.costly
def test_what_was_named_before_counts(patient: Patient) -> None:
    """Problems of matches that are not replayed again are counted, and give status 1."""
    patient.change("update matches set decisions = 1 where id = :match", match=patient.ids()[0])
    assert f"match {patient.ids()[0]}: decisions: " in patient.verify(stop_at=4).out

    ended = patient.verify("--continue")

    assert (ended.status, ended.out) == (1, "")
    assert (
        ended.err
        == "error: 1 problems found in 6 matches and the files, 1 of them reported before\n"
    )


@pytest.mark.costly
def test_a_new_version_checks_all(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version of Courtyard checked is checked anew."""
    patient.verify(stop_at=4)
    monkeypatch.setattr(verified, "REFEREE_VERSION", "99.0")

    assert "checking everything again" in patient.verify("--continue").out
    assert patient.replayed == patient.ids()


@pytest.mark.costly
def test_a_match_that_may_still_be_played_is_not_passed(patient: Patient) -> None:
    """The check goes on from before the first match that is open, so that none is left out."""
    late = patient.ids()[1]
    patient.change("update matches set state = 'planned' where id = :match", match=late)
    patient.verify(stop_at=4)
    patient.change("update matches set state = 'done' where id = :match", match=late)

    assert patient.verify("--continue").status == 0
    assert late in patient.replayed


@pytest.mark.costly
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            "update spar_matches set record = :packed where id = :match",
            "record is damaged",
        ),
        ("update spar_seats set points = points + 1 where match_id = :match", "outcomes: "),
        ("update spar_matches set position = 2 where id = :match", "match_id: it does not follow"),
    ],
)
def test_spars_are_replayed_too(patient: Patient, change: str, told: str) -> None:
    """Every check replays the spars after the rated matches, and names what is wrong in them."""
    with Ladder.open(patient.home) as ladder:
        ask(ladder, None, "ann", ["bob", "cat"], 2)
        sparred = play_spars(ladder)
    patient.verify(stop_at=MATCHES + 1)
    again = patient.verify("--continue")
    assert again.out == f"{NONE_FOUND.replace('6', '8')}, of which 6 were checked before.\n"
    assert patient.replayed == sparred

    named = {"match": sparred[0], "packed": zlib.compress(b"another")}
    patient.change(change, **{k: v for k, v in named.items() if f":{k}" in change})

    ended = patient.verify()
    assert ended.status == 1
    assert f"match {sparred[0]} of spar 1: " in ended.out
    assert told in ended.out


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("memory", ["", "[]", '{"matches": 6}', '{"matches": "6", "problems": 0}'])
def test_a_damaged_memory_is_none(patient: Patient, memory: str, tmp_path: Path) -> None:
    """Without a readable memory all is checked."""
    patient.verify(stop_at=4)
    (file,) = (tmp_path / "state" / "courtyard" / "verified").iterdir()
    assert json.loads(file.read_text())["matches"] == 4
    file.write_text(memory)

    assert patient.verify("--continue").status == 0
    assert patient.replayed == patient.ids()


@pytest.mark.costly
def test_a_sample(patient: Patient) -> None:
    """`--sample N` replays N matches, each once; all others are left out."""
    ended = patient.verify("--sample", 2)

    assert ended.out == f"No problem found in the files and 2 of {MATCHES} matches.\n"
    assert len({*patient.replayed}) == len(patient.replayed) == 2
    assert patient.verify("--sample", 99).out == f"{NONE_FOUND}.\n".replace("6", "6 of 6")


def test_a_sample_is_not_continued(patient: Patient) -> None:
    """`--sample` and `--continue` exclude each other."""
    assert patient.verify("--sample", 2, "--continue").err.startswith("error: --continue checks")


def test_a_long_ladder_is_told_of_at_once(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pipe, each part of the check of a long ladder has a line, and so has every while."""
    monkeypatch.setattr(command_module, "_MANY", MATCHES)
    monkeypatch.setattr(command_module, "_LINES_EVERY_S", -1.0)

    lines = patient.verify().out.splitlines()

    assert lines[:2] == ["Checking the database and the bots' files", "Checking the matches: 6"]
    assert lines[2].startswith("1 of 6 matches, ")
    assert lines[-2:] == ["Checking the ratings", f"{NONE_FOUND}."]
