"""The author API admits only authors, is secured by TLS, and reports on itself."""

import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from courtyard.v1 import ladder_pb2 as pb
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from ladder.cli.remote.client import RemoteLadder, address_of
from ladder.model.errors import ApiError, SettingsError
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.server import AuthorApi, AuthorApiSettings
from ladder.storage import tokens
from ladder.storage.ladder import Ladder, create
from tests.ladder.server.api.conftest import SETTINGS, Visit, Visitor, opened, refusal
from tests.support.remote_bots import HERE, Keys
from tests.support.waiting import until

HELLO = pb.GetLadderRequest()


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
def secured(ladder: Ladder, certificates: Certificates) -> Iterator[AuthorApi]:
    """Serve the author API with TLS."""
    settings = AuthorApiSettings("localhost:0", certificates.cert, certificates.key)
    with opened([ladder], settings) as api:
        yield api


def test_an_author_comes_in(ann: Visitor, ladder: Ladder) -> None:
    """The API knows a token's author, and tells what the ladder is."""
    told = ann.call("GetLadder", HELLO)
    assert told.title == "ladder · Courtisans"

    assert (told.author, told.game, told.seats) == ("ann", "courtisans", 4)
    assert told.ladder_id == ladder.settings.ladder_id
    assert told.clock.bank_ms == ladder.settings.clock.bank_ms


def test_nobody_else_comes_in(api: AuthorApi, visit: Visit, ladder: Ladder, token: str) -> None:
    """A missing, wrong, expired or revoked token is refused; the error does not say which."""
    expired = tokens.create(ladder, "ann", timedelta(0))
    revoked = tokens.create(ladder, "ann")
    tokens.revoke(ladder, 3)

    none = refusal(lambda: visit(api.address).call("GetLadder", HELLO))
    assert (none.code, none.reason) == (grpc.StatusCode.UNAUTHENTICATED, "NO_TOKEN")
    wrong = [
        refusal(lambda bad=bad: visit(api.address, bad).call("GetLadder", HELLO))  # type: ignore[misc]
        for bad in ("nonsense", token[:-1] + "!", expired, revoked)
    ]
    assert {(each.code, each.reason, each.message) for each in wrong} == {
        (
            grpc.StatusCode.UNAUTHENTICATED,
            "BAD_TOKEN",
            "the token is wrong, expired or revoked; ask the ladder's owner for another one",
        )
    }


def test_every_method_wants_a_token(api: AuthorApi, visit: Visit) -> None:
    """Every method of the service requires a token."""
    stranger = visit(api.address)
    for method in pb.DESCRIPTOR.services_by_name["LadderService"].methods:
        empty = getattr(pb, method.input_type.name)()
        request = iter([empty]) if method.name == "Submit" else empty
        refused = refusal(lambda name=method.name, sent=request: stranger.call(name, sent))  # type: ignore[misc]
        assert (method.name, refused.reason) == (method.name, "NO_TOKEN")


def test_a_refusal_says_which_and_why(ann: Visitor) -> None:
    """An unknown bot gives a status, a line, and a machine-readable reason."""
    refused = refusal(lambda: ann.call("ListLogs", pb.ListLogsRequest(bot="nobody")))

    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "UNKNOWN_BOT")
    assert refused.message == (
        "there is no bot 'nobody' in this ladder; its bots: ann, bob, cat, dan"
    )


def test_a_token_opens_its_own_ladder(
    ladder: Ladder, tmp_path: Path, visit: Visit, token: str
) -> None:
    """One API may serve several ladders; the token selects one."""
    settings = ladder.settings
    other_home = create(
        tmp_path / "other",
        game="miracles",
        seats=3,
        config={},
        clock=settings.clock,
        secret="other",
    )
    with Ladder.open(other_home) as other, opened([ladder, other]) as api:
        of_other = tokens.create(other, "ann")
        games = [
            visit(api.address, each).call("GetLadder", HELLO).game for each in (token, of_other)
        ]

    assert games == ["courtisans", "miracles"]


