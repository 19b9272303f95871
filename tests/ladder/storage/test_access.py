"""A user who may only read a ladder can read it; root leaves no files that lock others out."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ladder.model.errors import LockedError
from ladder.model.matches import PlannedMatch, Played
from ladder.storage.backup import back_up
from ladder.storage.db import engine
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from tests.support.lacking import need_program

COMMAND = Path(sys.executable).with_name("ladder")
IN_TURN = """
import ast, contextlib, io, json, sys
from ladder.cli.app import main

ended = []
for words in ast.literal_eval(sys.argv[1]):
    sys.argv = ["ladder", *words]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as exit:
            ended.append({"status": exit.code or 0, "out": out.getvalue(), "err": err.getvalue()})
print(json.dumps(ended))
"""
"""Runs commands in one process; prints how each has ended."""
Command = Callable[..., Any]


@pytest.fixture
def shown(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """A ladder with a match."""
    with ladder.database.write() as tx:
        match = PlannedMatch("a" * 32, 1, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.finish(tx, played(match, 1, 2, 3, 4))
    return ladder


@pytest.mark.costly
@pytest.mark.parametrize("in_use", [pytest.param(True, marks=pytest.mark.proof), False])
def test_a_ladder_in_a_place_that_can_only_be_read(
    ladder: Ladder, tmp_path: Path, *, in_use: bool
) -> None:
    """A ladder on a read-only mount can be read, even in use; a change says why it fails."""
    bwrap = need_program("bwrap", "apt-get install bubblewrap")
    if not in_use:
        ladder.database.close()
    place = str(ladder.home.path)

    commands = (
        ("standings",),
        ("export", str(tmp_path / "site")),
        ("retire", "ann"),
        ("run", "--rounds", "1"),
    )
    ended = subprocess.run(
        [
            *(bwrap, "--dev-bind", "/", "/", "--ro-bind", place, place, "--"),
            *(sys.executable, "-c", IN_TURN, str(commands)),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "COURTYARD_LADDER": place, "TMPDIR": str(tmp_path)},
        check=True,
    )
    standings, exported, retired, played = json.loads(ended.stdout)

    assert (standings["status"], standings["err"]) == (0, "")
    assert "ann" in standings["out"]
    assert (exported["status"], exported["err"]) == (0, "")
    assert (tmp_path / "site" / "index.html").is_file()
    assert (retired["status"], retired["err"]) == (
        1,
        f"error: {place}/ladder.db: it cannot be changed: it is in a place that can only be read\n",
    )
    assert played["status"] == 1
    assert played["err"].endswith(f"error: {place}/run.lock: Read-only file system\n")


def test_what_others_may_not_write_can_be_read(
    ladder: Ladder, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without write permission the ladder shows and verifies as ever, and gains no files."""
    home = ladder.home
    ladder.database.close()
    before = sorted(path.name for path in home.path.iterdir())
    really = os.open

    def no_permission(path: Any, flags: int, *others: Any, **more: Any) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY) and home.path in Path(path).parents:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return really(path, flags, *others, **more)

    def may(path: Any, mode: int, **_: Any) -> bool:
        return not (mode & os.W_OK and home.path in (Path(path), *Path(path).parents))

    monkeypatch.setattr(os, "open", no_permission)
    monkeypatch.setattr(os, "access", may)
    at = ("--ladder", home.path)

    assert command("standings", *at).status == 0
    assert command("token", "list", *at).status == 0
    assert "No problem found in the files and 0 matches" in command("verify", *at).out
    assert command("retire", "ann", *at).err == (
        f"error: {home.database}: it cannot be changed: you have no permission to write to it\n"
    )
    assert command("rerate", *at).err == f"error: {home.path}/run.lock: Permission denied\n"
    assert sorted(path.name for path in home.path.iterdir()) == before


def test_what_is_not_to_be_seen_is_not(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database in a folder without write permission is read-only too."""
    monkeypatch.setattr(os, "access", lambda path, *_, **__: Path(path).is_file())

    assert engine.obstacle(home.database) == "you have no permission to write to its folder"
    with closing(Ladder.open(home).database):
        pass


@pytest.mark.costly
def test_looking_at_a_database_in_use_leaves_its_locks(shown: Ladder) -> None:
    """While a process has a ladder open, no other process removes the log that it uses."""
    log = shown.home.database.with_name("ladder.db-wal")
    with shown.database.read() as tx:
        bots.active(tx)
    with Ladder.open(shown.home) as again:
        assert engine.obstacle(again.home.database) is None

    subprocess.run([COMMAND, "token", "create", "ann"], check=True, cwd=shown.home.path)

    assert log.exists()
    with shown.database.read() as tx:
        assert bots.active(tx)


def test_root_leaves_nothing_that_the_owner_cannot_use(
    shown: Ladder,
    command: Command,
    make_bot: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In another user's ladder root may read; a command that writes says which user to be."""
    home = shown.home
    shown.database.close()
    before = sorted(home.path.rglob("*"))
    if os.geteuid() == 0:
        os.chown(home.path, 4321, -1)
    as_root = SimpleNamespace(**{**vars(os), "geteuid": lambda: 0})
    monkeypatch.setattr("ladder.storage.files.folder.os", as_root)
    at = ("--ladder", home.path)

    assert command("standings", *at).status == 0
    for words in (["run"], ["rerate"], ["submit", make_bot("eve")]):
        ended = command(*words, *at)
        assert ended.status == 1
        assert f"{home.path} is " in ended.err
        assert "'s, who could not use what root leaves in it: run this as " in ended.err
    assert sorted(home.path.rglob("*")) == before


def test_backups_at_once(shown: Ladder, tmp_path: Path) -> None:
    """A second backup at the same time must wait, whatever files the first has left."""
    folder = tmp_path / "backup"
    folder.mkdir()
    (folder / "ladder.db.new-journal").touch()

    with Home(folder).locked(), pytest.raises(LockedError, match=f"process {os.getpid()} is at"):
        back_up(shown, folder)

    assert back_up(shown, folder).matches == 1
