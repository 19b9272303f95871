"""Sockets that listen at an address of the command line."""

import os
import socket

from ladder.model.addresses import bare, joined
from ladder.model.errors import SettingsError


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any free port. Raise `SettingsError` on failure."""
    host = bare(host)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # The machine may prefer IPv6, but not every client tries IPv6 for `localhost`.
        family, _, _, _, where = min(found, key=lambda each: each[0] != socket.AF_INET)
        return socket.create_server(where, family=family)
    except (socket.gaierror, UnicodeError) as error:
        raise SettingsError(f"{joined(host, port)}: there is no host with this name") from error
    except OSError as error:
        why = os.strerror(error.errno or 0)  # str(error) would repeat the address
        raise SettingsError(f"{joined(host, port)}: {why}") from error
