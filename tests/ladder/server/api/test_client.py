"""The client of a remote ladder: its address, its TLS, and what it says of what it cannot reach."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trustme

from ladder.cli.remote.client import RemoteLadder
from ladder.cli.remote.http import CutError, Http, address_of
from ladder.model.errors import ApiError
from ladder.storage.ladder import Ladder
from tests.support.api_server import Tls, serving


class Certificates:
    """An authority, a server's certificate, and a client's of another authority."""

    def __init__(self, folder: Path) -> None:
        """Write the certificates."""
        authority, clients = trustme.CA(), trustme.CA()
        server, client = authority.issue_cert("localhost"), clients.issue_cert("ann@example.org")
        self.ca, self.client_ca = folder / "ca.pem", folder / "clients.pem"
        self.cert, self.key = folder / "cert.pem", folder / "key.pem"
        self.own_cert, self.own_key = folder / "own.pem", folder / "own-key.pem"
        authority.cert_pem.write_to_path(str(self.ca))
        clients.cert_pem.write_to_path(str(self.client_ca))
        server.cert_chain_pems[0].write_to_path(str(self.cert))
        server.private_key_pem.write_to_path(str(self.key))
        client.cert_chain_pems[0].write_to_path(str(self.own_cert))
        client.private_key_pem.write_to_path(str(self.own_key))


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Make certificates once."""
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def secured(ladder: Ladder, certificates: Certificates) -> Iterator[str]:
    """Serve the author API with TLS, as a web server in front does; this is localhost:PORT."""
    with serving([ladder], tls=Tls(certificates.cert, certificates.key)) as address:
        yield address.replace("127.0.0.1", "localhost")