def test_tls(
    secured: AuthorApi, certificates: Certificates, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that trusts the certificate connects; others learn why they cannot."""
    with (
        RemoteLadder(f"https://{secured.address}", token) as stranger,
        pytest.raises(ApiError, match=r"has a certificate that cannot be trusted: .*issuer"),
    ):
        stranger.standings()
    with (
        RemoteLadder(secured.address, token) as plain,
        pytest.raises(
            ApiError,
            match=r"cannot be reached without TLS.*whether its address is https://localho",
        ),
    ):
        plain.standings()

    monkeypatch.setenv("COURTYARD_CA_FILE", str(certificates.ca))
    with RemoteLadder(f"https://{secured.address}", token) as remote:
        assert len(remote.standings()[0]) == 4


def test_a_renewed_certificate_is_shown_to_whoever_comes_next(
    ladder: Ladder, tmp_path: Path
) -> None:
    """The API needs no restart."""
    keys = Keys.made(tmp_path)
    with opened(
        [ladder], AuthorApiSettings(f"{HERE}:0", keys.of_gate.chain, keys.of_gate.key)
    ) as api:
        before = keys.shown_at(api.address)
        chain, key = keys.issued()
        keys.of_gate.chain.write_bytes(chain)
        keys.of_gate.key.write_bytes(key)
        assert keys.shown_at(api.address) != before


def test_mtls(
    ladder: Ladder, certificates: Certificates, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With client certificates required, a token alone is not enough."""
    files = certificates
    monkeypatch.setenv("COURTYARD_CA_FILE", str(files.ca))
    settings = AuthorApiSettings("localhost:0", files.cert, files.key, files.client_ca)
    with opened([ladder], settings) as api:
        url = f"https://{api.address}"
        with (
            RemoteLadder(url, token) as stranger,
            pytest.raises(ApiError, match="one of yours"),
        ):
            stranger.standings()
        monkeypatch.setenv("COURTYARD_CERT_FILE", str(files.own_cert))
        monkeypatch.setenv("COURTYARD_KEY_FILE", str(files.own_key))
        with RemoteLadder(url, token) as remote:
            assert len(remote.standings()[0]) == 4


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (AuthorApiSettings("0.0.0.0:0"), "tokens would cross the network in the clear"),
        (AuthorApiSettings("[::]:0"), "tokens would cross the network in the clear"),
        (AuthorApiSettings("localhost:0", tls_cert=Path("cert")), "needs both"),
        (AuthorApiSettings("localhost:0", client_ca=Path("ca")), "needs both"),
        (AuthorApiSettings("localhost:0", Path("no"), Path("no")), "no: No such file"),
        (AuthorApiSettings("localhost"), "an address is HOST:PORT"),
        (AuthorApiSettings("localhost:99999"), "an address is HOST:PORT"),
        (AuthorApiSettings("no.such.host.invalid:1", plaintext=True), "no host with this name"),
    ],
)
def test_an_author_api_that_cannot_open(
    ladder: Ladder, settings: AuthorApiSettings, why: str
) -> None:
    """A failed start says why in one line."""
    with pytest.raises(SettingsError, match=why), opened([ladder], settings):
        pass


def test_plaintext_where_others_can_reach_it_has_to_be_said(
    ladder: Ladder, visit: Visit, token: str
) -> None:
    """Plaintext is allowed behind a TLS proxy."""
    with opened([ladder], AuthorApiSettings("0.0.0.0:0", plaintext=True)) as api:
        address = f"127.0.0.1:{api.address.rpartition(':')[2]}"
        assert visit(address, token).call("GetLadder", HELLO).author == "ann"


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
    ("url", "target", "secure"),
    [
        ("ladder.example.org:8443", "ladder.example.org:8443", True),
        ("https://ladder.example.org:8443/", "ladder.example.org:8443", True),
        ("http://10.0.0.1:80", "10.0.0.1:80", False),
        ("10.0.0.1:80", "10.0.0.1:80", True),
        ("127.0.0.1:1", "127.0.0.1:1", False),
        ("[::1]:1", "[::1]:1", False),
        ("localhost:1", "localhost:1", False),
        ("https://localhost:1", "localhost:1", True),
        ("::1:1", "[::1]:1", False),
        (" 127.0.0.1:1\r\n", "127.0.0.1:1", False),
        ("HTTPS://ladder.example.org:8443", "ladder.example.org:8443", True),
        ("127.0.0.1.example.org:1", "127.0.0.1.example.org:1", True),
    ],
)
def test_a_token_is_not_sent_in_the_clear_by_mistake(url: str, target: str, secure: bool) -> None:  # noqa: FBT001
    """Without a scheme, only loopback addresses go without TLS."""
    found = address_of(url)
    assert (found.target, found.secure) == (target, secure)


