"""`ladder spar` and `ladder spars`, here and elsewhere."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, spars
from tests.ladder.server.api.matches import finish_spar, some_record
from tests.support.api_server import serving
from tests.support.ladders import Command


def finished(ladder: Ladder, matches: int) -> list[str]:
    """Store results of the first matches to be played; return their ids."""
    with ladder.database.read() as tx:
        ids = [match.match_id for match in spars.open_matches(tx)][:matches]
    for match_id in ids:
        finish_spar(ladder, match_id, some_record("courtisans", 4))
    return ids


def test_the_owner_asks_while_another_process_plays(ladder: Ladder, command: Command) -> None:
    """The run that plays the ladder plays these, too; then all is there to see."""
    here = ("--ladder", ladder.home.path)
    with ladder.locked():
        asked = command("spar", "ann", "bob", "cat", "--matches", 3, *here)
    ids = finished(ladder, 2)
    shown = command("spars", 1, *here)
    log = command("spars", 1, "--match", ids[0][:8], *here)

    assert (asked.status, asked.err) == (0, "")
    assert "plays these, too" in asked.out
    assert "Spar 1: ann version 1, 2 of 3 matches played." in shown.out
    assert re.search(
        r"^bob@1 +2 +\d +\d +\d +[01]\.\d\d +0\.\d\d to [01]\.\d\d$", shown.out, re.MULTILINE
    )
    assert "seat 0" in log.out
    assert "planned" in shown.out
    listed = json.loads(command("spars", "--json", *here).out)
    assert [(each["id"], each["played"]) for each in listed] == [(1, 2)]


@pytest.mark.costly
def test_the_owner_needs_no_budget(ladder: Ladder, command: Command) -> None:
    """The budget is the authors'; `ladder settings` sets it."""
    here = ("--ladder", ladder.home.path)
    assert "0 a day" in command("settings", "--spar-matches-a-day", 0, *here).out
    with ladder.locked():
        assert command("spar", "ann", "bob", "--matches", 200, *here).status == 0
    assert "not played" not in command("spars", 1, "--withdraw", *here).out
    assert "200 void" in command("spars", 1, *here).out


@pytest.fixture
def of_ann(ladder: Ladder) -> str:
    """Make bot ann the author ann's, and return her token."""
    with ladder.database.write() as tx:
        tx.exec_driver_sql("update bots set author = name where name in ('ann', 'bob')")
    return tokens.create(ladder, "ann")


@pytest.mark.costly
def test_an_author_asks_elsewhere(
    ladder: Ladder, of_ann: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --url the same commands ask, show, share and refuse in one line."""
    (tmp_path / "token").write_text(of_ann)
    monkeypatch.setenv("COURTYARD_TOKEN_FILE", str(tmp_path / "token"))
    with serving([ladder]) as address:
        monkeypatch.setenv("COURTYARD_URL", address)
        asked = command("spar", "ann", "bob", "--matches", 4)
        ids = finished(ladder, 2)
        shared = command("spars", 1, "--share")
        log = command("spars", 1, "--match", ids[1])
        refused: list[Any] = [
            command("spar", "ann", "bob", "--matches", 97),
            command("spar", "ann", "nobody"),
            command("spar", "bob", "ann"),
            command("spars", 2),
            command("spars", "--share"),
        ]
        closed = command("sparring", "ann", "--off")

    assert "Spar 1: 4 matches to be played." in asked.out
    assert f"Anyone may see these results at {address}/spars/" in shared.out
    assert "seat 1" in log.out
    for ended, told in zip(
        refused,
        (
            "96 more of today's 100",
            "no bot 'nobody'",
            "another author's",
            "no spar 2",
            "which spar",
        ),
        strict=True,
    ):
        assert (ended.status, ended.err.count("\n")) == (1, 1), ended
        assert told in ended.err
    assert "may not spar with ann" in closed.out
    with ladder.database.read() as tx:
        assert "ann" not in spars.open_bots(tx)
        assert bots.active(tx)