def test_tls(
    secured: str, certificates: Certificates, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that trusts the certificate connects; others learn why they cannot."""
    with (
        RemoteLadder(f"https://{secured}", token) as stranger,
        pytest.raises(ApiError, match=r"has a certificate that cannot be trusted: .*issuer"),
    ):
        stranger.standings()
    with (
        RemoteLadder(f"http://{secured}", token) as plain,
        pytest.raises(
            ApiError,
            match=r"cannot be reached without TLS.*whether its address is https://localho",
        ),
    ):
        plain.standings()

    monkeypatch.setenv("COURTYARD_CA_FILE", str(certificates.ca))
    with RemoteLadder(secured, token) as remote:
        assert len(remote.standings()[0]) == 4
    with (
        RemoteLadder(f"https://{secured.replace('localhost', '127.0.0.1')}", token) as other,
        pytest.raises(ApiError, match="has the certificate of another host"),
    ):
        other.standings()


def test_mtls(
    ladder: Ladder, certificates: Certificates, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With client certificates required, a token alone is not enough."""
    files = certificates
    monkeypatch.setenv("COURTYARD_CA_FILE", str(files.ca))
    with serving([ladder], tls=Tls(files.cert, files.key, files.client_ca)) as address:
        url = f"https://{address.replace('127.0.0.1', 'localhost')}"
        with (
            RemoteLadder(url, token) as stranger,
            pytest.raises(ApiError, match="one of yours"),
        ):
            stranger.standings()
        monkeypatch.setenv("COURTYARD_CERT_FILE", str(files.own_cert))
        monkeypatch.setenv("COURTYARD_KEY_FILE", str(files.own_key))
        with RemoteLadder(url, token) as remote:
            assert len(remote.standings()[0]) == 4


@pytest.mark.parametrize("dropped", [2, 3])
def test_a_dropped_connection_is_asked_again(dropped: int) -> None:
    """A question whose connection ends without an answer is asked three times, no more."""

    def answer() -> None:
        for _ in range(dropped):
            listener.accept()[0].close()
        if dropped < 3:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        http = Http(f"http://127.0.0.1:{listener.getsockname()[1]}", "a token")
        if dropped < 3:
            assert http.get("/standings") == b"here"
        else:
            with pytest.raises(CutError):
                http.get("/standings")
        thread.join()


def test_an_authors_own_files_that_are_no_good(
    certificates: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error names the wrong file before anything is sent."""
    monkeypatch.setenv("COURTYARD_CA_FILE", str(certificates.key))
    with pytest.raises(ApiError, match=r"COURTYARD_CA_FILE: .*key\.pem: no certificates"):
        RemoteLadder("https://localhost:1", "")
    monkeypatch.setenv("COURTYARD_CA_FILE", str(certificates.ca))
    monkeypatch.setenv("COURTYARD_CERT_FILE", str(certificates.own_cert))
    monkeypatch.setenv("COURTYARD_KEY_FILE", str(certificates.key))
    with pytest.raises(
        ApiError, match=r"COURTYARD_CERT_FILE: .*own\.pem: no certificate in PEM, or"
    ):
        RemoteLadder("https://localhost:1", "")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("ladder.example.org", "https://ladder.example.org:443"),
        ("ladder.example.org:8443", "https://ladder.example.org:8443"),
        ("https://ladder.example.org/", "https://ladder.example.org:443"),
        ("https://ladder.example.org/clubs/api/v1", "https://ladder.example.org:443/clubs"),
        ("http://10.0.0.1", "http://10.0.0.1:80"),
        ("10.0.0.1:80", "https://10.0.0.1:80"),
        ("127.0.0.1:1", "http://127.0.0.1:1"),
        ("[::1]:1", "http://[::1]:1"),
        ("localhost:1", "http://localhost:1"),
        ("https://localhost:1", "https://localhost:1"),
        (" 127.0.0.1:1\r\n", "http://127.0.0.1:1"),
        ("HTTPS://ladder.example.org:8443", "https://ladder.example.org:8443"),
        ("127.0.0.1.example.org:1", "https://127.0.0.1.example.org:1"),
    ],
)
def test_a_token_is_not_sent_in_the_clear_by_mistake(url: str, address: str) -> None:
    """Without a scheme, only loopback addresses go without TLS."""
    assert address_of(url).url == address


def test_who_names_authorities_means_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CA file is for TLS, on loopback addresses too."""
    monkeypatch.setenv("COURTYARD_CA_FILE", "ca.pem")
    assert address_of("localhost:1").secure


@pytest.mark.parametrize(
    "url",
    [
        *("", "https://", ":1", "ftp://host:1", "host:port", "a:99999"),
        *("http://ann@host:1", "[host]:1", "[::1", "a b:1", "host:1/?x=y"),
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    """The error shows an example."""
    with pytest.raises(ApiError, match="a ladder's address is https://HOST or http://HOST:PORT"):
        address_of(url)


PROXY = "http://127.0.0.1:9"
"""Where nothing answers."""


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy"])
def test_no_proxy_stands_before_loopback(
    api: str, token: str, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A network's proxy, which the environment names, is not asked for this machine."""
    monkeypatch.setenv(variable, PROXY)

    with RemoteLadder(api, token) as remote:
        assert remote.versions()


def test_a_proxy_that_is_in_the_way_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a ladder cannot be reached, the error names the variable and the way around it."""
    monkeypatch.setenv("https_proxy", PROXY)

    with (
        RemoteLadder("https://192.0.2.1:1", "token") as remote,
        pytest.raises(ApiError, match=r"variable https_proxy names a proxy.* 192\.0\.2\.1 into"),
    ):
        remote.versions()


def said_by(answer: bytes) -> str:
    """Return what a client says of a server that answers so."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError):  # until it is closed: who is cut off asks again
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        connection.recv(65536)
                        connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        port = listening.getsockname()[1]
        with RemoteLadder(f"127.0.0.1:{port}", "token") as remote, pytest.raises(ApiError) as said:
            remote.versions()
    return str(said.value)


def test_what_is_no_ladder() -> None:
    """Another port, an older author API or a proxy's page give a line that says what to check."""
    settings = b"\0\0\0\4\0\0\0\0\0"  # as an HTTP/2 server begins
    elsewhere = b"HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
    page = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 5\r\n\r\n<html"

    assert "does not answer in HTTP: since its author API is on the pages' port" in said_by(
        settings
    )
    assert "answers 302 Found: is this the address of a ladder's pages" in said_by(elsewhere)
    assert "answers 502 Bad Gateway: is this the address of a ladder's pages" in said_by(page)
    assert "cannot be reached without TLS: " in said_by(b"")
