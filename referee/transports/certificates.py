"""The files of a TLS server, which are read again when they have been renewed.

At every handshake it is asked which certificate to show. So a renewed one is shown to whoever
connects next, and connections that are open stay as they are. Files that do not fit together, as a
certificate and its key do not in the middle of a renewal, change nothing until they do.
"""

import logging
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from referee.core.errors import UsageError
from referee.transports.connections import Log

Credentials = Callable[[], ssl.SSLContext]
"""Returns what the next handshake shows."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files that TLS needs, in PEM."""

    chain: Path
    """The server's own certificate, and those between it and its root."""
    key: Path
    """Its private key."""
    client_roots: Path | None = None
    """Roots of the certificates that clients must show; None: they need none."""

    def credentials(self, log: Log) -> Credentials:
        """Read the files, and again when they change; raise `UsageError` if they are no good."""
        return _Newest(self, log)

    def read(self) -> ssl.SSLContext:
        """Read the files; raise `UsageError` if they cannot be used."""
        for file in self._files():
            self._check_readable(file)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["h2"])
        # With an empty password, as nobody is there who could be asked for that of a locked key.
        self._tried(self.chain, lambda: context.load_cert_chain(self.chain, self.key, ""))
        if (roots := self.client_roots) is not None:
            self._tried(roots, lambda: context.load_verify_locations(roots))
            context.verify_mode = ssl.CERT_REQUIRED
        return context

    def _files(self) -> list[Path]:
        files = [self.chain, self.key, self.client_roots]
        return [file for file in files if file is not None]

    def stamp(self) -> object:
        """Return what changes when a file does."""
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
    """What is called at every handshake."""

    def __init__(self, files: Certificates, log: Log) -> None:
        """Read the files for the first time; raise `UsageError` if they cannot be used."""
        self._files = files
        self._log = log
        self._stamp = files.stamp()
        self._context = files.read()

    def __call__(self) -> ssl.SSLContext:
        """Return what is to be shown now."""
        stamp = self._files.stamp()
        if stamp == self._stamp:
            return self._context
        self._stamp = stamp  # of before the reading: what changes meanwhile is read again
        try:
            self._context = self._files.read()
        except UsageError as error:
            self._log(logging.WARNING, f"{error}; the certificate of before is shown till it fits")
        else:
            chain = self._files.chain
            self._log(logging.INFO, f"{chain}: the renewed certificate is shown from now on")
        return self._context


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
