"""A ladder whose database is on a PostgreSQL server."""

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.pool import Pool

from ladder.model.errors import LockedError, StoreError, UnreachableError
from ladder.model.matches import PlannedMatch, Played
from ladder.server.public.reader import PublicReader
from ladder.storage.db.server import Server
from ladder.storage.files.folder import Home, find_home
from ladder.storage.files.known import remember
from ladder.storage.ladder import Ladder
from ladder.storage.names import bots as names_of_bots
from ladder.storage.names import matches as names_of_matches
from ladder.storage.tables import bots, match_lines, matches
from tests.support.ladders import Command, Ended, Enter, MakeBot
from tests.support.new_ladder import new_ladder
from tests.support.played_ladder import played_ladder
from tests.support.postgresql import Cluster

NOWHERE = "postgresql://ann:sesame@127.0.0.1:1/ladders"


@pytest.fixture
def server(server_database: Server) -> Server:
    """All ladders here are on a server."""
    return server_database


@pytest.fixture
def shown(ladder: Ladder, played: Callable[..., Played]) -> Ladder:
    """A ladder with a match."""
    with ladder.database.write() as tx:
        match = PlannedMatch("a" * 64, 1, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.finish(tx, played(match, 1, 2, 3, 4))
    return ladder


def database_of(server: Server) -> str:
    """Return the name of a server's database."""
    return server.url.split("/")[3].partition("?")[0]


def refused(ended: Ended, said: str) -> None:
    """Check that a command failed in one line."""
    assert (ended.status, ended.err.count("\n")) == (1, 1), ended
    assert ended.err.startswith("error: "), ended
    assert said in ended.err, ended
    assert "sesame" not in ended.out + ended.err


def test_init_makes_a_ladder(tmp_path: Path, server: Server, command: Command) -> None:
    """`ladder init --database` puts tables on the server, and their URL in a folder, private."""
    folder = tmp_path / "club"

    made = command("init", folder, "--database", server.url, "--sandbox", "trusted")

    assert made.status == 0, made.err
    assert sorted(path.name for path in folder.iterdir()) == ["bots", "database.url"]
    assert (folder / "database.url").stat().st_mode & 0o777 == 0o600
    assert find_home(None, folder / "below").place == server
    assert "No rounds" not in command("standings", "--ladder", folder).err
    refused(
        command("init", tmp_path / "again", "--database", server.url),
        "there is a ladder in this database already",
    )
    refused(
        command("init", folder, "--database", server.url),
        "this folder already holds a ladder",
    )
    assert not (tmp_path / "again" / "database.url").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (NOWHERE, "postgresql://ann@127.0.0.1:1/ladders: the database cannot be used: "),
        ("mysql://ann:sesame@localhost/ladders", "has the form postgresql://USER@HOST/NAME"),
        ("postgresql://ann:sesame@x@localhost/ladders", "has the form postgresql://"),
        ("postgresql://ann:se%samesame@localhost/ladders", "libpq cannot read this URL"),
    ],
)
def test_a_server_that_cannot_be_used(
    tmp_path: Path, command: Command, url: str, said: str
) -> None:
    """A wrong URL or a server that is not there is an error of a line, without the password."""
    ended = command("init", tmp_path / "club", "--database", url)

    refused(ended, said)
    assert not (tmp_path / "club" / "database.url").exists()


def test_what_the_server_refuses(
    tmp_path: Path, cluster: Cluster, server: Server, command: Command
) -> None:
    """A wrong password, a missing database and a role without rights are each one line."""
    for role, login in (("locked", "password 'right'"), ("guest", "")):
        with suppress(psycopg.errors.DuplicateObject):
            cluster.execute(f"create role {role} login {login}")
    cluster.ask_password("locked")
    for url, said in (
        (server.url.replace("courtyard@", "locked:sesame@"), "password authentication failed"),
        (server.url.replace(database_of(server), "nowhere"), 'database "nowhere" does not exist'),
        (server.url.replace("courtyard@", "guest@"), "permission denied for schema public"),
    ):
        refused(command("init", tmp_path / "club", "--database", url), said)


