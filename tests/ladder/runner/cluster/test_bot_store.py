"""A worker's store of bots' files: whole or not at all, made once, bounded in size."""

import io
import os
import resource
import signal
import socket
import subprocess
import sys
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ladder.model.errors import BundleError, LadderError
from ladder.runner.cluster import bot_store
from ladder.runner.cluster.bot_store import BotFiles, BotStore, pack
from ladder.storage.files.bundles import digest_of, store_bundle
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level
from tests.support.lacking import need_level
from tests.support.ladders import MakeBot

BUILD = (("python3", "-c", "open('built', 'w').write('x')"),)
SCRIPT = Path(__file__).with_name("ensure_once.py")


@pytest.fixture
def far(tmp_path: Path) -> Home:
    """The folder of a ladder on another machine."""
    home = Home(tmp_path / "far")
    home.bots.mkdir(parents=True)
    return home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a store."""
    return tmp_path / "store"


@pytest.fixture
def eve(make_bot: MakeBot, far: Home) -> BotFiles:
    """A bot without build steps."""
    return BotFiles("eve version 1", store_bundle(make_bot("eve"), far))


def kept(store: BotStore, files: BotFiles, level: Level = Level.TRUSTED) -> tuple[Path, int]:
    """Return the folder of a version whose files are there, and its `made`."""
    with store.lease([files], level) as (folders, lacking):
        assert lacking == ()
        found = folders[files.digest]
        if isinstance(found, BundleError):
            raise found
        return found


def entry(name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    """Return an archive with one entry."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.GNU_FORMAT) as tar:
        header = tarfile.TarInfo(name)
        header.type, header.linkname = kind, link
        header.size = len(content) if kind == tarfile.REGTYPE else 0
        tar.addfile(header, io.BytesIO(content))
    return file.getvalue()


def left(folder: Path) -> list[str]:
    """Return the names of all bots' files and locks in a store."""
    return [path.name for part in ("bots", "locks") for path in (folder / part).iterdir()]


def test_a_bots_files_arrive_as_they_are_stored(make_bot: MakeBot, far: Home, folder: Path) -> None:
    """Executables, links and long names arrive; modes are those of a ladder."""
    bot = make_bot("eve", "x" * 10)
    (bot / "data").write_bytes(os.urandom(800_000))
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    (bot / ("n" * 200)).mkdir()
    (bot / ("n" * 200) / ("ü" * 100)).write_text("")
    (bot / "sub").mkdir()
    (bot / "sub" / "up").symlink_to("../" + "n" * 200 + "/" + "ü" * 100)
    (bot / "zeros").write_bytes(bytes(8 << 20))
    files = BotFiles("eve version 1", store_bundle(bot, far))

    store = BotStore(folder)
    store.add(files, pack(far, files.digest))
    here, _ = kept(store, files)

    assert digest_of(here) == files.digest
    assert {path.name for path in here.iterdir()} == {path.name for path in bot.iterdir()}
    assert (here / "run").stat().st_mode & 0o777 == 0o555
    assert (here / "data").stat().st_mode & 0o777 == 0o444
    assert here.stat().st_mode & 0o777 == 0o755
    assert sorted(left(folder)) == [files.digest] * 2


def test_what_is_there_is_not_wanted_again(eve: BotFiles, folder: Path, far: Home) -> None:
    """Another batch, and another process that opens the store, find the files."""
    store = BotStore(folder)
    assert store.lacking([eve.digest]) == (eve.digest,)
    with store.lease([eve], Level.TRUSTED) as leased:
        assert leased == ({}, (eve.digest,))
    store.add(eve, pack(far, eve.digest))
    here = kept(store, eve)

    store.add(eve, b"")
    assert BotStore(folder).lacking([eve.digest]) == ()
    assert kept(BotStore(folder), eve) == here


def test_a_bot_runs_in_its_build(make_bot: MakeBot, far: Home, folder: Path) -> None:
    """A bot with build steps runs in its build; files that arrive again are told from the first."""
    files = BotFiles("eve version 1", store_bundle(make_bot("eve"), far), BUILD)
    other = BotFiles("ann version 1", store_bundle(make_bot("ann"), far))
    store = BotStore(folder, most_bytes=0)
    store.add(files, pack(far, files.digest))

    first, made = kept(store, files)
    assert (first / "built").read_text() == "x"
    assert kept(store, files) == (first, made)
    os.utime(folder / "locks" / files.digest, (0, 0))
    store.add(other, pack(far, other.digest))
    assert left(folder) == [other.digest] * 2
    store.add(files, pack(far, files.digest))
    again, made_later = kept(store, files)

    assert again == first
    assert made_later > made > 0


