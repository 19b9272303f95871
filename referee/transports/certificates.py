"""The files of a TLS server, which are read again when they have been renewed.

gRPC asks at every handshake which certificate to show. So a renewed one is shown to whoever
connects next, and connections that are open stay as they are. Files that do not fit together, as a
certificate and its key do not in the middle of a renewal, change nothing until they do.
"""

import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import grpc

from referee.errors import UsageError

Log = Callable[[int, str], object]
"""Is told in a line what a server's owner may want to know, with its level as in `logging`.

It is called in a thread of gRPC's, and must not raise.
"""


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files that TLS needs, in PEM."""

    chain: Path
    """The server's own certificate, and those between it and its root."""
    key: Path
    """Its private key."""
    client_roots: Path | None = None
    """Roots of the certificates that clients must show; None: they need none."""

    def credentials(self, log: Log) -> grpc.ServerCredentials:
        """Read the files, and again when they change; raise `UsageError` if they are no good."""
        newest = _Newest(self, log)
        mutual = self.client_roots is not None
        return grpc.dynamic_ssl_server_credentials(
            newest.first,
            newest,  # type: ignore[arg-type] # its stubs do not know that None means no change
            mutual,
        )

    def read(self) -> grpc.ServerCertificateConfiguration:
        """Read the files; raise `UsageError` if they cannot be used."""
        chain, key = self._bytes(self.chain), self._bytes(self.key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # With an empty password, as nobody is there who could be asked for that of a locked key.
        self._tried(self.chain, lambda: context.load_cert_chain(self.chain, self.key, ""))
        if (file := self.client_roots) is None:
            return grpc.ssl_server_certificate_configuration([(key, chain)])
        self._tried(file, lambda: context.load_verify_locations(file))
        return grpc.ssl_server_certificate_configuration([(key, chain)], self._bytes(file))

    def stamp(self) -> object:
        """Return what changes when a file does."""
        files = [self.chain, self.key, self.client_roots]
        return [_stamp_of(file) for file in files if file is not None]

    def _tried(self, file: Path, load: Callable[[], object]) -> None:
        try:
            load()
        except ssl.SSLError as error:
            what = "no certificate, or not the one of the key" if file == self.chain else "no roots"
            raise UsageError(f"{file}: {what} ({error.reason or error})") from None
        except OSError as error:
            raise UsageError(f"{error.filename or file}: {error.strerror}") from None

    def _bytes(self, file: Path) -> bytes:
        try:
            return file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None


class _Newest:
    """What gRPC calls at every handshake."""

    def __init__(self, files: Certificates, log: Log) -> None:
        """Read the files for the first time; raise `UsageError` if they cannot be used."""
        self._files = files
        self._log = log
        self._stamp = files.stamp()
        self.first = files.read()

    def __call__(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what is to be shown from now on; None: the same as before."""
        stamp = self._files.stamp()
        if stamp == self._stamp:
            return None
        self._stamp = stamp  # of before the reading: what changes meanwhile is read again
        try:
            renewed = self._files.read()
        except UsageError as error:
            self._log(logging.WARNING, f"{error}; the certificate of before is shown till it fits")
            return None
        self._log(
            logging.INFO, f"{self._files.chain}: the renewed certificate is shown from now on"
        )
        return renewed


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
