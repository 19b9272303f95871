"""Addresses as people write them: an IPv6 host in brackets or without, blanks around it."""

import ipaddress
from contextlib import suppress

from ladder.model.errors import SettingsError

_LARGEST_PORT = 65_535


def bare(host: str) -> str:
    """Return a host without the brackets of IPv6; raise `SettingsError` if it is no host alone."""
    name = host.strip()
    if name.startswith("[") and name.endswith("]") and _is_ipv6(name[1:-1]):
        return name[1:-1]
    if not name:
        raise SettingsError("name the host to listen on, such as 127.0.0.1")
    if set(name) & {*"[]/@* "} or (":" in name and not _is_ipv6(name)):
        raise SettingsError(
            f"{host!r} is not a host alone, such as 127.0.0.1, localhost or [::1]; "
            "0.0.0.0 is all addresses of this machine"
        )
    return name


def split(address: str) -> tuple[str, int]:
    """Split HOST:PORT, with an IPv6 host in brackets; raise `SettingsError`."""
    host, _, port = address.strip().rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or int(port) > _LARGEST_PORT:
        raise SettingsError(f"{address}: an address is HOST:PORT, such as 127.0.0.1:8001")
    try:
        return bare(host), int(port)
    except SettingsError as error:
        raise SettingsError(f"{address}: an address is HOST:PORT, and {error}") from None


def bracketed(host: str) -> str:
    """Return a host as it stands in an address: IPv6 in brackets."""
    return f"[{host}]" if ":" in host else host


def joined(host: str, port: int) -> str:
    """Return HOST:PORT."""
    return f"{bracketed(host)}:{port}"


def is_loopback(host: str) -> bool:
    """Return whether a host without brackets is this machine, whatever a name server answers."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _is_ipv6(text: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(text).version == 6  # noqa: PLR2004 -- its name
    return False
