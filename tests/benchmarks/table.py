"""One table of warm bots, in a process of its own, that plays as long as it is told.

Started by the benchmarks as `python table.py KIND CORES SEATS REQUEST_BYTES REPLY_BYTES`; KIND is
"match" (the real referee, the real rules, the sample bot `random`) or "echo" (a bare grpcio server
and a client a seat that send as many bytes). CORES are where all its processes may run, such as "0"
or "0,1". Reads a number of seconds a line, answers each with the round trips done and the seconds
they took.
"""

import asyncio
import atexit
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")  # it would say so for every client

import grpc
import grpc.aio
import uvloop

from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec

ROOT = Path(__file__).resolve().parents[2]
RANDOM = ROOT / "sample_bots" / "python" / "courtisans" / "random"


def play_matches(seats: int) -> Callable[[float], tuple[int, float]]:
    """Return what plays real matches for some seconds and counts their decisions."""
    manifest = load_manifest(RANDOM)
    entrant = BotSpec(manifest.name, manifest.directory, manifest.command)
    host = Host()
    played = 0

    def play(seconds: float) -> tuple[int, float]:
        nonlocal played
        decisions, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < seconds:
            played += 1
            spec = MatchSpec(f"bench-{played}", "courtisans", (entrant,) * seats, str(played))
            record = host.play(spec)
            if any(outcome.forfeit for outcome in record.outcomes):
                raise SystemExit("a bot forfeited: the measurement is void")
            decisions += len(record.decisions)
        return decisions, taken

    return play


def play_echo(seats: int, request: bytes, reply_bytes: int) -> Callable[[float], tuple[int, float]]:
    """Return what passes messages to each client in turn for some seconds and counts them."""
    runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
    streams = runner.run(_echo_streams(seats, reply_bytes))

    async def passing(seconds: float) -> tuple[int, float]:
        trips, began = 0, time.perf_counter()
        while (taken := time.perf_counter() - began) < seconds:
            for stream in streams:
                await stream.write(request)
                await stream.read()
            trips += seats
        return trips, taken

    return lambda seconds: runner.run(passing(seconds))


async def _echo_streams(seats: int, reply_bytes: int) -> list[Any]:
    streams: asyncio.Queue[Any] = asyncio.Queue()

    async def hold(_requests: object, context: Any) -> None:
        await context.read()
        await streams.put(context)
        await asyncio.Event().wait()

    handler: Any = grpc.stream_stream_rpc_method_handler(hold)
    folder = tempfile.mkdtemp(prefix="courtyard-echo-")
    for seat in range(seats):
        server = grpc.aio.server()
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("echo", {"Echo": handler}),)
        )
        address = f"unix:{folder}/{seat}.sock"
        server.add_insecure_port(address)
        await server.start()
        _SERVERS.append(server)
        _start_client(address, reply_bytes)
    return [await streams.get() for _ in range(seats)]


def _start_client(address: str, reply_bytes: int) -> None:
    """Start a client that ends with this process."""
    client = Path(__file__).with_name("echo_client.py")
    process = subprocess.Popen([sys.executable, str(client), address, str(reply_bytes)])
    atexit.register(process.kill)


_SERVERS: list[Any] = []
"""Keeps servers alive: grpcio stops one without a reference."""


def main(kind: str, cores: str, seats: int, request_bytes: int, reply_bytes: int) -> None:
    """Play for as many seconds as each line says."""
    os.sched_setaffinity(0, map(int, cores.split(",")))
    if kind == "echo":
        play = play_echo(seats, b"x" * request_bytes, reply_bytes)
    else:
        play = play_matches(seats)
    for line in sys.stdin:
        print(*play(float(line)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
