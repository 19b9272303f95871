"""Opens the door: a gRPC server for one ladder or several.

Without a certificate it listens on the loopback alone, unless it is told that something else keeps
the way to it secret, such as a proxy on a private network.
"""

import contextlib
import ipaddress
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import grpc
import grpc.aio
from courtyard.v1 import ladder_pb2
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from prometheus_client import CollectorRegistry

from ladder.model.errors import SettingsError
from ladder.runner.json_log import DOOR
from ladder.server.addresses import listen, split
from ladder.server.api.auth import Guard
from ladder.server.api.context import open_served
from ladder.server.api.metrics import Metrics
from ladder.server.api.rate_limits import Limits
from ladder.server.api.rpc import SERVICE, Service
from ladder.server.api.submission_queue import SUBMITTER
from ladder.server.api.uploads import LARGEST_CHUNK
from ladder.server.public.follower import Following
from ladder.server.web.metrics import served as metrics_served
from referee.core.errors import UsageError
from referee.transports.certificates import Certificates, Credentials
from referee.transports.connections import MOST_UNKNOWN, Connections, raise_file_limit, room
from referee.transports.public_listener import (
    FILES_A_CONNECTION,
    STREAMS_OF_STRANGERS,
    PublicListener,
)

_GRACE_S = 5.0
_MOST_CONNECTIONS = 1024
_SHARE_OF_FILES = 0.5
"""Of those that the process may open; the pages have a quarter."""
_MOST_CALLS = 2 * MOST_UNKNOWN * STREAMS_OF_STRANGERS
"""At once, of everybody; beyond them gRPC refuses. Half of them no stranger can take."""
_STREAMS = 64
"""On each connection: one author, who has so many connections, can take a quarter of all calls."""
_OPTIONS = (
    ("grpc.max_receive_message_length", LARGEST_CHUNK + 4096),
    ("grpc.max_concurrent_streams", _STREAMS),
    ("grpc.max_connection_idle_ms", 300_000),
    ("grpc.so_reuseport", 0),
    # A connection that was cut without a word is noticed, and its streams with it.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
)


@dataclass(frozen=True, slots=True)
class DoorSettings:
    """Where the door is and how it is kept."""

    address: str
    """HOST:PORT; port 0: any that is free."""
    tls_cert: Path | None = None
    """The server's certificate, with those between it and its root, as PEM."""
    tls_key: Path | None = None
    """The key of it, as PEM."""
    client_ca: Path | None = None
    """Given: who calls needs a certificate that one of these has signed."""
    plaintext: bool = False
    """Whether it may listen without TLS on an address that others can reach."""
    metrics: str | None = None
    """HOST:PORT where Prometheus finds the metrics; None: nowhere."""
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Door:
    """A door that is open."""

    address: str
    """HOST:PORT, with the port that was taken."""
    metrics_address: str | None
    registry: CollectorRegistry
    """Its metrics."""


@contextlib.asynccontextmanager
async def open_door(
    ladders: Sequence[Following],
    settings: DoorSettings,
    *,
    submitter: Sequence[str] = SUBMITTER,
    registry: CollectorRegistry | None = None,
) -> AsyncIterator[Door]:
    """Open the door of ladders that stay open and are followed; at the end it closes in good order.

    A token opens the ladder that made it. Raise `SettingsError` if the door cannot be as asked.
    """
    credentials = _credentials(settings)
    metrics = Metrics(registry)
    async with contextlib.AsyncExitStack() as stack:
        ladders_served = [
            await stack.enter_async_context(open_served(each, settings.limits, metrics, submitter))
            for each in ladders
        ]
        listener = _listener()
        stack.push_async_callback(listener.close)
        server = grpc.aio.server(options=_OPTIONS, maximum_concurrent_rpcs=_MOST_CALLS)
        service = Service(Guard(ladders_served, metrics, listener.know), settings.limits, metrics)
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
        yield Door(address, served, metrics.registry)


async def _add_services(server: grpc.aio.Server) -> health.aio.HealthServicer:
    """Add health and reflection, which need no token: they tell nothing of the ladder."""
    servicer = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    for name in ("", SERVICE):
        await servicer.set(name, health_pb2.HealthCheckResponse.SERVING)
    if ladder_pb2.DESCRIPTOR.services_by_name["LadderService"].full_name != SERVICE:
        raise RuntimeError(f"{SERVICE} is not what is served")
    names = (SERVICE, health_pb2.DESCRIPTOR.services_by_name["Health"].full_name)
    reflection.enable_server_reflection((*names, reflection.SERVICE_NAME), server)
    return servicer


def _credentials(settings: DoorSettings) -> Credentials | None:
    cert, key, client_ca = settings.tls_cert, settings.tls_key, settings.client_ca
    if cert is None or key is None:
        if cert or key or client_ca:
            raise SettingsError("TLS needs a certificate and its key; give both")
        host, _ = split(settings.address)
        if not settings.plaintext and not _is_loopback(host):
            raise SettingsError(
                f"{settings.address}: others can reach this address, and tokens would cross the "
                "network in the clear: give a certificate and its key, or say by "
                "--door-plaintext that it may be so"
            )
        return None
    try:
        return Certificates(cert, key, client_ca).credentials(DOOR.log)
    except UsageError as error:
        raise SettingsError(str(error)) from error


def _listener() -> PublicListener:
    raise_file_limit()
    most = room(_MOST_CONNECTIONS, FILES_A_CONNECTION, _SHARE_OF_FILES)
    return PublicListener(Connections(most, MOST_UNKNOWN, DOOR.log))


def _listen(listener: PublicListener, address: str, credentials: Credentials | None) -> str:
    listen(*split(address)).close()  # which tells why it cannot
    try:
        return listener.listen(address, credentials)
    except UsageError as error:
        raise SettingsError(f"{address}: the door cannot listen there") from error


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
