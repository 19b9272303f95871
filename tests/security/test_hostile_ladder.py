"""A ladder's folder from a stranger: nothing happens outside of it, whatever it holds."""

import json
import os
import re
import shutil
import socket
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest

from ladder.model.settings import Deals
from ladder.model.tournaments import Kind
from ladder.scheduling import contest
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.storage.files.folder import Home
from ladder.storage.files.known import VARIABLE
from ladder.storage.ladder import Ladder
from tests.support.ladders import Command, Ended
from tests.support.made_once import made_once
from tests.support.new_ladder import new_ladder
from tests.support.played_ladder import played_ladder

READING = (
    *("standings", "standings --json", "standings --csv", "report", "report --html {new}.html"),
    *("bots", "show ann", "matches", "match {match}", "replay {match}", "log ann"),
    *("log ann {match}", "settings", "token list", "verify", "rerate", "export {new}"),
    *("backup {backup}", "withdraw ann"),
)
PLAYING = ("submit {bot}", "run --matches 1", "tournament swiss {ladder}", "retire ann")
FEW = (
    *("standings", "report", "bots", "matches", "log ann {match}", "verify", "export {new}"),
    *("backup {backup}", "submit {bot}", "run --matches 1"),
)
"""What stands for all of them where each of many folders is tried; the proof tries all."""
CLIPBOARD = "\x1b]52;c;aGFybQ==\x07\x9b2J\u202e"
"""Fills the clipboard, clears the screen, and turns the direction of the text."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A private folder, in which nothing may change and of which nothing may be told."""
    folder = tmp_path / "private"
    (folder / "folder").mkdir(parents=True)
    (folder / "folder" / "diary").write_text("SECRET")
    (folder / "file").write_text("SECRET")
    return folder