@pytest.mark.parametrize(
    "url",
    [
        *("", "host", "host:", ":1", "ftp://host:1", "host:port", "a:99999"),
        *("http://ann@host:1", "host:1/path", "[host]:1", "[::1", "a b:1"),
    ],
)
def test_an_address_that_is_none(url: str) -> None:
    """The error shows an example."""
    with pytest.raises(ApiError, match="the address of an author API is HOST:PORT"):
        address_of(url)


PROXY = "http://127.0.0.1:9"
"""Where nothing answers."""


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "grpc_proxy"])
def test_no_proxy_stands_before_loopback(
    api: AuthorApi, token: str, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A network's proxy, which the environment names, is not asked for this machine."""
    monkeypatch.setenv(variable, PROXY)

    with RemoteLadder(api.address, token) as remote:
        assert remote.versions()


def test_a_proxy_that_is_in_the_way_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a ladder cannot be reached, the error names the variable and the way around it."""
    monkeypatch.setenv("https_proxy", PROXY)

    with (
        RemoteLadder("http://192.0.2.1:1", "token") as remote,
        pytest.raises(ApiError, match=r"variable https_proxy names a proxy.* 192\.0\.2\.1 into"),
    ):
        remote.versions()


def test_too_many_requests_of_one_author(ladder: Ladder, visit: Visit, token: str) -> None:
    """A limited author learns how long to wait; other authors go on."""
    limits = RateLimits(requests=3, requests_a_second=0.001)
    with opened([ladder], replace(SETTINGS, limits=limits)) as api:
        ann, bob = (visit(api.address, each) for each in (token, tokens.create(ladder, "bob")))
        for _ in range(3):
            ann.call("GetLadder", HELLO)
        refused = refusal(lambda: ann.call("GetLadder", HELLO))
        assert bob.call("GetLadder", HELLO).author == "bob"

    assert (refused.code, refused.reason) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "RATE_LIMITED",
    )
    assert (refused.metadata, refused.retry) == ({"limit": "requests"}, True)


@pytest.mark.parametrize("compression", [None, grpc.Compression.Gzip])
def test_messages_that_are_too_large(ann: Visitor, compression: Any) -> None:
    """The API refuses large messages unread, by unpacked size."""
    large = pb.ListVersionsRequest(bot="x" * 3_000_000)
    with pytest.raises(grpc.RpcError) as raised:
        ann.call("ListVersions", large, compression=compression)
    assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_health_and_reflection(api: AuthorApi) -> None:
    """Health and reflection need no token: they reveal nothing of the ladder."""
    with grpc.insecure_channel(api.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        for service in ("", "courtyard.v1.LadderService"):
            request = health_pb2.HealthCheckRequest(service=service)
            assert health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
        found = ProtoReflectionDescriptorDatabase(channel)
        assert "courtyard.v1.LadderService" in found.get_services()
        described = found.FindFileContainingSymbol("courtyard.v1.LadderService")
    assert described.name == "courtyard/v1/ladder.proto"


def test_metrics(ladder: Ladder, visit: Visit, token: str) -> None:
    """Metrics count calls, refusals and open streams, not authors."""
    with opened([ladder], replace(SETTINGS, metrics="127.0.0.1:0")) as api:
        visit(api.address, token).call("GetLadder", HELLO)
        refusal(lambda: visit(api.address).call("GetLadder", HELLO))
        both = 'courtyard_api_call_seconds_count{method="GetLadder"} 2.0'
        until(lambda: both in metrics(api))  # a call ends after its caller has the answer
        text = metrics(api)

    assert 'courtyard_api_calls_total{code="OK",method="GetLadder"} 1.0' in text
    assert 'courtyard_api_calls_total{code="UNAUTHENTICATED",method="GetLadder"} 1.0' in text
    assert 'courtyard_api_refusals_total{reason="NO_TOKEN"} 1.0' in text
    assert "ann" not in text


def metrics(api: AuthorApi) -> str:
    """Return the page of metrics."""
    with urllib.request.urlopen(f"http://{api.metrics_address}/metrics") as answer:
        return str(answer.read().decode())
