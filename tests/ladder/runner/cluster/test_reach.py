"""Only a scheduler of the same cluster is talked to; anything else is named in one line."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from ladder.model.errors import LadderError
from ladder.runner.cluster.certificates import ClusterCertificates
from ladder.runner.cluster.reach import SchedulerUnreachableError, parsed, reach

Speak = Callable[[socket.socket], None]


@pytest.fixture
def ours(tmp_path: Path) -> ClusterCertificates:
    """The certificates of our cluster."""
    made = ClusterCertificates(tmp_path / "ours")
    made.make()
    return made


@pytest.fixture
def others(tmp_path: Path) -> ClusterCertificates:
    """The certificates of another cluster."""
    made = ClusterCertificates(tmp_path / "others")
    made.make()
    return made


@contextmanager
def listening(speak: Speak) -> Iterator[str]:
    """Listen on loopback for one connection, and speak there; yield the address."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with suppress(OSError), server.accept()[0] as connection:
                speak(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"tls://127.0.0.1:{server.getsockname()[1]}"
        thread.join()


def speaks_tls(
    certificates: ClusterCertificates, accepted: ClusterCertificates | None = None
) -> Speak:
    """Return what greets over TLS those who have the certificate of a cluster, as Dask does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.file)
    context.load_verify_locations((accepted or certificates).file)
    context.verify_mode = ssl.CERT_REQUIRED

    def speak(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            secured.sendall(b"hello")
            secured.recv(1)

    return speak


def test_a_scheduler_of_the_cluster_is_reached(ours: ClusterCertificates) -> None:
    """Who has the same certificate is reached; our own address there is told."""
    with listening(speaks_tls(ours)) as address:
        assert reach(address, ours) == "127.0.0.1"


def test_another_certificate_is_refused(
    ours: ClusterCertificates, others: ClusterCertificates
) -> None:
    """A scheduler with another certificate is not talked to."""
    with listening(speaks_tls(others)) as address, pytest.raises(LadderError) as caught:
        reach(address, ours)
    assert str(caught.value) == (
        f"{address}: its certificate is not that of this cluster, {ours.file}"
    )


@pytest.mark.parametrize(
    ("days", "told"), [(10, "is not valid yet"), (-10_000, "has expired")], ids=["late", "early"]
)
def test_a_wrong_clock_is_not_told_as_another_cluster(
    days: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the clock of one machine is days off, that is told, and what the clock says."""

    class Clock(datetime):
        """The clock of who made the certificates."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.now(tz) + timedelta(days=days)

    monkeypatch.setattr("ladder.runner.cluster.certificates.datetime", Clock)
    made = ClusterCertificates(tmp_path / "made")
    made.make()
    with listening(speaks_tls(made)) as address, pytest.raises(LadderError) as caught:
        reach(address, made)
    clock = f"by this machine's clock, which says {datetime.now(UTC):%Y}"
    assert str(caught.value).startswith(f"{address}: its certificate {told} {clock}")


def test_our_certificate_is_refused(ours: ClusterCertificates, others: ClusterCertificates) -> None:
    """Who shows another certificate than the scheduler accepts is told so."""
    with (
        listening(speaks_tls(ours, accepted=others)) as address,
        pytest.raises(LadderError) as caught,
    ):
        reach(address, ours)
    told = f"{address}: it does not accept the certificate {ours.file}"
    assert str(caught.value).startswith(told)


def test_plain_text_is_refused(ours: ClusterCertificates) -> None:
    """A peer that speaks no TLS is not talked to."""
    with (
        listening(lambda plain: plain.sendall(b"220 here is no TLS\r\n")) as address,
        pytest.raises(LadderError) as caught,
    ):
        reach(address, ours)
    assert str(caught.value).startswith(f"{address}: the server there does not speak TLS")


def test_no_scheduler_there(ours: ClusterCertificates) -> None:
    """An address without a listener is unreachable, perhaps only for now."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tls://127.0.0.1:{server.getsockname()[1]}"
    with pytest.raises(SchedulerUnreachableError, match="Connection refused"):
        reach(address, ours)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("tcp://ares:8786", "without TLS anyone on the network could run programs"),
        ("ares:8786", "is not a scheduler's address"),
        ("tls://:8786", "is not a scheduler's address"),
        ("tls://ares:port", "is not a scheduler's address"),
        ("tls://ares:99999", "is not a scheduler's address"),
        ("tls://ares:0", "is not a scheduler's address"),
        ("tls://::1", "is not a scheduler's address"),
        ("tls://[ares]", "is not a scheduler's address"),
        ("tls://ann@ares", "is not a scheduler's address"),
    ],
)
def test_addresses(address: str, told: str) -> None:
    """Only tls://HOST:PORT is an address; the error says what was given."""
    with pytest.raises(LadderError, match=told) as caught:
        parsed(address)
    assert address in str(caught.value)


def test_the_port_may_be_left_out() -> None:
    """Without a port it is that of Dask; an IPv6 address stands in brackets."""
    assert parsed("tls://ares") == ("ares", 8786)
    assert parsed("tls://[::1]:99") == ("::1", 99)
    assert parsed("tls://[::1]") == ("::1", 8786)
    assert parsed(" TLS://ares:99/\n") == ("ares", 99)
