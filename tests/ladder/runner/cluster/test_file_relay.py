"""Bots' files travel from a ladder to its workers by the scheduler, over TLS."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from distributed import Client, LocalCluster, Worker
from distributed.security import Security

from ladder.model.errors import BundleError
from ladder.runner.cluster import file_relay
from ladder.runner.cluster.bot_store import BotFiles, BotStore, pack
from ladder.runner.cluster.file_relay import FileRelay, FileSupply, UnavailableError, fetch_by
from ladder.storage.files.bundles import digest_of, store_bundle
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level
from tests.support.ladders import MakeBot

pytestmark = pytest.mark.filterwarnings("ignore:Creating scratch directories")  # on a slow disk


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler and two workers that speak TLS, in this process."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        protocol="tls",
        security=Security.temporary(),
    ) as cluster:
        yield cluster


def connected(cluster: LocalCluster) -> Client:
    """Return a connection of a ladder to the scheduler."""
    return Client(cluster.scheduler_address, security=cluster.security, set_as_default=False)


@pytest.fixture
def workers(cluster: LocalCluster) -> list[Worker]:
    """The workers."""
    return list(cluster.workers.values())


@pytest.fixture
def client(cluster: LocalCluster) -> Iterator[Client]:
    """A connection of a ladder to the scheduler."""
    with connected(cluster) as client:
        yield client


@pytest.fixture
def far(tmp_path: Path) -> Home:
    """The folder of a ladder."""
    home = Home(tmp_path / "far")
    home.bots.mkdir(parents=True)
    return home


@pytest.fixture
def supply(client: Client, far: Home) -> Iterator[FileSupply]:
    """The ladder sends its files."""
    supply = FileSupply(far)
    supply.begin(client)
    yield supply
    supply.end()


def relay(cluster: LocalCluster) -> FileRelay:
    """Return the scheduler's plugin."""
    assert cluster.scheduler is not None
    found = cluster.scheduler.plugins[FileRelay.name]
    assert isinstance(found, FileRelay)
    return found


def test_files_travel(
    workers: list[Worker], supply: FileSupply, far: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Workers that ask at once get the files whole, and the ladder sends them once."""
    bot = make_bot("eve")
    (bot / "data").write_bytes(os.urandom(3 << 20))
    files = BotFiles("eve version 1", store_bundle(bot, far))

    def ensure(number: int) -> str:
        store = BotStore(tmp_path / f"store-{number}")
        with store.lease(fetch_by(workers[number % 2]), Level.TRUSTED) as lease:
            return digest_of(lease.ensure(files)[0])

    with ThreadPoolExecutor() as pool:
        assert set(pool.map(ensure, range(4))) == {files.digest}
    (far.bundle(files.digest) / "bot.py").rename(tmp_path / "away")
    assert ensure(5) == files.digest


def test_what_the_ladder_lacks_is_refused(
    workers: list[Worker], supply: FileSupply, far: Home, make_bot: MakeBot, tmp_path: Path
) -> None:
    """Missing and damaged files, and paths instead of digests, give one line that says so."""
    digest = store_bundle(make_bot("eve"), far)
    damaged = far.bundle(digest) / "more"
    damaged.write_text("")
    store = BotStore(tmp_path / "store")
    with (
        store.lease(fetch_by(workers[0]), Level.TRUSTED) as lease,
        pytest.raises(
            BundleError, match=r"^the files of eve: the ladder does not send them: .* were changed"
        ),
    ):
        lease.ensure(BotFiles("eve", digest))
    with pytest.raises(BundleError, match="not a digest"):
        next(fetch_by(workers[0])("../ladder.db"))

    damaged.unlink()
    assert b"".join(fetch_by(workers[0])(digest)) == b"".join(pack(far, digest))


def test_a_worker_waits_for_its_ladder(
    workers: list[Worker], cluster: LocalCluster, far: Home, make_bot: MakeBot
) -> None:
    """A worker that asks while no ladder is there gets the files when one comes."""
    digest = store_bundle(make_bot("eve", "late"), far)
    with ThreadPoolExecutor() as pool, connected(cluster) as client:
        asked = pool.submit(lambda: b"".join(fetch_by(workers[0])(digest)))
        supply = FileSupply(far)
        supply.begin(client)
        assert asked.result() == b"".join(pack(far, digest))
        supply.end()


def test_a_worker_does_not_wait_for_ever(workers: list[Worker]) -> None:
    """One line says that nobody has sent the files."""
    with pytest.raises(UnavailableError, match=r"^no ladder has sent the files 000000000000…"):
        next(fetch_by(workers[0], patience_s=0.01)("0" * 64))


def test_another_ladder_goes_on(
    workers: list[Worker], cluster: LocalCluster, far: Home, make_bot: MakeBot
) -> None:
    """Files that a ladder began to send when it went come from the next one."""
    (make_bot("eve") / "data").write_bytes(os.urandom(600_000))
    digest = store_bundle(make_bot("eve"), far)
    pieces = list(pack(far, digest))
    with ThreadPoolExecutor() as pool, connected(cluster) as client:
        client.register_plugin(FileRelay())
        asked = pool.submit(lambda: b"".join(fetch_by(workers[0])(digest)))
        with connected(cluster) as first:
            wanted = first.sync(first.scheduler.courtyard_files_wanted, ladder=first.id)
            assert digest in wanted
            told = {"ladder": first.id, "digest": digest, "index": 0, "piece": pieces[0]}
            assert first.sync(first.scheduler.courtyard_files_send, **told)
        supply = FileSupply(far)
        supply.begin(client)
        assert asked.result() == b"".join(pieces)
        supply.end()


def test_the_scheduler_forgets_what_was_read_first(
    workers: list[Worker],
    cluster: LocalCluster,
    supply: FileSupply,
    far: Home,
    make_bot: MakeBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scheduler's memory is bounded; what it has forgotten is sent to it again."""
    monkeypatch.setattr(file_relay, "_KEPT_BYTES", 250_000)
    bots = {}
    for name in ("ann", "bob", "cid"):
        (make_bot(name) / "data").write_bytes(os.urandom(100_000))
        bots[name] = store_bundle(make_bot(name), far)
    before = dict.fromkeys(relay(cluster)._archives)
    for digest in bots.values():
        assert b"".join(fetch_by(workers[0])(digest)) == b"".join(pack(far, digest))

    kept = relay(cluster)._archives
    assert set(kept) - set(before) == {bots["bob"], bots["cid"]}
    assert relay(cluster)._kept == sum(archive.size for archive in kept.values()) <= 250_000
    assert b"".join(fetch_by(workers[0])(bots["ann"])) == b"".join(pack(far, bots["ann"]))


def test_an_archive_that_is_too_large_is_refused(
    workers: list[Worker],
    supply: FileSupply,
    far: Home,
    make_bot: MakeBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The scheduler takes no more than a bot's files can be."""
    monkeypatch.setattr(file_relay, "LARGEST_STORED_ARCHIVE_BYTES", 300_000)
    (make_bot("eve") / "data").write_bytes(os.urandom(600_000))
    digest = store_bundle(make_bot("eve"), far)

    with pytest.raises(BundleError, match="its archive is too large"):
        b"".join(fetch_by(workers[0])(digest))
