"""A backup is a whole ladder, also of one being played, and can be updated."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ladder.model.errors import LadderError
from ladder.model.matches import PlannedMatch, Played
from ladder.results import queries
from ladder.storage.backup import Backup, back_up
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.verify import check_files
from tests.support.new_ladder import new_ladder

MakeBot = Callable[..., Path]
Enter = Callable[..., object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder for backups."""
    return tmp_path / "backups" / "ladder"


def add_match(ladder: Ladder, played: Callable[..., Played], number: int) -> None:
    """Store a finished match."""
    with ladder.database.write() as tx:
        match = PlannedMatch(f"{number:064x}", number, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.start(tx, match.match_id)
        matches.finish(tx, played(match, 1, 2, 3, 4))


def test_a_backup_is_a_ladder(ladder: Ladder, folder: Path, played: Callable[..., Played]) -> None:
    """A backup holds all matches and files, verifies, and only its owner may read it."""
    add_match(ladder, played, 1)

    assert back_up(ladder, folder) == Backup(matches=1, bundles=4, copied=4)

    with Ladder.open(Home(folder)) as copy:
        assert [match.match_id for match in queries.latest(copy, 9)] == [f"{1:064x}"]
        assert copy.settings == ladder.settings
        assert list(check_files(copy.home, copy.database)) == []
    assert (folder / "ladder.db").stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.costly
def test_a_backup_is_brought_up_to_date(
    ladder: Ladder,
    folder: Path,
    played: Callable[..., Played],
    make_bot: MakeBot,
    enter: Enter,
) -> None:
    """`back_up` copies only new files, even while a run plays."""
    back_up(ladder, folder)
    add_match(ladder, played, 1)
    enter(ladder, make_bot("eve"))

    with ladder.home.locked():
        assert back_up(ladder, folder) == Backup(matches=1, bundles=5, copied=1)
    with Ladder.open(Home(folder)) as copy:
        assert list(check_files(copy.home, copy.database)) == []


@pytest.mark.costly
def test_a_backup_that_was_interrupted_is_made_again(
    ladder: Ladder, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted backup keeps the old one; the next leaves nothing of the draft."""
    back_up(ladder, folder)
    before = (folder / "ladder.db").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            back_up(ladder, folder)
    assert (folder / "ladder.db").read_bytes() == before

    back_up(ladder, folder)

    assert {item.name for item in folder.iterdir()} == {"bots", "ladder.db", "run.lock"}


def test_nothing_else_is_written_over(
    ladder: Ladder, folder: Path, tmp_path: Path, played: Callable[..., Played]
) -> None:
    """`back_up` overwrites neither this ladder, another, one played on, nor a foreign folder."""
    other = new_ladder(tmp_path / "other", "other")
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "letter").touch()
    back_up(ladder, folder)
    with Ladder.open(Home(folder)) as copy:
        add_match(copy, played, 1)

    for target, why in (
        (ladder.home.path, "this is the ladder itself"),
        (other.path, "this is another ladder"),
        (folder, "it has been played since the backup"),
        (tmp_path / "papers", "it contains letter"),
        (tmp_path / "papers" / "letter", "File exists"),
    ):
        with pytest.raises(LadderError, match=why):
            back_up(ladder, target)


def test_a_damaged_ladder_is_not_backed_up(ladder: Ladder, folder: Path) -> None:
    """`back_up` names missing or changed files, and keeps the earlier backup."""
    back_up(ladder, folder)
    with ladder.database.read() as tx:
        version = bots.active(tx)[0]
    program = ladder.home.bundle(version.digest) / "bot.py"
    program.chmod(0o644)
    program.write_text("something else")

    with pytest.raises(LadderError, match=f"{version}: its files were changed"):
        back_up(ladder, folder.with_name("new"))
    assert not (folder.with_name("new") / "ladder.db").exists()


def test_the_command(home: Home, tmp_path: Path, command: Callable[..., Any]) -> None:
    """`ladder backup` says what the backup holds."""
    ended = command("backup", tmp_path / "copy", "--ladder", home.path)

    assert ended.out == (
        f"{tmp_path / 'copy'} holds 0 matches and the files of 0 versions, 0 new.\n"
    )