WHOLE = entry("bot.toml", os.urandom(2000))
REFUSED = {
    "wrong digest": (WHOLE, "other files arrived: their digest is [0-9a-f]{12}…"),
    "truncated": (WHOLE[:-20], "the archive is truncated"),
    "nothing": (b"", "the archive is truncated"),
    "absolute path": (entry("/tmp/evil"), "the path is absolute"),  # noqa: S108
    "path up": (entry("a/../../evil"), "the path leaves"),
    "link out": (entry("l", kind=tarfile.SYMTYPE, link="../evil"), "this link leaves"),
    "absolute link": (entry("l", kind=tarfile.SYMTYPE, link="/etc"), "this link leaves"),
    "circle": (entry("l", kind=tarfile.SYMTYPE, link="l"), "this link leaves"),
    "link without a target": (entry("l", kind=tarfile.SYMTYPE), "cannot be unpacked"),
    "link without a name": (entry(".", kind=tarfile.SYMTYPE, link="x"), "occurs twice"),
    "hard link": (entry("l", kind=tarfile.LNKTYPE, link="/etc/passwd"), "links are not"),
    "pipe": (entry("p", kind=tarfile.FIFOTYPE), "pipes are not"),
    "long name": (entry("n" * 5000), "a name of more than 4095 bytes"),
    "long link": (entry("l", kind=tarfile.SYMTYPE, link="n/" * 3000), "a name of more than 4095"),
    "deep": (entry("n/" * 1500 + "n"), "folders that are more than 100 deep"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_wrong_files_are_refused(what: str, eve: BotFiles, folder: Path) -> None:
    """One line names the bot and says why; nothing is left, inside or outside the store."""
    content, why = REFUSED[what]
    around = set(folder.parent.iterdir())
    with pytest.raises(BundleError, match=f"^the files of eve version 1: .*{why}") as refused:
        BotStore(folder).add(eve, content)

    assert str(refused.value).isprintable()
    assert left(folder) == [eve.digest]  # its lock
    assert set(folder.parent.iterdir()) == {*around, folder}


@pytest.mark.parametrize("names", [("l", "l/evil"), ("l/evil", "l")])
def test_nothing_is_written_through_a_link(
    names: tuple[str, str], eve: BotFiles, folder: Path
) -> None:
    """A name below a link is refused, whether the link comes first or last."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.GNU_FORMAT) as tar:
        for name in names:
            header = tarfile.TarInfo(name)
            header.type, header.linkname = (tarfile.SYMTYPE, "..") if name == "l" else (b"0", "")
            tar.addfile(header)

    with pytest.raises(BundleError, match="cannot be unpacked"):
        BotStore(folder).add(eve, file.getvalue())
    assert left(folder) == [eve.digest]


def test_what_the_digest_does_not_count_is_not_kept(
    make_bot: MakeBot, far: Home, folder: Path
) -> None:
    """A stranger cannot slip in the cache of a tool, which a digest does not cover."""
    bot = make_bot("eve")
    files = BotFiles("eve version 1", store_bundle(bot, far))
    (bot / "__pycache__").mkdir()
    (bot / "__pycache__" / "bot.pyc").write_text("evil")
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=tarfile.GNU_FORMAT) as tar:
        tar.add(bot, ".")

    store = BotStore(folder)
    store.add(files, file.getvalue())
    here, _ = kept(store, files)

    assert digest_of(here) == files.digest
    assert not (here / "__pycache__").exists()


def test_a_gzip_bomb_is_refused(eve: BotFiles, folder: Path) -> None:
    """Files that are small when packed, but too large, are refused before they fill the disk."""
    bomb = entry("zeros", bytes(65 << 20))
    with pytest.raises(BundleError, match="more than 64 MiB unpacked"):
        BotStore(folder).add(eve, bomb)
    assert left(folder) == [eve.digest]


def test_a_digest_that_is_none_is_refused(eve: BotFiles, folder: Path) -> None:
    """A digest is a name in the store, so it cannot be a path."""
    with pytest.raises(BundleError, match="not a digest"):
        BotStore(folder).add(replace(eve, digest="../" * 21 + "x"), WHOLE)


def test_a_failed_build_leaves_nothing(make_bot: MakeBot, far: Home, folder: Path) -> None:
    """One line names the bot and its failing step."""
    files = BotFiles("eve version 1", store_bundle(make_bot("eve"), far), (("false",),))
    store = BotStore(folder)
    store.add(files, pack(far, files.digest))
    told = r"^the files of eve version 1: .* step 1 of 1 of the build \(false\)"
    with pytest.raises(BundleError, match=told):
        kept(store, files)
    assert left(folder) == [files.digest] * 2


@pytest.mark.parametrize("allowed", [True, False])
def test_a_build_has_the_network_that_the_ladder_grants(
    make_bot: MakeBot, far: Home, folder: Path, *, allowed: bool
) -> None:
    """A build runs in this machine's sandbox; the ladder says whether it has a network."""
    need_level(Level.STRICT)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        step = ("python3", "-c", script)
        files = BotFiles("eve", store_bundle(make_bot("eve"), far), (step,), network=allowed)
        store = BotStore(folder)
        store.add(files, pack(far, files.digest))
        if allowed:
            assert kept(store, files, Level.STRICT)[0].is_dir()
        else:
            with pytest.raises(BundleError, match="this build had no network"):
                kept(store, files, Level.STRICT)


def test_a_full_disk_is_no_fault_of_the_bot(make_bot: MakeBot, far: Home, folder: Path) -> None:
    """What this machine cannot store says so by another error than wrong files do."""
    (make_bot("eve") / "data").write_bytes(os.urandom(200_000))
    files = BotFiles("eve", store_bundle(make_bot("eve"), far))
    store, packed = BotStore(folder), pack(far, files.digest)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
    try:
        with pytest.raises(LadderError, match=f"^{folder}: File too large") as failed:
            store.add(files, packed)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert not isinstance(failed.value, BundleError)
    assert left(folder) == [files.digest]


def test_damaged_files_are_not_sent(eve: BotFiles, far: Home) -> None:
    """The ladder names the files that are not those of their digest, or not there."""
    (far.bundle(eve.digest) / "more").write_text("")
    with pytest.raises(BundleError, match=f"{eve.digest}: these files were changed"):
        pack(far, eve.digest)
    with pytest.raises(BundleError, match="these files are missing"):
        pack(far, "0" * 64)


def test_what_was_not_used_for_longest_is_removed(
    make_bot: MakeBot, far: Home, folder: Path
) -> None:
    """A store that is too large loses what no process leases, the longest unused first."""
    bots = [
        BotFiles(f"{name} version 1", store_bundle(make_bot(name, "x" * 100_000), far))
        for name in ("ann", "bob", "cid", "dan")
    ]
    ann, bob, cid, dan = bots
    store = BotStore(folder, most_bytes=250_000)
    for files in (ann, bob, cid):
        store.add(files, pack(far, files.digest))
    oldest = [kept(store, files)[0] for files in (ann, bob, cid)]
    assert len(left(folder)) == 6  # they have just arrived

    with store.lease([ann], Level.TRUSTED):
        for age, files in enumerate((ann, bob, cid)):
            os.utime(folder / "locks" / files.digest, (age, age))
        BotStore(folder, most_bytes=250_000).add(dan, pack(far, dan.digest))

    assert [path.is_dir() for path in oldest] == [True, False, False]
    assert sorted(left(folder)) == sorted([ann.digest, dan.digest] * 2)


@pytest.mark.costly
def test_several_processes_build_once(make_bot: MakeBot, far: Home, folder: Path) -> None:
    """Of the processes of one machine, one builds; the others wait for it."""
    files = BotFiles("eve", store_bundle(make_bot("eve"), far), BUILD)
    fetched = far.path / "fetched"
    processes = [
        subprocess.Popen([sys.executable, SCRIPT, folder, far.path, files.digest, fetched])
        for _ in range(4)
    ]
    assert [process.wait() for process in processes] == [0] * 4
    assert fetched.read_text() == "once\n"


def test_a_killed_process_leaves_nothing_in_the_way(
    make_bot: MakeBot, far: Home, folder: Path
) -> None:
    """A process that waits for a build whose builder is killed does the work itself."""
    told = far.path / "told"
    os.mkfifo(told)
    stuck = f"import time; open({str(told)!r}, 'w').close(); time.sleep(1000)"
    digest = store_bundle(make_bot("eve"), far)
    first = subprocess.Popen(
        [sys.executable, SCRIPT, folder, far.path, digest, far.path / "fetched", stuck]
    )
    told.open().close()  # it builds
    done: list[Path] = []

    def ensure() -> None:
        done.append(kept(BotStore(folder), BotFiles("eve", digest, BUILD))[0])

    waiting = threading.Thread(target=ensure)
    waiting.start()
    first.send_signal(signal.SIGKILL)
    first.wait()
    waiting.join()

    assert (done[0] / "built").read_text() == "x"
    BotStore(folder)
    assert sorted(left(folder)) == sorted([digest, f"{digest}.build", digest])


def test_bots_may_not_see_the_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store below a folder that the sandbox shows to all bots is refused."""
    monkeypatch.setattr(bot_store, "is_visible", lambda *_, **__: True)
    with (
        pytest.raises(BundleError, match="keep the bots' files elsewhere"),
        BotStore(folder).lease([], Level.STRICT),
    ):
        pass
