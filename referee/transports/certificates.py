"""The certificate files of a TLS server, reloaded when they change.

The server asks at every handshake which certificate to present. So new connections get a renewed
certificate, and open ones stay. Files that do not match, such as a certificate and key in the
middle of a renewal, change nothing until they do.
"""

import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.core.errors import UsageError
from referee.transports.connections import Log

Credentials = Callable[[], ssl.SSLContext]
"""Returns the TLS context for the next handshake."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files that TLS needs, in PEM."""

    chain: Path
    """The server's certificate and the intermediate ones."""
    key: Path
    """Its private key."""
    client_roots: Path | None = None
    """CAs that must have signed the certificates of clients; None: clients need no certificate."""

    def credentials(self, log: Log) -> Credentials:
        """Load the files now and whenever they change; raise `UsageError` if they are unusable."""
        return _Newest(self, log)

    def read(self) -> ssl.SSLContext:
        """Load the files; raise `UsageError` if they are unusable."""
        for file in self._files():
            self._check_readable(file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["h2"])
        # With an empty password: there is no person to enter that of an encrypted key.
        self._tried(self.chain, lambda: context.load_cert_chain(self.chain, self.key, ""))
        if (roots := self.client_roots) is not None:
            self._tried(roots, lambda: context.load_verify_locations(roots))
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _files(self) -> list[Path]:
        files = [self.chain, self.key, self.client_roots]
        return [file for file in files if file is not None]

    def stamp(self) -> object:
        """Return a value that changes when a file does."""
        return [_stamp_of(file) for file in self._files()]

    def _tried(self, file: Path, load: Callable[[], object]) -> None:
        try:
            load()
        except ssl.SSLError as error:
            what = "no certificate, or not the one of the key" if file == self.chain else "no roots"
            raise UsageError(f"{file}: {what} ({error.reason or error})") from None
        except OSError as error:
            raise UsageError(f"{error.filename or file}: {error.strerror}") from None

    @staticmethod
    def _check_readable(file: Path) -> None:
        try:
            file.read_bytes()
        except OSError as error:
            raise UsageError(f"{file}: {error.strerror}") from None


class _Newest:
    """Returns the current TLS context at every handshake."""

    def __init__(self, files: Certificates, log: Log) -> None:
        """Load the files for the first time; raise `UsageError` if they are unusable."""
        self._files = files
        self._log = log
        self._stamp = files.stamp()
        self._context = files.read()

    def __call__(self) -> ssl.SSLContext:
        """Return the current context, reloaded if a file changed."""
        stamp = self._files.stamp()
        if stamp == self._stamp:
            return self._context
        self._stamp = stamp  # from before loading: a change meanwhile triggers another load
        try:
            self._context = self._files.read()
        except UsageError as error:
            self._log(
                logging.WARNING, f"{error}; the previous certificate is used until they match"
            )
        else:
            chain = self._files.chain
            self._log(logging.INFO, f"{chain}: the renewed certificate is used from now on")
        return self._context


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
