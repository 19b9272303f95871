"""Floods of HTTP/2 at a ladder's gateway of remote bots, by strangers and by an author."""

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import grpc
import pytest
from courtyard.v1 import referee_pb2_grpc

from ladder.runner.remote.gateway import Gateway
from ladder.runner.remote.gateway_process import GatewaySettings
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.submission.submit import submit
from referee.sandbox.program import Level
from tests.support.http2_client import (
    CONTINUATION,
    DATA,
    END_HEADERS,
    HEADERS,
    NEWEST,
    PING,
    RST_STREAM,
    SETTINGS,
    STATIC,
    WINDOW_UPDATE,
    Raw,
    call,
    endless_block,
    frame,
    references,
)
from tests.support.processes import children, heap_mib, is_python_child
from tests.support.remote_bots import HERE, Keys, hello

PLAY = "/courtyard.v1.Referee/Play"
MOST_GROWTH_MIB = 128
MOST_ANSWER_S = 1.0
SECONDS = 600
SECONDS_BETWEEN_WAVES = 0.5
SECONDS_BETWEEN_WELCOMES = 0.2
CONNECTIONS = 4
FLOOD = 5_000
CANCEL = (8).to_bytes(4)


@dataclass
class Besieged:
    """A gateway, and what its visitors need."""

    address: str
    keys: Keys
    token: str
    pid: int
    gateway: Gateway
    open: list[Raw] = field(default_factory=list)

    @property
    def context(self) -> ssl.SSLContext:
        """Return what a client of TLS needs."""
        context = ssl.create_default_context(cafile=str(self.keys.roots))
        context.set_alpn_protocols(["h2"])
        return context

    def connect(self) -> Raw:
        """Open a connection that speaks HTTP/2."""
        raw = Raw(self.address, self.context)
        raw.socket.settimeout(1)
        self.open.append(raw)
        return raw

    def plain(self) -> socket.socket:
        """Open a connection that says nothing."""
        host, _, port = self.address.rpartition(":")
        return socket.create_connection((host, int(port)))

    def welcomes(self, bot: str) -> float:
        """Let a bot join by a new connection; return how many seconds its welcome took."""
        began = time.monotonic()
        credentials = grpc.ssl_channel_credentials(self.keys.roots.read_bytes())
        options = [("grpc.use_local_subchannel_pool", 1)]
        with grpc.secure_channel(self.address, credentials, options) as channel:
            stream = referee_pb2_grpc.RefereeStub(channel).Play(iter([hello(bot, self.token)]))
            assert next(stream).HasField("welcome")
        answered = time.monotonic()
        self.gateway.take()  # as a run does; otherwise its news would pile up
        return answered - began


def flood(gateway: Besieged, frames: Callable[[int], bytes], first: bytes = b"") -> None:
    """Send many frames on each of a few connections, in pieces, until they are ended."""
    for _ in range(CONNECTIONS):
        with suppress(OSError):
            raw = gateway.connect()
            raw.send(first)
            for begin in range(0, FLOOD, 500):
                raw.socket.sendall(b"".join(map(frames, range(begin, begin + 500))))


def pings(gateway: Besieged, _: ExitStack) -> None:
    """Ask to be answered, and read no answer."""
    flood(gateway, lambda number: frame(PING, 0, 0, number.to_bytes(8)))


def settings(gateway: Besieged, _: ExitStack) -> None:
    """Change a setting again and again; each change asks for an answer."""
    flood(gateway, lambda number: frame(SETTINGS, 0, 0, b"\0\4" + (number + 1).to_bytes(4)))


def resets(gateway: Besieged, _: ExitStack) -> None:
    """Begin calls and take them back at once (CVE-2023-44487)."""
    flood(gateway, reset_call)


def reset_call(number: int) -> bytes:
    """Return a call that is taken back at once."""
    stream = 2 * number + 3
    begun = frame(HEADERS, END_HEADERS, stream, call(PLAY))
    return begun + frame(RST_STREAM, 0, stream, CANCEL)


def resets_of_an_author(gateway: Besieged, _: ExitStack) -> None:
    """Do so on a connection that has shown a token, where more calls are allowed."""
    said = hello("eve", gateway.token).SerializeToString()
    message = b"\0" + len(said).to_bytes(4) + said
    joined = frame(HEADERS, END_HEADERS, 1, call(PLAY)) + frame(DATA, 0, 1, message)
    flood(gateway, reset_call, joined)


def half_open(gateway: Besieged, _: ExitStack) -> None:
    """Begin calls, and say nothing in them."""
    flood(gateway, lambda number: frame(HEADERS, END_HEADERS, 2 * number + 1, call(PLAY)))


def empty_frames(gateway: Besieged, _: ExitStack) -> None:
    """Send parts of a message without content (CVE-2019-9518)."""
    begun = frame(HEADERS, END_HEADERS, 1, call(PLAY))
    flood(gateway, lambda _: frame(DATA, 0, 1), begun)