@pytest.fixture
def home(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    enter: Callable[..., object],
    make_bot: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Home:
    """A ladder that somebody else has made and played, perhaps on another machine."""
    made = made_once(
        tmp_path_factory, "club", lambda folder: played_ladder(folder, enter, make_bot)
    )
    found = Home(tmp_path / "received" / "club")
    shutil.copytree(made, found.path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    return found


@pytest.fixture
def match(home: Home) -> str:
    """The id of one of its matches."""
    return str(execute(home, "SELECT id FROM matches ORDER BY id LIMIT 1")[0][0])


@pytest.fixture
def all_commands(
    home: Home,
    match: str,
    tmp_path: Path,
    outside: Path,
    make_bot: Callable[..., Path],
    command: Command,
    request: pytest.FixtureRequest,
) -> Callable[[], dict[str, Ended]]:
    """Run commands on the ladder, and check what none of them may do."""
    bot = make_bot("eve")
    lines = (*READING, *PLAYING) if request.node.get_closest_marker("proof") else FEW

    def run() -> dict[str, Ended]:
        before, ended = state(outside), dict[str, Ended]()
        for words in lines:
            places = {
                "match": match[:12],
                "new": tmp_path / f"new-{len(ended)}",
                "backup": tmp_path / f"backup-{len(ended)}",
                "bot": bot,
                "ladder": home.path,
            }
            line = words.format(**places).split()
            on = () if line[0] == "tournament" else ("--ladder", home.path)
            done = ended[words] = command(*line, *on)
            assert state(outside) == before, words
            assert not {"\x1b", "\x9b", "\x07", "\u202e"} & {*done.out, *done.err}, words
            assert "SECRET" not in done.out + done.err, words
            assert "Traceback" not in done.err, words
            assert done.status == 0 or done.err.count("\n") <= 2, done.err
        copies = (path for path in tmp_path.rglob("*") if not path.is_relative_to(outside))
        assert not [
            path
            for path in copies
            if path.is_file() and not path.is_symlink() and b"SECRET" in path.read_bytes()
        ]
        return ended

    return run


def state(folder: Path) -> dict[str, object]:
    """Return all that there is to know of a folder."""
    found: dict[str, object] = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else sorted(map(str, path.iterdir()))
        found[str(path)] = status.st_mode, status.st_uid, status.st_mtime_ns, content
    return found


def execute(home: Home, statement: str, *values: object) -> list[tuple[object, ...]]:
    """Run a statement on the database as a stranger might, who heeds no rule."""
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        return connection.execute(statement, values).fetchall()


def digest(home: Home) -> str:
    """Return the digest of a bot's files."""
    return str(execute(home, "SELECT digest FROM versions LIMIT 1")[0][0])


def refused(ended: dict[str, Ended], *words: str) -> None:
    """Check that every command refuses the ladder, in one line with these words."""
    for line, done in ended.items():
        assert done.status == 1, line
        assert all(word in done.err for word in words), (line, done.err)


@pytest.mark.proof
def test_what_is_usual_is_read_and_not_refused(
    all_commands: Callable[[], dict[str, Ended]], home: Home
) -> None:
    """Without anything hostile, each command that reads works in a folder from elsewhere."""
    ended = all_commands()

    failed = {words: done.err for words, done in ended.items() if done.status}
    assert {words for words in failed if words in READING} <= {"withdraw ann"}, failed
    assert "is at work" not in str(failed)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("bots", "name", "../../../private/x"),
        ("bots", "name", "/etc/cron.d/x"),
        ("bots", "name", f"ann{CLIPBOARD}"),
        ("bots", "name", "--ladder=/"),
        ("bots", "author", f"ann{CLIPBOARD}"),
        ("matches", "id", "../../../private/x"),
        ("versions", "digest", "../../../../private/folder"),
        ("versions", "transport", "../x"),
        ("versions", "submitted_at", f"2026-01-01T00:00:00+00:00{CLIPBOARD}"),
        ("ladder", "title", CLIPBOARD),
        ("ladder", "title", "a\nb"),
        ("ladder", "ladder_id", "../../x"),
        ("ladder", "game", "../x"),
        ("ladder", "sandbox", "none"),
    ],
)
def test_a_name_that_no_ladder_has_is_damage(
    home: Home,
    all_commands: Callable[[], dict[str, Ended]],
    table: str,
    column: str,
    value: str,
) -> None:
    """It becomes no path, no option and no command to the terminal."""
    of = f"SELECT min(rowid) FROM {table}"  # noqa: S608 -- ours
    execute(home, f"UPDATE {table} SET {column} = ? WHERE rowid = ({of})", value)  # noqa: S608

    ended = all_commands()

    assert ended["verify"].status == 1
    assert " is not " in ended["verify"].out or "damaged" in ended["verify"].err


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE matches SET state = 'void', reason = ?", "matches"),
        ("UPDATE versions SET rejected = ?", "bots"),
        ("UPDATE outputs SET body = ?", "log ann"),
        ("UPDATE trials SET printed = ?, build_log = printed", "log ann --version 1"),
        ("UPDATE directives SET why = ?", "verify"),
        ("UPDATE ladder SET contest = json_object('kind', ?)", "standings"),
    ],
)
def test_texts_command_no_terminal(
    home: Home, all_commands: Callable[[], dict[str, Ended]], statement: str, words: str
) -> None:
    """Reasons, outputs and logs may hold anything; nothing of it reaches the terminal as it is."""
    packed = "outputs" in statement or "trials" in statement
    text = f"{CLIPBOARD}here"
    execute(home, statement, zlib.compress(text.encode()) if packed else text)

    all_commands()


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("place", "target"),
    [
        ("bots/{digest}", "folder"),
        ("bots/{digest}.build", "folder"),
        ("bots/.build-{digest}", "folder"),
        ("bots", "."),
        ("uploads", "folder"),
        ("run.lock", "file"),
        ("submit.lock", "file"),
        ("next.lock", "new"),
        ("submit-1.lock", "new"),
        ("ladder.db-journal", "new"),
        ("ladder.db-wal", "file"),
        ("ladder.db.before-0014", "file"),
        ("database.url", "file"),
    ],
)
def test_a_link_leads_nowhere(
    home: Home,
    outside: Path,
    all_commands: Callable[[], dict[str, Ended]],
    place: str,
    target: str,
) -> None:
    """A link in place of a ladder's file or a bot's folder is refused, not followed."""
    link = home.path / place.format(digest=digest(home))
    if link.exists():
        link.rename(home.path / "away")
    link.symlink_to(outside / target)

    refused(all_commands(), "a link")