def test_without_the_package(home: Home, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without psycopg a line names the extra to install."""
    monkeypatch.delitem(sys.modules, "ladder.storage.db.postgresql", raising=False)
    monkeypatch.delattr("ladder.storage.db.postgresql", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)

    ended = command("standings", "--ladder", home.path)

    refused(ended, "needs the package psycopg: install Courtyard with its extra, as in `pip")
    assert names_of_bots(home.place, "") == []


@pytest.mark.parametrize("content", ["", "nonsense", "\x00", "postgresql://a@b@c/d", "é" * 9000])
def test_a_url_that_is_none(home: Home, command: Command, content: str) -> None:
    """A file without a URL of a server is an error of a line."""
    home.url_file.write_text(content)

    refused(command("standings", "--ladder", home.path), f"{home.url_file}: ")


def test_a_database_without_a_ladder(home: Home, other_server: Server, command: Command) -> None:
    """A database that holds no ladder is told apart from one that cannot be reached."""
    home.write_url(other_server)

    refused(command("standings", "--ladder", home.path), "this is not a ladder's database")


def test_two_ladders_in_one_database(tmp_path: Path, cluster: Cluster, server: Server) -> None:
    """Each schema of a database holds a ladder of its own, with its own locks."""
    with ExitStack() as stack:
        for name in ("one", "two"):
            cluster.execute(f"create schema {name}", database_of(server))
            place = Server(f"{server.url}&options=-csearch_path%3D{name}")
            opened = stack.enter_context(
                Ladder.open(new_ladder(tmp_path / name, name, server=place))
            )
            stack.enter_context(opened.database.locked())
            stack.enter_context(opened.database.write())


def test_a_reader_sees_one_state_and_changes_nothing(ladder: Ladder) -> None:
    """A reading transaction sees the state of its start, and cannot write."""
    with ladder.database.read() as tx:
        before = bots.names(tx)
        ladder.retire("ann")
        assert [version.bot for version in bots.active(tx)] == list(before)
        with pytest.raises(StoreError, match="read-only transaction"):
            bots.retire(tx, "bob")


def test_writers_take_turns_from_their_start(ladder: Ladder) -> None:
    """While one transaction writes, others read, and a writer waits no longer than it wants."""
    with Ladder.open(ladder.home) as other, ladder.database.write() as tx:
        bots.retire(tx, "ann")
        with other.database.read() as seen:
            assert len(bots.active(seen)) == 4
        with (
            pytest.raises(StoreError, match="another process is writing to it"),
            other.database.write(patience_ms=10),
        ):
            pass
    with ladder.database.write() as tx:
        assert len(bots.active(tx)) == 3


def test_one_machine_plays(ladder: Ladder, tmp_path: Path) -> None:
    """Of two folders with one database, one plays or rates; the other says that it must wait."""
    twin = Home(tmp_path / "twin")
    shutil.copytree(ladder.home.path, twin.path)
    remember(twin.path, twin.server.url if twin.server else "")
    with Ladder.open(twin) as other:
        with ladder.locked(), pytest.raises(LockedError, match="perhaps on another machine"):
            other.change({"aim": "top"})
        other.change({"aim": "top"})


def test_a_player_that_lost_its_lock_stores_nothing(ladder: Ladder, cluster: Cluster) -> None:
    """If the server drops the connection that holds the lock, no more results are stored."""
    with ladder.locked():
        cluster.execute(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'"
        )
        with pytest.raises(StoreError, match="the database cannot be used"):
            ladder.retire("ann")
    assert ladder.retire("ann")


def test_a_lost_connection_is_made_again(ladder: Ladder, cluster: Cluster) -> None:
    """After the server has dropped its connections, the next transaction works."""
    drop = "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'test%'"

    def read() -> None:
        with ladder.database.read() as tx:
            cluster.execute(drop)
            bots.names(tx)

    with pytest.raises(StoreError, match="the database cannot be used"):
        read()
    cluster.execute(drop)

    assert ladder.retire("ann")


def test_a_connection_lost_at_a_bad_moment_is_only_an_error(
    ladder: Ladder, cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """A connection dropped just before a transaction begins is one error, without a traceback."""
    drop = "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'test%'"

    def lose(*_: object) -> None:
        cluster.execute(drop)

    event.listen(Pool, "checkout", lose)
    try:
        with pytest.raises(UnreachableError, match="the database cannot be used"):
            ladder.retire("ann")
    finally:
        event.remove(Pool, "checkout", lose)

    assert caplog.records == []
    assert ladder.retire("ann")


@pytest.mark.costly
def test_a_role_that_may_only_read(
    tmp_path: Path,
    cluster: Cluster,
    server: Server,
    command: Command,
    enter: Enter,
    make_bot: MakeBot,
) -> None:
    """On another machine, a folder with the URL of such a role shows the ladder, and only that."""
    home = played_ladder(tmp_path / "ladder", enter, make_bot, server)
    with Ladder.open(home) as ladder:
        ladder.change({"title": "Spring cup"})
    with suppress(psycopg.errors.DuplicateObject):
        cluster.execute("create role reader login")
    grant = "grant select on all tables in schema public to reader"
    cluster.execute(grant, database_of(server))
    there = Home(tmp_path / "elsewhere")
    there.path.mkdir()
    there.write_url(Server(server.url.replace("courtyard@", "reader@")))

    standings = command("standings", "--ladder", there.path)
    exported = command("export", tmp_path / "site", "--ladder", there.path)
    with Ladder.open(there) as ladder:
        newest = PublicReader(ladder).snapshot()

    assert (standings.status, standings.err) == (0, "")
    assert standings.out == command("standings", "--ladder", home.path).out
    assert (exported.status, exported.err) == (0, "")
    assert len(newest.finished) == 6
    for words in (("retire", "ann"), ("run", "--rounds", "1"), ("rerate",)):
        refused(
            command(*words, "--ladder", there.path),
            "it cannot be changed: the role reader has no permission to write to it",
        )


def test_orders_are_those_of_bytes(ladder: Ladder, make_bot: MakeBot, enter: Enter) -> None:
    """Names are ordered as on SQLite, by bytes, whatever language the server speaks."""
    for name in ("ab", "a-c", "a_a", "a1"):
        enter(ladder, make_bot(name))
    with ladder.database.read() as tx:
        english = tx.execute(text('select name from bots order by name collate "en-x-icu"'))
        found = list(bots.names(tx))
        assert list(english.scalars()) != found

    assert found == sorted(found)


def test_no_text_holds_nul(shown: Ladder) -> None:
    """A NUL, which a server's texts cannot hold, is stored as the character for what cannot be."""
    with shown.database.write() as tx:
        match = PlannedMatch("b" * 64, 2, 0, tuple(bots.active(tx)))
        matches.add(tx, [match])
        matches.fail(tx, match.match_id, "it said \0", None)
    with shown.database.read() as tx:
        line = match_lines.line(tx, "b" * 64, bots.all_versions(tx))

    assert line.reason == "it said \ufffd"


def test_stamps(shown: Ladder) -> None:
    """What follows the ladder looks again when something was stored, and only then."""
    source = PublicReader(shown)
    first = source.stamp()
    source.snapshot()
    again = source.stamp()
    shown.retire("ann")

    assert source.stamp() != again
    shown.home.url_file.touch()
    assert first is not None


def test_names_for_completion(shown: Ladder) -> None:
    """A shell gets the names from the server; from one that is gone, none."""
    assert names_of_bots(shown.home.place, "c") == ["cat"]
    assert names_of_matches(shown.home.place, "aa") == ["a" * 64]
    assert names_of_bots(Server(NOWHERE), "") == []


def test_verify_names_every_damage(shown: Ladder, command: Command) -> None:
    """`verify` names each row of a server's database that no ladder stores, by its key."""
    with shown.database.write() as tx:
        for change in (
            "alter table matches drop constraint ck_matches_finished_at",
            "alter table matches drop constraint ck_matches_attempts",
            "update matches set finished_at = 'soon', attempts = -1",
            "alter table seats drop constraint ck_seats_rank",
            "alter table seats drop constraint ck_seats_result",
            "update seats set rank = 0 where seat = 2",
            "alter table seats drop constraint fk_seats_version_id",
            "update seats set version_id = 77, points = null where seat = 3",
            "update ladder set aim = 'win'",
            "update bots set name = '' where false",
        ):
            tx.execute(text(change))

    ended = command("verify", "--ladder", shown.home.path)

    match = "a" * 64
    for line in (
        f"matches, id {match}, attempts: -1 is not a valid number",
        f"matches, id {match}, finished_at: 'soon' is not a time in ISO 8601",
        f"seats, match_id {match}, seat 2, rank: 0 is not a valid number",
        f"seats, match_id {match}, seat 3: it refers to a missing row of versions",
        f"seats, match_id {match}, seat 3: it has a rank and no points, or the other way round",
        "ladder, id 1, aim: 'win' is not one of ranking, top",
    ):
        assert line in ended.out.splitlines()
    assert ended.status == 1
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize("change", ["drop table outputs", "alter table seats drop column rank"])
def test_missing_tables_are_damage(shown: Ladder, command: Command, change: str) -> None:
    """Without a table or a column, commands fail in a line, and `verify` goes on elsewhere."""
    with shown.database.write() as tx:
        tx.execute(text(f"{change} cascade"))

    for words in (("standings",), ("show", "ann"), ("verify",)):
        ended = command(*words, "--ladder", shown.home.path)
        assert (ended.status, ended.err.count("\n")) == (1, 1), ended
    assert f"{change.split()[2]}: it cannot be read: " in ended.out


def test_an_older_database_on_a_server_is_brought_up_to_date(
    command: Command, shown: Ladder, server: Server, cluster: Cluster
) -> None:
    """A ladder of revision 17, with its rating match by match, opens and shows the same."""
    before = command("standings", "--json", "--ladder", shown.home.path).out
    shown.database.close()
    for statement in (
        "drop index ix_matches_dropped",
        "alter table matches drop column rules_version",  # with its index
        "drop table spar_seats, spar_matches, spars",
        "alter table bots drop column open_to_spars",
        "alter table ladder drop column spar_matches_a_day",
        "alter table ladder drop column opens_at, drop column closes_at",
        "alter table bots drop column description",
        "alter table versions add constraint uq_versions_digest unique (digest)",
        "drop table incidents",
        "drop table begun_rounds",
        "alter table directives drop column starts_at, drop column other_id",
        "alter table matches add column rated boolean default false not null",
        "create index ix_matches_unrated on matches (round, position) where not rated",
        "update matches set rated = true",
        "alter table ladder add column beta float, add column draw_probability float",
        "create table ratings (version_id integer primary key references versions (id), mu float)",
        "insert into ratings select id, 25 from versions",
        "delete from strengths",
        "update alembic_version set version_num = '0017'",
    ):
        cluster.execute(statement, database_of(server))

    assert command("standings", "--json", "--ladder", shown.home.path).out == before
    left = cluster.execute(
        "select table_name from information_schema.columns where table_name = 'ratings'"
        " or column_name in ('rated', 'beta', 'draw_probability')",
        database_of(server),
    )
    assert left == []
