"""Runs the author API: a gRPC server for one or more ladders.

Without a certificate it listens only on the loopback interface, unless `plaintext` says that
something else protects the connection, such as a proxy on a private network.
"""

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from courtyard.v1 import ladder_pb2
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from ladder.model.addresses import is_loopback, joined, split
from ladder.model.errors import SettingsError
from ladder.runner.json_log import API
from ladder.server.addresses import listen
from ladder.server.api.auth import Authenticator
from ladder.server.api.context import open_served
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import RateLimits
from ladder.server.api.rpc import SERVICE, Service
from ladder.server.api.uploads import LARGEST_CHUNK
from ladder.server.public.follower import Following
from ladder.server.web.metrics import served as metrics_served
from referee.core.errors import UsageError
from referee.transports.certificates import Certificates, Credentials
from referee.transports.connections import MOST_OF_ONE, Connections, raise_file_limit, room
from referee.transports.public_listener import FILES_A_CONNECTION, PublicListener

_GRACE_S = 5.0
_MOST_CONNECTIONS = 1024
_MOST_UNKNOWN = 128
_OPEN_OF_STRANGERS = 4
_SHARE_OF_FILES = 0.5
"""The API's share of the files that the process may open; the pages take a quarter."""
_STREAMS = 64
"""Concurrent streams per connection."""
_MOST_CALLS = 4 * MOST_OF_ONE * _STREAMS
"""Concurrent calls in all; gRPC refuses more. An author takes at most a quarter, and all strangers
together an eighth."""
_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_CHUNK + 4096),
    ("grpc.max_concurrent_streams", _STREAMS),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.so_reuseport", 0),
    # Keep-alives detect a connection that broke silently, and end its streams.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)


@dataclass(frozen=True, slots=True)
class AuthorApiSettings:
    """Where the author API listens, and how it is protected."""

    address: str
    """HOST:PORT; port 0 takes any free port."""
    tls_cert: Path | None = None
    """The server's certificate chain, in PEM."""
    tls_key: Path | None = None
    """The certificate's private key, in PEM."""
    client_ca: Path | None = None
    """If set, require client certificates signed by one of these CAs."""
    plaintext: bool = False
    """Whether to allow an address that others can reach without TLS."""
    metrics: str | None = None
    """HOST:PORT at which to serve metrics to Prometheus; None serves none."""
    limits: RateLimits = field(default_factory=RateLimits)


@dataclass(frozen=True, slots=True)
class AuthorApi:
    """A running author API."""

    address: str
    """HOST:PORT, with the actual port."""
    metrics_address: str | None
    registry: CollectorRegistry
    """Its metrics."""


@contextlib.asynccontextmanager
async def open_author_api(
    ladders: Sequence[Following],
    settings: AuthorApiSettings,
    *,
    registry: CollectorRegistry | None = None,
) -> AsyncIterator[AuthorApi]:
    """Serve these followed ladders until the context ends, then shut down gracefully.

    A token gives access to the ladder that issued it. Raise `SettingsError` for impossible
    settings.
    """
    credentials = _credentials(settings)
    metrics = Metrics(registry)
    for following in ladders:
        following.source.ladder.home.check_owner()
    async with contextlib.AsyncExitStack() as stack:
        ladders_served = [
            await stack.enter_async_context(open_served(each, settings.limits, metrics))
            for each in ladders
        ]
        listener = _listener()
        stack.push_async_callback(listener.close)
        server = grpc.aio.server(
            options=_OPTIONS, maximum_concurrent_rpcs=_MOST_CALLS, interceptors=(_Lenient(),)
        )
        service = Service(
            Authenticator(ladders_served, metrics, listener.know), settings.limits, metrics
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(SERVICE, service.handlers()),)
        )
        healthy = await _add_services(server)
        listener.attach(server)
        await server.start()
        stack.push_async_callback(server.stop, _GRACE_S)
        address = _listen(listener, settings.address, credentials)
        for each in ladders_served:
            stack.push_async_callback(each.close)
        stack.push_async_callback(healthy.enter_graceful_shutdown)
        stack.callback(listener.close_listener)
        served = stack.enter_context(metrics_served(settings.metrics, metrics.registry))
        yield AuthorApi(address, served, metrics.registry)


class _Lenient(grpc.aio.ServerInterceptor):
    """Lets gRPC's own services take bytes that are no message for an empty one.

    gRPC would print a traceback for each.
    """

    async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        """Return the handler of a call."""
        handler = await continuation(handler_call_details)
        if handler is None or handler.request_deserializer is None:
            return handler
        return handler._replace(request_deserializer=partial(_read, handler.request_deserializer))


def _read(read: Callable[[bytes], Any], data: bytes) -> Any:
    """Return the message in these bytes, or an empty one."""
    try:
        return read(data)
    except DecodeError:
        return read(b"")


async def _add_services(server: grpc.aio.Server) -> health.aio.HealthServicer:
    """Add the health and reflection services, which reveal nothing of a ladder; need no token."""
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    for name in ("", SERVICE):
        await servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
    if ladder_pb2.DESCRIPTOR.services_by_name["LadderService"].full_name != SERVICE:
        raise RuntimeError(f"{SERVICE} is not the service that ladder.proto defines")
    names = (SERVICE, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name)
    reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), server)
    return servicer


def _credentials(settings: AuthorApiSettings) -> Credentials | None:
    cert, key, client_ca = settings.tls_cert, settings.tls_key, settings.client_ca
    if cert is None or key is None:
        if cert or key or client_ca:
            raise SettingsError("TLS needs both a certificate and its key")
        host, _ = split(settings.address)
        if not settings.plaintext and not is_loopback(host):
            raise SettingsError(
                f"{settings.address}: others can reach this address, and tokens would cross the "
                "network in the clear: give --tls-cert and --tls-key, or allow it with "
                "--api-plaintext"
            )
        return None
    try:
        return Certificates(cert, key, client_ca).credentials(API.log)
    except UsageError as error:
        raise SettingsError(str(error)) from error


def _listener() -> PublicListener:
    raise_file_limit()
    most = room(_MOST_CONNECTIONS, FILES_A_CONNECTION, _SHARE_OF_FILES)
    return PublicListener(Connections(most, _MOST_UNKNOWN, API.log), _OPEN_OF_STRANGERS)


def _listen(listener: PublicListener, address: str, credentials: Credentials | None) -> str:
    host, port = split(address)
    listen(host, port).close()  # raises an error that says why it cannot listen
    try:
        return listener.listen(joined(host, port), credentials)
    except UsageError as error:
        raise SettingsError(f"{address}: the author API cannot listen there") from error
