"""A ladder plays on a cluster as it does on one machine, whichever process is killed."""

import asyncio
import random
import resource
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from ladder.model.matches import MatchState
from ladder.results.rerating import rerate
from ladder.results.spars import spar
from ladder.runner.cluster.reach import parsed
from ladder.storage.files.folder import Home
from ladder.storage.ladder import Ladder, create
from ladder.submission.spars import ask
from referee.core.clock import ClockConfig
from referee.sandbox.program import Level
from tests.ladder.runner.conftest import Run, Start
from tests.ladder.runner.test_kill import ATTEMPTS, after, content, make_ladder
from tests.support.clusters import NAMES, RealCluster, kill, line
from tests.support.fake_workers import FakePlayer
from tests.support.lacking import need_level
from tests.support.ladders import MakeBot
from tests.support.processes import Watched, children
from tests.support.remote_bots import Network

__all__ = ["make_ladder"]

MakeLadder = Callable[[str], Home]
CheckEqual = Callable[[Home, int], None]
ROUNDS = 30
PLAY_S = 0.05


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealCluster]:
    """A cluster, whose processes take some seconds to start."""
    make = partial(FakePlayer, play_s=PLAY_S)
    with RealCluster(tmp_path_factory.mktemp("cluster"), make=make) as cluster:
        yield cluster


@pytest.fixture
def cluster(started: RealCluster) -> RealCluster:
    """The cluster, with all its workers."""
    started.restore()
    return started


def end(run: Run) -> list[str]:
    """Let a run come to its end; return the lines that it printed."""
    out, err = run.communicate()
    assert (run.returncode, err) == (0, "")
    assert out.splitlines()[-1].endswith("0 0 False")
    return out.splitlines()


@pytest.fixture(scope="module")
def played() -> dict[int, list[object]]:
    """By number of rounds, what this machine's runs have given: it is always the same."""
    return {}


@pytest.fixture
def check_equal(
    start: Start, make_ladder: MakeLadder, played: dict[int, list[object]]
) -> CheckEqual:
    """Compare a ladder with one that this machine plays undisturbed."""

    def check(home: Home, rounds: int) -> None:
        if rounds not in played:
            undisturbed = make_ladder("undisturbed")
            end(start(rounds, at=undisturbed))
            played[rounds] = content(undisturbed, ATTEMPTS)
        assert content(home, ATTEMPTS) == played[rounds]
        with Ladder.open(home) as ladder:
            assert rerate(ladder) == {}

    return check