def test_a_database_elsewhere_is_not_read(
    home: Home, outside: Path, all_commands: Callable[[], dict[str, Ended]]
) -> None:
    """A link in place of the database leads to no other ladder."""
    home.database.rename(outside / "ladder.db")
    home.database.symlink_to(outside / "ladder.db")
    execute(Home(outside), "PRAGMA journal_mode = DELETE")

    refused(all_commands(), "a link")


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A stranger's server, which must not be called."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        yield server


@pytest.mark.parametrize("more", ["", "?passfile=/etc/passwd", "?sslmode=disable&password=x"])
def test_no_server_gets_a_password(
    home: Home,
    listening: socket.socket,
    all_commands: Callable[[], dict[str, Ended]],
    monkeypatch: pytest.MonkeyPatch,
    more: str,
) -> None:
    """A server that a folder names is not even connected to before somebody confirms it."""
    monkeypatch.setenv("PGPASSWORD", "SECRET")
    ended = all_commands
    home.database.unlink()
    port = listening.getsockname()[1]
    home.url_file.write_text(f"postgresql://me@127.0.0.1:{port}/x{more}\n")

    refused(ended(), "127.0.0.1", "ladder trust")

    with pytest.raises(BlockingIOError):
        listening.accept()


def test_a_folder_chooses_no_level_without_walls(
    home: Home, command: Command, make_bot: Callable[..., Path]
) -> None:
    """What runs bots is refused at `trusted` until it is confirmed; what reads is not."""
    for words in (("submit", make_bot("eve")), ("run", "--matches", 1)):
        ended = command(*words, "--ladder", home.path)
        assert ended.status == 1
        assert "'trusted'" in ended.err
        assert "ladder trust" in ended.err
    assert command("standings", "--ladder", home.path).status == 0


