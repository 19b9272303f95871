"""Addresses to listen on, as written on a command line."""

import os
import socket

from ladder.model.errors import SettingsError

_LARGEST_PORT = 65_535


def split(address: str) -> tuple[str, int]:
    """Split HOST:PORT, with an IPv6 host in brackets; raise `SettingsError`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > _LARGEST_PORT:
        raise SettingsError(f"{address}: an address is HOST:PORT, such as 127.0.0.1:8001")
    return host.removeprefix("[").removesuffix("]"), int(port)


def joined(host: str, port: int) -> str:
    """Return HOST:PORT."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 takes any free port. Raise `SettingsError` on failure."""
    if not host:
        raise SettingsError("name the host to listen on, such as 127.0.0.1")
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
