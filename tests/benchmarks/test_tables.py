"""Twenty people at twenty tables, while the ladder plays on all cores.

Phases of a ladder alone and of one with people take turns, so that whatever else the machine does
meets both. People come by HTTP, as the page's script does, from this machine: their cost counts.
An answer has been heard once the page shows what it changed, or whose turn it is now.
"""

import asyncio
import random
import re
import statistics
import subprocess
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import orjson
import pytest

from tests.benchmarks.trivial_ladder import LADDER, PYTHON_STDIO, make, reading
from tests.support.waiting import until

pytestmark = pytest.mark.bench

PEOPLE = 20
MATCHES = 1_000_000
"""More than there is time for."""
SECONDS = 12.0
TURNS = 2
SETTLE_S = 10.0
GOAL_SHARE = 0.8
GOAL_MS = 150
SEATS = {"seat0": "me", "seat1": "sample greedy", "seat2": "sample greedy"}
Answer = tuple[bytes, bytes]
"""Head and body."""
PACES: dict[str, Callable[[], float]] = {
    "at once": lambda: 0.0,
    "after 1 to 3 s": lambda: random.uniform(1, 3),
}


@dataclass
class Heard:
    """What people met."""

    waits_ms: list[float] = field(default_factory=list)
    matches: int = 0
    forfeits: int = 0


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    """A ladder of bots that answer at once."""
    return make(tmp_path, PYTHON_STDIO)


def test_people_and_ladder_share_a_machine(ladder: Path) -> None:
    """Print what part of its speed the ladder keeps, and how long people wait for their answers."""
    for pace, think in PACES.items():
        alone, beside, heard = [], [], Heard()
        with playing(ladder) as (address, played):
            before = played()
            until(lambda: played() > before)  # noqa: B023 - asked here alone
            for _ in range(TURNS):
                alone.append(asyncio.run(rate(played)))
                beside.append(asyncio.run(beside_people(address, think, heard, played)))
        shares = [one / other for one, other in zip(beside, alone, strict=True)]
        ninth = statistics.quantiles(heard.waits_ms, n=10)[-1]
        print(
            f"\n{PEOPLE} people who answer {pace}: the ladder keeps {statistics.median(shares):.2f}"
            f" ({min(shares):.2f} to {max(shares):.2f}) of {statistics.median(alone):.0f} matches/s"
            f" (at least {GOAL_SHARE} is wanted)\n"
            f"an answer takes {statistics.median(heard.waits_ms):.0f} ms, nine of ten at most "
            f"{ninth:.0f} ms (at most {GOAL_MS} is wanted); {len(heard.waits_ms)} answers, "
            f"{heard.matches} matches, {heard.forfeits} forfeits"
        )
        assert not heard.forfeits


@contextmanager
def playing(ladder: Path) -> Iterator[tuple[str, Callable[[], int]]]:
    """Serve and play a ladder; yield the server's host, and what counts its matches."""
    tables = [LADDER, "serve", "--tables", PEOPLE, "--port", 0, "--ladder", ladder]
    matches = [LADDER, "run", "--matches", MATCHES, "--ladder", ladder]
    with (
        subprocess.Popen([*map(str, tables)], stdout=subprocess.PIPE, text=True) as server,
        subprocess.Popen([*map(str, matches)], stdout=subprocess.DEVNULL) as ladder_run,
    ):
        assert server.stdout is not None
        host = urlsplit(server.stdout.readline().split()[1]).netloc
        try:
            yield host, lambda: stored(ladder)
        finally:
            ladder_run.terminate()
            server.terminate()


def stored(ladder: Path) -> int:
    """Return how many matches a ladder has."""
    with reading(ladder) as database:
        (found,) = database.execute("select count(*) from records").fetchone()
    return int(found)


async def rate(played: Callable[[], int]) -> float:
    """Return the matches a second of some seconds."""
    await asyncio.sleep(SETTLE_S)
    before, began = played(), time.monotonic()
    await asyncio.sleep(SECONDS)
    return (played() - before) / (time.monotonic() - began)


async def beside_people(
    host: str, think: Callable[[], float], heard: Heard, played: Callable[[], int]
) -> float:
    """Return the same, while people play."""
    async with asyncio.TaskGroup() as group:
        people = [Person(host, number, think, heard).play() for number in range(PEOPLE)]
        playing = [group.create_task(one) for one in people]
        found = await rate(played)
        for one in playing:
            one.cancel()
    return found


class Person:
    """Plays match after match."""

    def __init__(self, host: str, number: int, think: Callable[[], float], heard: Heard) -> None:
        """Come from an address of one's own."""
        self._host, self._port = host.split(":")
        self._headers = f"Host: {host}\r\nX-Forwarded-For: 192.0.2.{number}\r\n"
        self._think = think
        self._heard = heard

    async def play(self) -> None:
        """Play until cancelled, and then leave."""
        while True:
            head, _ = await self._send("/play/", SEATS)
            table = re.search(rb"location: (\S+)", head)
            cookie = re.search(rb"set-cookie: ([^;]+)", head)
            assert table, head
            assert cookie, head
            headers = f"Cookie: {cookie[1].decode()}\r\n"
            try:
                async with self._wire() as looks:
                    await self._match(looks, table[1].decode(), headers)
            finally:
                await self._send(f"{table[1].decode()}leave", {}, headers)

    async def _send(self, path: str, form: dict[str, Any], headers: str = "") -> Answer:
        """Send a form, over a connection of its own: an idle one may have been closed."""
        async with self._wire() as ask:
            answer: Answer = await ask("POST", path, urlencode(form), headers)
            return answer

    async def _match(self, looks: Any, table: str, headers: str) -> None:
        version, answered = -1, 0.0
        while True:
            _, body = await looks("GET", f"{table}state?after={version}", "", headers)
            seen = orjson.loads(body)
            version = seen["version"]
            if answered:
                self._heard.waits_ms.append(1000 * (time.monotonic() - answered))
                answered = 0.0
            if seen["state"] not in ("lobby", "playing"):
                break
            if seen["asked"]:
                await asyncio.sleep(self._think())
                answered = time.monotonic()
                asked = seen["asked"]
                option = random.randrange(len(asked["options"]))
                form = {"question": asked["question"], "option": option}
                head, _ = await self._send(f"{table}answer", form, headers)
                assert b" 303 " in head, head
        self._heard.matches += 1
        self._heard.forfeits += sum(bool(outcome[2]) for outcome in seen["film"]["outcomes"])

    @asynccontextmanager
    async def _wire(self) -> AsyncIterator[Any]:
        reader, writer = await asyncio.open_connection(self._host, self._port)

        async def ask(method: str, path: str, body: str, headers: str = "") -> Answer:
            kind = "Content-Type: application/x-www-form-urlencoded\r\n" if body else ""
            writer.write(
                f"{method} {path} HTTP/1.1\r\n{self._headers}{headers}{kind}"
                f"Accept-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            found = await reader.readexactly(int(length[1])) if length else b""
            if b"content-encoding: gzip" in head:
                found = zlib.decompress(found, wbits=31)
            return head, found

        try:
            yield ask
        finally:
            writer.close()
