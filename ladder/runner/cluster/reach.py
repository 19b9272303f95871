"""Tries to reach a scheduler, to report in one line why that fails.

Dask tries again whatever the cause, until its time is over, and then names only the last failure.
"""

import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime

from ladder.model.addresses import split
from ladder.model.errors import LadderError, SettingsError
from ladder.runner.cluster.certificates import ClusterCertificates

_SECONDS = 5.0
DEFAULT_PORT = 8786
_OF_THE_TIME = {9: "is not valid yet", 10: "has expired"}
"""OpenSSL's codes for what a wrong clock makes of any certificate."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a cluster is, and what lets us in."""

    address: str
    """Its scheduler's, "tls://HOST:PORT"."""
    certificates: ClusterCertificates


class SchedulerUnreachableError(LadderError):
    """No scheduler answers there, at least not yet."""


def parsed(address: str) -> tuple[str, int]:
    """Return host and port of "tls://HOST:PORT"; raise `LadderError` for anything else."""
    scheme, separator, place = address.strip().rstrip("/").partition("://")
    scheme = scheme.lower()
    if separator and scheme == "tcp":
        raise LadderError(
            f"{address}: without TLS anyone on the network could run programs on the cluster; "
            f"use tls://{place}"
        )
    has_port = ":" in place and not place.endswith("]")
    try:
        host, port = split(place if has_port else f"{place}:{DEFAULT_PORT}")
    except SettingsError:
        host, port = "", 0
    if scheme != "tls" or not host or not port:
        raise LadderError(
            f"{address!r} is not a scheduler's address, as in tls://ares:{DEFAULT_PORT}"
        )
    return host, port


def reach(address: str, certificates: ClusterCertificates) -> str:
    """Connect to a scheduler; return this machine's own address on the way there.

    Raise `SchedulerUnreachableError` if nothing answers, `LadderError` if another cluster does.
    """
    host, port = parsed(address)
    context = certificates.check()
    try:
        with socket.create_connection((host, port), _SECONDS) as plain:
            own = str(plain.getsockname()[0])
            with context.wrap_socket(plain) as secured:
                # A peer that rejects our certificate says so only after the handshake; a good one
                # speaks first.
                if not secured.recv(1):
                    raise SchedulerUnreachableError(f"{address}: the connection was closed")
    except ssl.SSLCertVerificationError as error:
        raise LadderError(f"{address}: {_refused(error, certificates)}") from None
    except ssl.SSLError as error:
        raise LadderError(f"{address}: {_tls_failure(error, certificates)}") from None
    except TimeoutError:
        raise SchedulerUnreachableError(f"{address}: no answer within {_SECONDS:g} s") from None
    except OSError as error:
        raise SchedulerUnreachableError(f"{address}: {error.strerror or error}") from None
    return own


def _refused(error: ssl.SSLCertVerificationError, certificates: ClusterCertificates) -> str:
    """Return why a scheduler's certificate is refused here."""
    if error.verify_code in _OF_THE_TIME:
        return (
            f"its certificate {_OF_THE_TIME[error.verify_code]} by this machine's clock, which "
            f"says {datetime.now(UTC):%Y-%m-%d %H:%M} UTC: set it, or make new certificates"
        )
    return f"its certificate is not that of this cluster, {certificates.file}"


def _tls_failure(error: ssl.SSLError, certificates: ClusterCertificates) -> str:
    reason = error.reason or str(error)
    if "CERTIFICATE_EXPIRED" in reason:
        return f"by its clock the certificate {certificates.file} has expired"
    if "ALERT" in reason:
        return f"it does not accept the certificate {certificates.file} ({reason})"
    return f"the server there does not speak TLS ({reason})"
