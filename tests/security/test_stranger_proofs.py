"""Proof that a ladder goes on under each attack of strangers, for minutes, beside calm.

Meanwhile an author submits one version after another and watches, and the ladder plays. It prints
how many matches were played, how long answers took and by how much the memory grew.
"""

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ladder.cli.remote.client import RemoteLadder
from ladder.model.matches import MatchState
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from ladder.submission.submit import submit
from tests.security.test_strangers import (
    ATTACKS,
    MOST_GROWTH_MIB,
    MOST_LOGGED,
    Attack,
    Served,
    serving,
)
from tests.support.new_ladder import new_ladder
from tests.support.processes import heap_mib

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "python" / "courtisans"
SECONDS = 600
SECONDS_BETWEEN_ATTACKS = 1.0
SECONDS_BETWEEN_VERSIONS = 20.0
SECONDS_BETWEEN_QUESTIONS = 0.5


class Quiet:
    """Takes no notice of how a submission goes."""

    def say(self, text: str) -> None:
        """Take what is being done."""

    def sent(self, done: int, total: int) -> None:
        """Take how much has been sent."""


@dataclass
class Author:
    """Submits, asks and watches until it is told to stop."""

    served: Served
    bot: Path
    slowest_s: float = 0.0
    answers: int = 0
    versions: int = 0
    news: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    def ask(self) -> None:
        """Ask again and again, by a connection of its own each time."""
        while not self.stop.wait(SECONDS_BETWEEN_QUESTIONS):
            began = time.monotonic()
            with RemoteLadder(self.served.address, self.served.token) as remote:
                remote.standings()
                self.answers += 1
            self.slowest_s = max(self.slowest_s, time.monotonic() - began)
            self.served.answers()

    def submit(self) -> None:
        """Submit one version after another."""
        toml = self.bot / "bot.toml"
        manifest = toml.read_text().partition("release")[0]
        while not self.stop.is_set():
            toml.write_text(f'{manifest}release = "{time.monotonic_ns()}"\n')
            with RemoteLadder(self.served.address, self.served.token) as remote:
                remote.submit(self.bot, Quiet())
            self.versions += 1
            self.stop.wait(SECONDS_BETWEEN_VERSIONS)

    def watch(self) -> None:
        """Watch until the first news after the stop."""
        with contextlib.suppress(Exception):
            for _ in RemoteLadder(self.served.address, self.served.token).watch():
                self.news += 1
                if self.stop.is_set():
                    return


@contextmanager
def at_work(author: Author) -> Iterator[None]:
    """Let an author work while the block runs; raise what went wrong."""
    threading.Thread(target=author.watch, daemon=True).start()
    with ThreadPoolExecutor(2) as threads:
        working = [threads.submit(work) for work in (author.ask, author.submit)]
        try:
            yield
        finally:
            author.stop.set()
            for work in working:
                work.result()


def played(ladder: Ladder) -> int:
    """Return how many matches are done."""
    with ladder.database.read() as tx:
        return matches.count(tx, MatchState.DONE)


@pytest.mark.long
@pytest.mark.proof
def test_a_ladder_goes_on_under_attack(tmp_path: Path, proof_cases: Callable[[int], int]) -> None:
    """Every question is answered, the memory is bounded, and matches are played meanwhile."""
    seconds = proof_cases(SECONDS)
    home = new_ladder(tmp_path / "ladder", "a seed", seats=2)
    with Ladder.open(home) as ladder:
        for name in ("random", "greedy"):
            submit(ladder, SAMPLES / name, lambda _: None)
        bot = tmp_path / "anns"
        shutil.copytree(SAMPLES / "random", bot)
        toml = bot / "bot.toml"
        toml.write_text(toml.read_text().replace('name = "random"', 'name = "anns"'))
        with serving(ladder, tmp_path, "--play", "--workers", "1") as served:
            for attack in (None, *ATTACKS[: proof_cases(len(ATTACKS))]):
                under(attack, ladder, served, bot, seconds)
            log = served.log.read_text()
    assert len(log) < MOST_LOGGED + 200 * seconds, log[-2000:]


def under(attack: Attack | None, ladder: Ladder, served: Served, bot: Path, seconds: float) -> None:
    """Attack for some seconds; print how many matches a second were played."""
    before, began, memory = played(ladder), time.monotonic(), heap_mib(served.pid)
    most, author = memory, Author(served, bot)
    with at_work(author):
        while time.monotonic() < began + seconds:
            with ExitStack() as stack:
                if attack is not None:
                    attack(served, stack)
                author.stop.wait(SECONDS_BETWEEN_ATTACKS)
                most = max(most, heap_mib(served.pid))
    rate = (played(ladder) - before) / (time.monotonic() - began)
    what = attack.__name__ if attack is not None else "calm"
    print(  # noqa: T201 -- a measurement
        f"\n{what}: {rate:.2f} matches a second, {author.answers} answers in at most "
        f"{author.slowest_s:.2f} s, {author.versions} versions, {author.news} news, "
        f"{most - memory:.0f} MiB more",
    )
    assert author.answers
    assert author.versions
    assert author.news
    assert most - memory <= MOST_GROWTH_MIB
