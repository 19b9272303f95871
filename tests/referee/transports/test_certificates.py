"""Renewing certificates while a server runs."""

import asyncio
import logging
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from referee.core.errors import UsageError
from referee.transports.gateway import BotGateway
from tests.support.remote_bots import HERE, Keys, Registry, dialled, heard, hello, joined, quiet


@pytest.mark.costly
def test_a_renewed_certificate_is_shown_to_the_next_client(tmp_path: Path) -> None:
    """The gateway and its streams stay open; while certificate and key differ, the old serves.

    The owner learns once that they differ, and once that they match.
    """
    keys, told = Keys.made(tmp_path), list[tuple[int, str]]()
    chain, key = keys.issued()

    async def main() -> None:
        registry = Registry(ann="ada")
        gateway = BotGateway(registry.admit, registry.notice, "9.9")
        credentials = keys.of_gate.credentials(lambda level, text: told.append((level, text)))
        address = await gateway.open(f"{HERE}:0", credentials)

        def shown() -> asyncio.Future[str]:
            return asyncio.ensure_future(asyncio.to_thread(keys.shown_at, address))

        with keys.for_bot() as theirs:
            async with dialled(address, theirs) as channel:
                stream = await joined(channel, hello())
                assert (await heard(stream)).HasField("welcome")
                before = await shown()
                keys.of_gate.chain.write_bytes(chain)
                assert (await shown(), await shown()) == (before, before)
                keys.of_gate.key.write_bytes(key)
                after = await shown()
                assert after == await shown() != before
                await gateway.close()
                assert (await stream.code()).name == "OK"

    asyncio.run(main())
    assert [level for level, _ in told] == [logging.WARNING, logging.INFO]
    differ, renewed = (text for _, text in told)
    assert differ.startswith(f"{keys.of_gate.chain}: no certificate, or not the one of the key")
    assert renewed == f"{keys.of_gate.chain}: the renewed certificate is used from now on"


def test_a_key_with_a_password_is_refused(tmp_path: Path) -> None:
    """A server starts, and reads its files again, without anybody to ask for a password."""
    keys = Keys.made(tmp_path)
    _, key = keys.issued()
    locked = load_pem_private_key(key, None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"a password")
    )
    keys.of_gate.key.write_bytes(locked)

    with pytest.raises(
        UsageError, match=r"gateway\.pem: no certificate, or not the one of the key"
    ):
        keys.of_gate.credentials(quiet)


def test_a_missing_key_is_called_by_its_name(tmp_path: Path) -> None:
    """The error names the missing one of two files."""
    keys = Keys.made(tmp_path)
    keys.of_gate.key.unlink()

    with pytest.raises(UsageError, match=f"{keys.of_gate.key}: No such file"):
        keys.of_gate.credentials(quiet)