def test_once_confirmed_it_may_do_what_it_asks_for(
    home: Home, command: Command, make_bot: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ladder trust` says what that is, asks, and is asked no more; another folder is not meant."""
    eve = make_bot("eve")
    asked = command("trust", home.path)
    assert "uncontained" in asked.out
    assert (
        asked.err == "error: there is no terminal to confirm it at: repeat the command with --yes\n"
    )
    assert command("submit", eve, "--ladder", home.path).status == 1

    assert command("trust", home.path, "--yes").status == 0

    assert command("submit", eve, "--ladder", home.path).status == 0
    moved = home.path.rename(home.path.with_name("another"))
    assert command("submit", make_bot("fay"), "--ladder", moved).status == 1
    monkeypatch.setenv(VARIABLE, str(moved))
    assert command("submit", make_bot("fay"), "--ladder", moved).status == 0


def test_another_ladder_in_the_place_of_a_known_one_is_not_known(
    home: Home, command: Command, make_bot: Callable[..., Path]
) -> None:
    """What was confirmed is a ladder in its folder, not whatever is put there."""
    command("trust", home.path, "--yes")
    execute(home, "UPDATE ladder SET ladder_id = ?", "0" * 32)

    assert "ladder trust" in command("submit", make_bot("eve"), "--ladder", home.path).err


def test_who_makes_a_ladder_is_never_asked(
    tmp_path: Path, command: Command, make_bot: Callable[..., Path], home: Home
) -> None:
    """A new ladder and a backup of it do what their owner chose."""
    new, copied = tmp_path / "new", tmp_path / "copied"
    assert command("init", new, "--sandbox", "trusted").status == 0
    assert command("submit", make_bot("eve"), "--ladder", new).status == 0
    assert command("backup", copied, "--ladder", new).status == 0

    assert command("submit", make_bot("fay"), "--ladder", copied).status == 0


def test_builds_of_a_strangers_folder_have_no_network(home: Home, command: Command) -> None:
    """Its setting counts once the folder is confirmed."""
    assert re.search("build network +nobody", command("settings", "--ladder", home.path).out)
    command("trust", home.path, "--yes")
    assert re.search("build network +owner", command("settings", "--ladder", home.path).out)


def test_a_folder_fetches_no_bots_of_the_user(
    home: Home, tmp_path: Path, command: Command, make_bot: Callable[..., Path]
) -> None:
    """A contest that somebody else began takes no bot from a folder that it names itself."""
    plan = asdict(TournamentPlan(Kind.ROUND_ROBIN, ()))
    words = tuple(str(make_bot(name)) for name in ("eve", "fay"))
    made = new_ladder(tmp_path / "cup", "a seed", seats=2, deals=Deals.DUPLICATE)
    with Ladder.open(made) as ladder:
        contest.prepare(ladder, contest.Draft(words, None, None, plan))
    stranger = made.path.rename(tmp_path / "received" / "cup")

    ended = command("tournament", "round-robin", stranger)

    assert ended.status == 1
    assert ended.err.count("\n") == 1
    assert "ladder trust" in ended.err
    assert not [*stranger.rglob("bot.py")]


def memory(folder: Path, *paths: str, program: str = "") -> None:
    """Let a folder look like an earlier export of these files."""
    folder.mkdir(exist_ok=True)
    told = {"program": program, "files": list(paths)}
    (folder / ".courtyard-site.json").write_text(json.dumps(told))


@pytest.mark.sweep
@pytest.mark.parametrize(
    "hostile",
    [
        "../private/file",
        "{outside}/file",
        "bots/../../private/file",
        "linked/file",
        "linked/folder/diary",
        "\0",
    ],
)
def test_an_export_removes_nothing_outside_its_folder(
    home: Home, outside: Path, tmp_path: Path, command: Command, hostile: str
) -> None:
    """The list of an earlier export names no other files than its own."""
    site, before = tmp_path / "site", state(outside)
    memory(site, hostile.format(outside=outside))
    (site / "linked").symlink_to(outside)

    assert command("export", site, "--ladder", home.path).status == 0

    assert state(outside) == before
    assert (site / "index.html").is_file()


@pytest.mark.sweep
@pytest.mark.parametrize("folder", ["bots", "rounds", "matches", "static"])
def test_an_export_writes_nothing_outside_its_folder(
    home: Home, outside: Path, tmp_path: Path, command: Command, folder: str
) -> None:
    """A link in place of one of its folders is refused in one line."""
    site, before = tmp_path / "site", state(outside)
    memory(site, f"{folder}/index.html")
    (site / folder).symlink_to(outside)

    ended = command("export", site, "--ladder", home.path)

    assert ended.status == 1
    assert ended.err == f"error: {site / folder}: this link leaves the folder of the site\n"
    assert state(outside) == before


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["index.html", "index.html.new", ".courtyard-site.json.new"])
def test_an_export_follows_no_link_in_place_of_a_file(
    home: Home, outside: Path, tmp_path: Path, command: Command, name: str
) -> None:
    """The link is replaced, and what it led to stays."""
    site, before = tmp_path / "site", state(outside)
    memory(site, "index.html")
    (site / name).symlink_to(outside / "file")

    assert command("export", site, "--ladder", home.path).status == 0

    assert state(outside) == before
    assert not (site / "index.html").is_symlink()


def test_an_export_waits_for_no_pipe(home: Home, tmp_path: Path, command: Command) -> None:
    """A pipe in place of the list of files is a damaged one."""
    site = tmp_path / "site"
    site.mkdir()
    os.mkfifo(site / ".courtyard-site.json")

    assert "the file is damaged" in command("export", site, "--ladder", home.path).err
