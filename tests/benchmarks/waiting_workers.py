"""Workers of a cluster that only wait instead of playing, many of them in one process.

    python -m tests.benchmarks.waiting_workers ADDRESS CERTIFICATES STORE FIRST COUNT SECONDS

They are Dask's workers as `ladder worker` starts them, each with one core; they fetch bots' files
and answer as real ones do, with results that were played before. A match takes SECONDS on average.
Prints a line when all have joined. When its input ends, prints when each worker's batches began and
ended, in seconds of the machine's monotonic clock.
"""

import asyncio
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import ClassVar

from distributed import Worker, get_worker

from ladder.model.matches import Played
from ladder.runner.cluster import task
from ladder.runner.cluster.bot_store import BotStore, Folders
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.serving import configure
from ladder.runner.worker import Failed, ThinkingTime
from ladder.storage.tables.records import pack
from referee.hosting.match_runner import MatchSpec
from referee.transports.connections import raise_file_limit
from tests.benchmarks.pretended import SEATS, PretendingPlayer

_AT_ONCE = 25
"""The workers that join at once."""


class WaitingMachine(task.Machine):
    """Waits as long as matches would take."""

    seconds = 0.0
    """So long a match takes, on average."""
    batches: ClassVar[defaultdict[str, list[tuple[float, float]]]] = defaultdict(list)
    """When the batches of each worker began and ended, by the machine's clock."""

    def play(
        self,
        batch: task.Batch,
        folders: Folders,  # noqa: ARG002 -- no bot plays
        tell: Callable[[ThinkingTime], None],  # noqa: ARG002
    ) -> tuple[Played | Failed, ...]:
        """Return results after a while."""
        began = time.monotonic()
        time.sleep(sum(random.uniform(0.5, 1.5) * self.seconds for _ in batch.specs))
        self.batches[str(get_worker().name)].append((began, time.monotonic()))
        return tuple(replace(random.choice(results()), match_id=s.match_id) for s in batch.specs)


@cache
def results() -> list[Played]:
    """Return results as workers send them."""
    player = PretendingPlayer()
    specs = [MatchSpec("match", "courtisans", (None,) * SEATS, str(n)) for n in range(20)]
    return [pack(player.play(spec), {}, spec) for spec in specs]


async def serve(asked: Sequence[str], folder: str) -> None:
    """Join with all workers, and stay until the input ends."""
    address, certificates, _, first, count, _ = asked
    security = ClusterCertificates(Path(certificates)).security()
    numbers = range(int(first), int(first) + int(count))
    workers = [
        Worker(
            address,
            name=f"waiting-{number}",
            host="127.0.0.1",
            nthreads=1,
            preload=[task.__name__],
            memory_limit=0,
            local_directory=folder,
            security=security,
            dashboard_address="127.0.0.1:0",
        )
        for number in numbers
    ]
    for start in range(0, len(workers), _AT_ONCE):
        await asyncio.gather(*workers[start : start + _AT_ONCE])
    print("joined", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    print(json.dumps([*WaitingMachine.batches.values()]), flush=True)


def main() -> None:
    """Serve, and end at once."""
    asked = sys.argv[1:]
    raise_file_limit()
    configure()
    results()
    WaitingMachine.seconds = float(asked[5])
    task._MACHINES.append(WaitingMachine(BotStore(Path(asked[2]))))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(serve(asked, folder))


if __name__ == "__main__":
    main()
