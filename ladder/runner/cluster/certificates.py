"""The certificates of a cluster: what lets a machine in, and no other.

Their holder can run programs on every machine of the cluster, as Dask gives its clients that
power. So each cluster has an authority of its own, whose key is forgotten when it has signed: no
certificate can be added later; an owner who lost one makes new ones. A peer's name is not looked
at, only whether this authority signed its certificate.
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
_NAME = "Courtyard cluster"


@dataclass(frozen=True, slots=True)
class ClusterCertificates:
    """The folder with a cluster's certificates, the same on each of its machines."""

    folder: Path

    @property
    def authority(self) -> Path:
        """The certificate of the cluster's authority."""
        return self.folder / "ca.pem"

    @property
    def certificate(self) -> Path:
        """The certificate that this authority signed."""
        return self.folder / "cluster.pem"

    @property
    def key(self) -> Path:
        """The certificate's private key."""
        return self.folder / "cluster-key.pem"

    def make(self) -> None:
        """Make new ones; raise `LadderError` if there are some, or the folder cannot be written."""
        authority, certificate, key = _signed()
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_new(self.key, key, 0o600)
            _write_new(self.certificate, certificate, 0o644)
            _write_new(self.authority, authority, 0o644)
        except FileExistsError as error:
            raise LadderError(
                f"{error.filename}: it already exists; certificates are never overwritten"
            ) from None
        except OSError as error:
            raise LadderError(f"{error.filename}: {error.strerror}") from None

    def check(self) -> ssl.SSLContext:
        """Return what a client of the cluster needs; raise `LadderError` if a file is unusable."""
        for file in (self.authority, self.certificate, self.key):
            if not file.is_file():
                raise LadderError(
                    f"{file}: no such file; `ladder certificates {self.folder}` makes those of a "
                    "new cluster, and each of its machines needs the same"
                )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            context.load_verify_locations(self.authority)
        except (ssl.SSLError, OSError) as error:
            raise LadderError(f"{self.authority}: no certificate ({_reason(error)})") from None
        try:
            context.load_cert_chain(self.certificate, self.key, "")
        except (ssl.SSLError, OSError) as error:
            raise LadderError(
                f"{self.certificate}: no certificate, or not the one of {self.key.name} "
                f"({_reason(error)})"
            ) from None
        return context

    def security(self) -> "Security":
        """Return what Dask needs to connect to peers; no connection is made without it."""
        from distributed.security import Security  # noqa: PLC0415 -- the run imports this module

        pair = {
            f"tls_{role}_{kind}": str(file)
            for role in ("client", "scheduler", "worker")
            for kind, file in (("cert", self.certificate), ("key", self.key))
        }
        return Security(tls_ca_file=str(self.authority), require_encryption=True, **pair)


def _reason(error: OSError) -> str:
    """Return what OpenSSL or the system found wrong; an `SSLError` is an `OSError`, too."""
    return str(getattr(error, "reason", None) or error.strerror or error)


def _write_new(file: Path, content: bytes, mode: int) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as opened:
        opened.write(content)


def _signed() -> tuple[bytes, bytes, bytes]:
    """Return, in PEM, a new authority's certificate, one that it signed, and the latter's key."""
    from cryptography import x509  # noqa: PLC0415 -- only here, and not light
    from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415

    def named(what: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, f"{_NAME} {what}")])

    def begun(what: str, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        is_authority = x509.BasicConstraints(ca=what == "authority", path_length=None)
        return (
            x509.CertificateBuilder()
            .subject_name(named(what))
            .issuer_name(named("authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))  # clocks of machines differ
            .not_valid_after(now + timedelta(days=_DAYS))
            .add_extension(is_authority, critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(signing.public_key()),
                critical=False,
            )
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
        )

    signing, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = begun("authority", signing).sign(signing, hashes.SHA256())
    certificate = (
        begun("member", own)
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName("cluster.invalid")]), critical=False
        )
        .sign(signing, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    return (
        authority.public_bytes(pem),
        certificate.public_bytes(pem),
        own.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
