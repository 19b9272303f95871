"""Strangers at the gateway cannot fill its memory, bar bots from it, or stay."""

import asyncio
import gc
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from referee.transports import public_listener
from referee.transports.gateway import BotGateway
from referee.transports.relay import Relay
from tests.support import http2_client
from tests.support.http2_client import NEWEST, STATIC, Raw
from tests.support.lacking import need_proc
from tests.support.remote_bots import HERE, Keys, Registry, dialled, heard, hello, joined, quiet

PLAY = "/courtyard.v1.Referee/Play"
MOST_GROWTH_MIB = 128
SOON_S = 20


class Opened:
    """An open gateway, and what strangers need to reach it."""

    def __init__(self, keys: Keys, address: str) -> None:
        """Take its keys and address."""
        self.keys = keys
        self.address = address
        self.context = ssl.create_default_context(cafile=str(keys.roots))
        self.context.set_alpn_protocols(["h2"])

    async def welcomes_ada(self) -> None:
        """Fail unless a bot with a token can now connect."""
        with self.keys.for_bot() as credentials:
            async with dialled(self.address, credentials) as channel:
                assert (await heard(await joined(channel, hello()))).HasField("welcome")


def at_a_gate(folder: Path, test: Callable[[Opened], Awaitable[None]]) -> None:
    """Run a test at a gateway."""

    async def main() -> None:
        keys, registry = Keys.made(folder), Registry(ann="ada")
        gateway = BotGateway(registry.admit, registry.notice, "9.9")
        address = await gateway.open(f"{HERE}:0", keys.of_gate.credentials(quiet))
        try:
            async with asyncio.timeout(SOON_S):
                await test(Opened(keys, address))
        finally:
            await gateway.close()

    asyncio.run(main())


def peak_mib() -> float:
    """Return this process's peak memory since `forget_peak`."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024


def forget_peak() -> None:
    """Reset the peak memory."""
    need_proc()
    Path("/proc/self/clear_refs").write_text("5")


def test_header_references_fill_no_memory(tmp_path: Path) -> None:
    """A byte that names a header field costs the gateway no more than its sender."""

    async def test(gateway: Opened) -> None:
        def attack() -> None:
            with ExitStack() as stack:
                for entry in (NEWEST, STATIC) * 5:
                    for endless in (False, True):
                        raw = Raw(gateway.address, gateway.context)
                        stack.callback(raw.close)
                        if endless:
                            http2_client.endless_block(raw, PLAY, 20, entry)
                        else:
                            http2_client.references(raw, PLAY, 8, entry, 4000)

        await gateway.welcomes_ada()
        forget_peak()
        before = peak_mib()
        await asyncio.to_thread(attack)
        await gateway.welcomes_ada()
        assert peak_mib() - before <= MOST_GROWTH_MIB

    at_a_gate(tmp_path, test)


def test_idle_connections_keep_no_bot_out(tmp_path: Path) -> None:
    """Connections without a handshake or a Hello cannot bar a bot."""

    async def test(gateway: Opened) -> None:
        host, _, port = gateway.address.rpartition(":")
        idle = [await asyncio.open_connection(host, int(port)) for _ in range(300)]
        await gateway.welcomes_ada()
        for _, writer in idle:
            writer.close()

    at_a_gate(tmp_path, test)


def test_who_shows_no_token_is_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger goes after a while; a joined bot stays, however long."""

    async def test(gateway: Opened) -> None:
        with gateway.keys.for_bot() as credentials:
            async with dialled(gateway.address, credentials) as channel:
                stream = await joined(channel, hello())
                assert (await heard(stream)).HasField("welcome")
                raw = await asyncio.to_thread(Raw, gateway.address, gateway.context)
                raw.begin(0, PLAY)
                monkeypatch.setattr(public_listener, "SECONDS_TO_BE_KNOWN", 0.0)
                await asyncio.to_thread(raw.wait)
                raw.close()
                assert not stream.done()

    monkeypatch.setattr(public_listener, "_SECONDS_BETWEEN_LOOKS", 0.01)
    at_a_gate(tmp_path, test)


@pytest.fixture
def no_collection() -> Iterator[None]:
    """Let no garbage collection happen."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def until_relays_are(number: int) -> None:
    """Wait until `number` relays are in memory."""
    while sum(isinstance(each, Relay) for each in gc.get_objects()) != number:  # noqa: ASYNC110
        await asyncio.sleep(0)


@pytest.mark.usefixtures("no_collection")
def test_a_connection_that_ends_leaves_nothing(tmp_path: Path) -> None:
    """Its buffers are free at once, not when a garbage collection happens to come."""

    async def test(gateway: Opened) -> None:
        await gateway.welcomes_ada()
        await until_relays_are(0)

    at_a_gate(tmp_path, test)


@pytest.mark.usefixtures("no_collection")
def test_connections_that_make_room_at_once_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that end before their handshake begins are forgotten, too."""

    async def test(gateway: Opened) -> None:
        host, _, port = gateway.address.rpartition(":")
        with ExitStack() as stack:
            for _ in range(10):  # all before the gateway looks
                stack.enter_context(socket.create_connection((host, int(port))))
            await until_relays_are(1)

    monkeypatch.setattr("referee.transports.gateway._MOST_UNKNOWN", 1)
    at_a_gate(tmp_path, test)
