"""The bots of one table on one carrier, in a process of its own that measures them when it is told.

Started by a benchmark as `python carrier.py TRANSPORT CORES`; CORES are where all its processes may
run, such as "0" or "0,1". Each line that it reads is an order, each answered with one line:

    start             from the start of the random bot to its Welcome: milliseconds on the wall, and
                      of CPU that the bot used
    replay SECONDS    round trips a second: bots that think nothing are sent the requests of a
                      recorded match again and again; the answers are only read
    play SECONDS      the same of full matches: the rules, and the sample bot `random` on every seat
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uvloop

from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.sandbox.streams import Pipes
from referee.transports import TRANSPORTS
from referee.transports.base import Connection
from referee.wire import envelope

HERE = Path(__file__).resolve().parent
FIXED = HERE / "fixed_bot.py"
RANDOM = HERE.parents[1] / "sample_bots" / "python" / "courtisans" / "random" / "bot.py"
SEATS = 4


class Bot:
    """One bot in a process of its own."""

    connection: Connection

    async def start(self, transport: str, program: Path) -> float:
        """Start it; return how many seconds it took until it was welcome."""
        self._folder = tempfile.TemporaryDirectory(prefix="courtyard-carrier-")
        self._place = TRANSPORTS[transport]("token", "9.9")
        await self._place.open(Path(self._folder.name))
        began = time.perf_counter()
        self._process = subprocess.Popen(  # noqa: ASYNC220 -- quickly done
            [sys.executable, program],
            env={"PATH": os.environ["PATH"], **self._place.environment(self._folder.name)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pipes = Pipes(self._process.stdin.fileno(), self._process.stdout.fileno())
        os.set_blocking(pipes.to_bot, False)
        os.set_blocking(pipes.from_bot, False)
        self.connection = await self._place.connection(pipes)
        return time.perf_counter() - began

    def cpu_ms(self) -> float:
        """Return the milliseconds of CPU that all its threads have used."""
        threads = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    async def stop(self) -> None:
        """End it."""
        self.connection.close()
        await asyncio.to_thread(self._process.wait)
        await self._place.stop()
        self._folder.cleanup()

    async def asked(self, request: bytes) -> bytes:
        """Return its answer; limited in time as every decision is."""
        async with asyncio.timeout(5):
            await self.connection.send(request)
            return await self.connection.receive()


async def replay(bots: list[Bot], requests: list[bytes], seconds: float) -> float:
    """Send the requests of one seat again and again, each to every bot."""
    trips, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < seconds:
        for number, request in enumerate(requests, 1):
            for bot in bots:
                envelope.read_decision(await bot.asked(request), "replay", number, "courtisans")
        trips += len(requests) * len(bots)
    return trips / taken


async def play(bots: list[Bot], seconds: float) -> float:
    """Play full matches."""
    matches = trips = 0
    began = time.perf_counter()
    while (taken := time.perf_counter() - began) < seconds:
        matches += 1
        match = Match(MatchSetup(f"match {matches}", "courtisans", len(bots), str(matches)))
        while (due := match.due) is not None:
            if match.answer(await bots[due.seat].asked(due.payload), 0) is not None:
                raise SystemExit("a bot forfeited: the measurement is void")
            trips += 1
        for bot, ending in zip(bots, match.endings(), strict=True):
            await bot.connection.send(ending)
    return trips / taken


def recorded() -> list[bytes]:
    """Return the requests of one seat in a match of random bots."""
    match = Match(MatchSetup("replay", "courtisans", SEATS, "replay"))
    stream, requests = Stream("replay", "actions"), []
    while (due := match.due) is not None:
        if due.seat == 0:
            requests.append(due.payload)
        match.decide(match.state.random_action(stream), 0)
    return requests


async def main(transport: str, cores: str) -> None:
    """Do what the lines say."""
    os.sched_setaffinity(0, map(int, cores.split(",")))
    tables = {}
    for name, program in (("replay", FIXED), ("play", RANDOM)):
        tables[name] = [Bot() for _ in range(SEATS)]
        for bot in tables[name]:
            await bot.start(transport, program)
    requests = recorded()
    for line in sys.stdin:
        match line.split():
            case ["start"]:
                bot = Bot()
                figures = await bot.start(transport, RANDOM) * 1000, bot.cpu_ms()
                await bot.stop()
                print(*figures, flush=True)
            case ["replay", seconds]:
                print(await replay(tables["replay"], requests, float(seconds)), flush=True)
            case ["play", seconds]:
                print(await play(tables["play"], float(seconds)), flush=True)
    for bot in [*tables["replay"], *tables["play"]]:
        await bot.stop()


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