@pytest.mark.costly
def test_a_cluster_plays_like_one_machine(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """Results, records, ratings and standings of a cluster are those of one machine."""
    home = make_ladder("clustered")
    said = end(start(ROUNDS, at=home, env=cluster.environment()))

    assert {f"say Worker {name} connected, with 1 core." for name in NAMES} <= {*said}
    assert any(words.startswith("workers ares=") for words in said)
    check_equal(home, ROUNDS)


@pytest.mark.costly
def test_a_cluster_plays_spars(cluster: RealCluster, make_ladder: MakeLadder, start: Start) -> None:
    """Its workers play what authors ask for, and a killed one costs a spar no attempt."""
    home = make_ladder("sparring")
    with Ladder.open(home) as ladder:
        number = ask(ladder, None, "ann", ["bob", "cat"], 40).id
    run = start(1, at=home, env=cluster.environment())
    after(2, 0.1)(run)
    kill(cluster.workers["hera"])
    end(run)

    with Ladder.open(home) as ladder:
        found = spar(ladder, None, number).matches
    assert [(match.state, match.attempts) for match in found] == [(MatchState.DONE, 0)] * 40


@pytest.mark.costly
def test_a_dead_worker_costs_no_attempt(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """Others play what a killed worker had; its own processes end, and no attempt is void."""
    home = make_ladder("killed")
    run = start(ROUNDS, at=home, env=cluster.environment())
    after(6, 0.1)(run)
    killed = cluster.workers["hera"]
    processes = [Watched(pid) for pid in children(killed.pid)]
    kill(killed)
    said = end(run)

    assert "warn worker hera disconnected; its matches are queued again" in said
    assert all(process.ends() for process in processes)
    check_equal(home, ROUNDS)


@pytest.mark.costly
def test_a_stopped_worker_leaves_in_good_order(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """A worker that is told to stop ends at once, with its own processes; others play on."""
    home = make_ladder("stopped")
    run = start(ROUNDS, at=home, env=cluster.environment())
    after(6, 0.1)(run)
    stopped = cluster.workers["hera"]
    processes = [Watched(pid) for pid in children(stopped.pid)]
    stopped.terminate()
    stopped.communicate()
    said = end(run)

    assert stopped.returncode == 0
    assert "warn worker hera disconnected; its matches are queued again" in said
    assert all(process.ends() for process in processes)
    check_equal(home, ROUNDS)


@pytest.mark.proof
def test_a_dead_scheduler_pauses_the_run(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """A run waits for a killed scheduler, and goes on when it is back, with its workers."""
    home = make_ladder("killed")
    run = start(ROUNDS, at=home, env=cluster.environment())
    after(6, 0.1)(run)
    kill(cluster.scheduler)
    line(run, "Ctrl-C stops it")
    cluster.start_scheduler()
    said = end(run)

    assert "say The scheduler connected again." in said
    check_equal(home, ROUNDS)


@pytest.mark.proof
def test_a_run_without_scheduler_can_be_stopped(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """Ctrl-C ends a run whose scheduler is gone; the next run plays the rest, here."""
    home = make_ladder("killed")
    run = start(ROUNDS, at=home, env=cluster.environment())
    after(6, 0.1)(run)
    kill(cluster.scheduler)
    line(run, "Ctrl-C stops it")
    run.send_signal(signal.SIGINT)
    out, err = run.communicate()

    assert (run.returncode, err) == (0, "")
    assert out.splitlines()[-1].endswith("True")
    end(start(ROUNDS, at=home))
    check_equal(home, ROUNDS)


@pytest.mark.costly
def test_a_killed_run_is_finished_by_the_next(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """A run killed on a cluster loses nothing: the next one, there, plays the rest."""
    home = make_ladder("killed")
    run = start(ROUNDS, at=home, env=cluster.environment())
    after(6, 0.1)(run)
    kill(run)
    end(start(ROUNDS, at=home, env=cluster.environment()))

    check_equal(home, ROUNDS)


@contextmanager
def cut_route(cluster: RealCluster) -> Iterator[tuple[str, Callable[[str], None]]]:
    """Yield another address of the scheduler, and what "stall"s or "heal"s the route from there."""
    host, port = parsed(cluster.address)
    with asyncio.Runner() as runner, ThreadPoolExecutor(1) as thread:
        network = Network(host, port)
        loop = runner.get_loop()
        runner.run(network.__aenter__())
        over = asyncio.Event()
        serving = thread.submit(runner.run, over.wait())

        def act(what: str) -> None:
            loop.call_soon_threadsafe(getattr(network, what))

        try:
            yield f"tls://{network.address}", act
        finally:
            loop.call_soon_threadsafe(over.set)
            serving.result()
            runner.run(network.__aexit__())


@pytest.mark.proof
def test_a_worker_that_is_cut_off_for_a_moment_goes_on(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """A worker whose network fails and is back in time hands in what it has played."""
    home = make_ladder("cut")
    with cut_route(cluster) as (address, act):
        line(cluster.start_worker("far", address), "plays for")
        run = start(ROUNDS, at=home, env=cluster.environment())
        line(run, "Worker far connected")
        after(4, 0.0)(run)
        act("stall")
        after(6, 0.5)(run)
        act("heal")
        said = end(run)

    assert not [words for words in said if words.startswith("warn")]
    check_equal(home, ROUNDS)


@pytest.mark.proof
def test_a_weaker_sandbox_is_refused(
    cluster: RealCluster,
    tmp_path: Path,
    make_bot: MakeBot,
    enter: Callable[..., object],
    start: Start,
) -> None:
    """A worker that cannot contain bots as the ladder asks does not play; the run says why."""
    need_level(Level.STRICT)
    home = create(
        tmp_path / "strict",
        game="courtisans",
        seats=4,
        config={},
        clock=ClockConfig(),
        secret="always the same",
        sandbox=Level.STRICT,
    )
    with Ladder.open(home) as ladder:
        for name in ("ann", "bob", "cat", "dan", "eve"):
            enter(ladder, make_bot(name))
    line(cluster.start_worker("weak", PATH="/nowhere"), "plays for")
    said = end(start(ROUNDS, at=home, env=cluster.environment()))

    (refusal,) = [words for words in said if "does not play" in words]
    assert refusal.startswith(
        "warn worker weak does not play: bots cannot run at the level strict: bwrap and "
    )


@pytest.mark.proof
def test_a_full_disk_is_refused(
    cluster: RealCluster, make_ladder: MakeLadder, start: Start, check_equal: CheckEqual
) -> None:
    """A worker that cannot keep bots' files leaves and plays no more; the run says why."""
    home = make_ladder("full")
    full = cluster.start_worker("full")
    line(full, "plays for")
    resource.prlimit(full.pid, resource.RLIMIT_FSIZE, (1, 1))
    said = end(start(ROUNDS, at=home, env=cluster.environment()))

    assert "warn worker full disconnected; its matches are queued again" in said
    (refusal,) = [words for words in said if "does not play" in words]
    assert refusal.startswith("warn worker full does not play: ")
    assert refusal.endswith(": File too large")
    check_equal(home, ROUNDS)


def answer_to_stranger(address: str, *, encrypted: bool) -> tuple[str, bytes]:
    """Send something without a certificate; return from which address, and the answer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    answer = b""
    with (
        socket.create_connection(parsed(address)) as plain,
        suppress(OSError),
        ExitStack() as stack,
    ):
        own = "{}:{}".format(*plain.getsockname())
        stranger = stack.enter_context(context.wrap_socket(plain)) if encrypted else plain
        stranger.sendall(b"GET / HTTP/1.0\r\n\r\n")
        answer = stranger.recv(1)
    return own, answer


@pytest.mark.costly
@pytest.mark.parametrize(
    ("encrypted", "told"), [(False, "HTTP_REQUEST"), (True, "PEER_DID_NOT_RETURN_A_CERTIFICATE")]
)
def test_strangers_are_refused(cluster: RealCluster, encrypted: bool, told: str) -> None:  # noqa: FBT001
    """Who speaks plain text, or has no certificate, gets no answer; the scheduler says so."""
    own, answer = answer_to_stranger(cluster.address, encrypted=encrypted)

    assert answer == b""
    assert told in cluster.refusal(own)


@pytest.mark.costly
@pytest.mark.parametrize("encrypted", [False, True])
def test_workers_refuse_strangers(cluster: RealCluster, encrypted: bool) -> None:  # noqa: FBT001
    """Nothing that a stranger sends to a worker gets as far as to be unpickled."""
    _, answer = answer_to_stranger(cluster.addresses["ares"], encrypted=encrypted)

    assert answer == b""


@pytest.mark.proof
def test_500_matches_through_50_kills(
    cluster: RealCluster,
    make_ladder: MakeLadder,
    start: Start,
    check_equal: CheckEqual,
    proof_cases: Callable[[int], int],
) -> None:
    """500 matches end as on one machine though workers, schedulers and runs are killed 50 times."""
    home, chance = make_ladder("killed"), random.Random(26)
    kills = proof_cases(50)
    rounds = 10 * kills
    environment = cluster.environment()
    run = start(rounds, at=home, env=environment)
    for _ in range(kills):
        after(chance.randrange(1, 8), chance.uniform(0, 0.5))(run)
        victim = chance.choice(["run", "scheduler", *NAMES])
        if victim == "run":
            kill(run)
            run = start(rounds, at=home, env=environment)
        elif victim == "scheduler":
            kill(cluster.scheduler)
        else:
            kill(cluster.workers[victim])
        cluster.restore()
        if run.poll() is not None:  # it had played all, or found no scheduler
            run = start(rounds, at=home, env=environment)
    end(run)

    check_equal(home, rounds)
