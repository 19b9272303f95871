"""Speaks gRPC by itself, with the settings that the library has by default.

The first argument says when it ends its stream: "never", "soon", which is some milliseconds
after its first answer, "hidden", which is the same in a child in a session of its own, or "awake",
when its clock jumps because it was stopped. Its process lives on for a while.

With "pings" it never does, but sends a keep-alive every two seconds, and thinks for some
milliseconds about its first decision.
"""

import os
import queue
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import grpc
from courtyard.v1 import referee_pb2, referee_pb2_grpc
from courtyard_kit import stream
from courtyard_kit.courtisans import Action, Position, run
from courtyard_kit.pipes import Answer

WHEN, *MILLISECONDS = sys.argv[1:]
JUMP_S = 0.4
KEEN = (
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 1_000),
    ("grpc.http2.ping_timeout_ms", 1_000),
    ("grpc.http2.max_pings_without_data", 0),
)


def play(hello: referee_pb2.Hello, answer: Answer) -> None:
    """Take the place of the kit's own stream."""
    hello.seat_token = Path(os.environ["COURTYARD_TOKEN_FILE"]).read_text().strip()
    outgoing: queue.SimpleQueue[referee_pb2.BotMessage] = queue.SimpleQueue()
    outgoing.put(referee_pb2.BotMessage(hello=hello))
    channel = grpc.insecure_channel(
        os.environ["COURTYARD_ADDRESS"], KEEN if WHEN == "pings" else ()
    )
    call: Any = referee_pb2_grpc.RefereeStub(channel).Play(iter(outgoing.get, None))
    try:
        for number, message in enumerate(answered(call, answer)):
            outgoing.put(message)
            if number == 0 and WHEN in {"soon", "hidden", "awake"}:
                Thread(target=end, args=(call,), daemon=True).start()
    except grpc.RpcError:
        time.sleep(0.5)  # the end of its process is another matter


def answered(call: Any, answer: Answer) -> Iterator[referee_pb2.BotMessage]:
    """Yield the answers to what comes."""
    for message in call:
        if reply := answer(message):
            yield reply


def end(call: Any) -> None:
    """End the stream when it is time."""
    if MILLISECONDS:
        time.sleep(float(MILLISECONDS[0]) / 1000)
    else:
        before = time.monotonic()
        while time.monotonic() - before < JUMP_S:
            before = time.monotonic()
            time.sleep(0.002)
    call.cancel()


def choose(position: Position) -> Action:
    """Play at random."""
    if WHEN == "pings" and position.turn <= position.seats:
        time.sleep(float(MILLISECONDS[0]) / 1000)
    return position.random_action()


if WHEN == "hidden":
    if os.fork():
        time.sleep(100_000)
    os.setsid()
stream.play = play
run(choose, name="own_client")