def windows(gateway: Besieged, _: ExitStack) -> None:
    """Allow a byte more, again and again."""
    flood(gateway, lambda _: frame(WINDOW_UPDATE, 0, 0, b"\0\0\0\1"))


def empty_blocks(gateway: Besieged, _: ExitStack) -> None:
    """Go on with header fields without an end (CVE-2024-27316)."""
    flood(gateway, lambda _: frame(CONTINUATION, 0, 1), frame(HEADERS, 0, 1, call(PLAY)))


def large_fields(gateway: Besieged, stack: ExitStack) -> None:
    """Name a large field of the table often, and send a block without an end."""
    for _ in range(CONNECTIONS):
        with suppress(OSError):
            references(gateway.connect(), PLAY, 8, NEWEST, 4000)
            endless_block(gateway.connect(), PLAY, 20, STATIC)


def large_messages(gateway: Besieged, _: ExitStack) -> None:
    """Announce a message of a gigabyte, and send what the gateway takes of it."""
    announced = b"\0" + (1 << 30).to_bytes(4)
    begun = frame(HEADERS, END_HEADERS, 1, call(PLAY)) + frame(DATA, 0, 1, announced)
    flood(gateway, lambda _: frame(DATA, 0, 1, b"x" * 1000), begun)


def idle_connections(gateway: Besieged, stack: ExitStack) -> None:
    """Open more connections than strangers may have, with half a handshake or none."""
    for number in range(800):
        with suppress(OSError):
            connection = stack.enter_context(gateway.plain())
            connection.sendall(b"\x16\x03\x01\x02\x00\x01"[: number % 7])


Attack = Callable[[Besieged, ExitStack], None]
ATTACKS: tuple[Attack, ...] = (
    *(pings, settings, resets, resets_of_an_author, half_open, empty_frames),
    *(windows, empty_blocks, large_fields, large_messages, idle_connections),
)


@contextmanager
def besieged(
    ladder: Ladder, folder: Path, make_remote_bot: Callable[..., Path]
) -> Iterator[Besieged]:
    """Open a ladder's gateway in a process of its own."""
    token = tokens.create(ladder, "eve")
    for name in ("ada", "eve"):
        submit(ladder, make_remote_bot(name), lambda _: None, author="eve")
    keys = Keys.made(folder)
    before = {*children(os.getpid())}
    where = GatewaySettings(f"{HERE}:0", keys.of_gate)
    with Gateway(ladder.home, where, Level.TRUSTED) as gateway:
        (pid,) = (
            one for one in children(os.getpid()) if one not in before and is_python_child(one)
        )
        yield Besieged(gateway.address, keys, token, pid, gateway)


def wave(attack: Attack, gateway: Besieged) -> None:
    """Attack once, and close what is left of the connections."""
    with ExitStack() as stack:
        attack(gateway, stack)
        while gateway.open:
            gateway.open.pop().socket.close()


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_flood_keeps_no_bot_out(
    attack: Attack, ladder: Ladder, tmp_path: Path, make_remote_bot: Callable[..., Path]
) -> None:
    """A bot with a token joins meanwhile, and the gateway's memory is bounded."""
    with besieged(ladder, tmp_path, make_remote_bot) as gateway:
        gateway.welcomes("ada")
        before = heap_mib(gateway.pid)
        wave(attack, gateway)
        gateway.welcomes("ada")
        assert heap_mib(gateway.pid) - before <= MOST_GROWTH_MIB


@pytest.mark.proof
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_gateway_goes_on_under_attack(
    attack: Attack,
    ladder: Ladder,
    tmp_path: Path,
    make_remote_bot: Callable[..., Path],
    proof_cases: Callable[[int], int],
) -> None:
    """For minutes, wave upon wave, bots are welcomed within a second, and memory is bounded."""
    over, waves = threading.Event(), 0
    answers: list[float] = []

    def attacks() -> None:
        nonlocal waves
        while not over.wait(SECONDS_BETWEEN_WAVES):
            wave(attack, gateway)
            waves += 1

    with besieged(ladder, tmp_path, make_remote_bot) as gateway:
        calm = max(gateway.welcomes("ada") for _ in range(5))
        before = most = heap_mib(gateway.pid)
        attacking = threading.Thread(target=attacks)
        attacking.start()
        until = time.monotonic() + proof_cases(SECONDS)
        try:
            while time.monotonic() < until and not over.wait(SECONDS_BETWEEN_WELCOMES):
                answers.append(gateway.welcomes("ada"))
                most = max(most, heap_mib(gateway.pid))
        finally:
            over.set()
            attacking.join()
    print(  # noqa: T201 -- a measurement
        f"\n{attack.__name__}: {waves} waves, {len(answers)} welcomes, median "
        f"{median(answers):.3f} s, at most {max(answers):.2f} s (calm {calm:.3f}), "
        f"{most - before:.0f} MiB more"
    )
    assert waves
    assert median(answers) <= MOST_ANSWER_S
    assert most - before <= MOST_GROWTH_MIB
