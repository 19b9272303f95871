"""The certificate of a cluster: what lets a machine in, and no other.

Its holder can run programs on every machine of the cluster, as Dask gives its clients that power.
So all machines have the same one with its key, in one file, and each accepts no other: it vouches
for itself, and cannot sign others. An owner who lost it makes a new one.
"""

import os
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ladder.model.errors import LadderError

if TYPE_CHECKING:
    from distributed.security import Security

_DAYS = 3650


@dataclass(frozen=True, slots=True)
class ClusterCertificates:
    """The folder with a cluster's certificate, the same on each of its machines."""

    folder: Path

    @property
    def file(self) -> Path:
        """The certificate, and its private key."""
        return self.folder / "cluster.pem"

    def make(self) -> None:
        """Make a new one; raise `LadderError` if there is one, or the folder cannot be written."""
        content = _self_signed()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
        except FileExistsError as error:
            raise LadderError(
                f"{error.filename}: it already exists; certificates are never overwritten"
            ) from None
        except OSError as error:
            raise LadderError(f"{error.filename}: {error.strerror}") from None

    def check(self) -> ssl.SSLContext:
        """Return what a client needs; raise `LadderError` if the file is unusable."""
        if not self.file.is_file():
            raise LadderError(
                f"{self.file}: no such file; `ladder certificates {self.folder}` makes that of a "
                "new cluster, and each of its machines needs the same"
            )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_verify_locations(self.file)
            context.load_cert_chain(self.file, password="")
        except (ssl.SSLError, OSError) as error:
            # An `SSLError` is an `OSError`, too.
            reason = getattr(error, "reason", None) or error.strerror or error
            raise LadderError(f"{self.file}: no certificate with its key ({reason})") from None
        return context

    def security(self) -> "Security":
        """Return what Dask needs to connect to peers; no connection is made without it."""
        from distributed.security import Security  # noqa: PLC0415 -- the run imports this module

        pairs = {
            f"tls_{role}_{kind}": str(self.file)
            for role in ("client", "scheduler", "worker")
            for kind in ("cert", "key")
        }
        return Security(tls_ca_file=str(self.file), require_encryption=True, **pairs)


def _self_signed() -> bytes:
    """Return, in PEM, a certificate that signs itself, and its key."""
    from cryptography import x509  # noqa: PLC0415 -- only here, and not light
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Courtyard cluster")])
    host = x509.SubjectAlternativeName([x509.DNSName("cluster.invalid")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks of machines differ
        .not_valid_after(now + timedelta(days=_DAYS))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(host, critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    return certificate.public_bytes(pem) + private
