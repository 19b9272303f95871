"""Addresses to listen on, as they are given on a command line."""

import os
import socket

from ladder.model.errors import SettingsError

_LARGEST_PORT = 65_535


def split(address: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT; an IPv6 host stands in brackets. Raise `SettingsError`."""
    host, _, port = address.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > _LARGEST_PORT:
        raise SettingsError(f"{address}: an address is HOST:PORT, such as 127.0.0.1:8001")
    return host.removeprefix("[").removesuffix("]"), int(port)


def joined(host: str, port: int) -> str:
    """Return HOST:PORT."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Listen there; port 0 takes any that is free. Raise `SettingsError` if that is impossible."""
    if not host:
        raise SettingsError("name the host to listen on, such as 127.0.0.1")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # What the machine prefers may be IPv6, which readers of `localhost` need not have.
        family, _, _, _, where = min(found, key=lambda each: each[0] != socket.AF_INET)
        return socket.create_server(where, family=family)
    except (socket.gaierror, UnicodeError) as error:
        raise SettingsError(f"{joined(host, port)}: there is no host of this name") from error
    except OSError as error:
        why = os.strerror(error.errno or 0)  # its own words name the address once more
        raise SettingsError(f"{joined(host, port)}: {why}") from error
