"""Addresses are understood as people write them, and refused where they are something else."""

import pytest

from ladder.model.addresses import bare, is_loopback, joined, split
from ladder.model.errors import SettingsError


@pytest.mark.parametrize(
    ("written", "host"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("[fe80::1%eth0]", "fe80::1%eth0"),
        ("localhost\r\n", "localhost"),
        (" ladder.example.org ", "ladder.example.org"),
    ],
)
def test_a_host(written: str, host: str) -> None:
    """An IPv6 host may stand in brackets, as in a URL, and blanks may stand around a host."""
    assert bare(written) == host
    assert split(f"{joined(host, 80)}\r\n") == (host, 80)


@pytest.mark.parametrize(
    "written",
    [
        *("*", "localhost:8000", "[::1]:8000", "http://127.0.0.1", "127.0.0.1/"),
        *("[127.0.0.1]", "[localhost]", "[::1", "::1]", "ann@host", "a b", ":::"),
    ],
)
def test_what_is_no_host_alone(written: str) -> None:
    """A port, a scheme, a path or a wildcard is refused, with an example, before any look-up."""
    with pytest.raises(SettingsError, match="is not a host alone, such as 127"):
        bare(written)


@pytest.mark.parametrize("written", ["", " "])
def test_no_host_at_all(written: str) -> None:
    """An empty host is not taken for all addresses."""
    with pytest.raises(SettingsError, match="name the host to listen on, such as 127"):
        bare(written)


@pytest.mark.parametrize(
    "written", ["", "host", "host:", ":80", "host:http", "host:65536", "host:-1", "http://host:80"]
)
def test_what_is_no_address(written: str) -> None:
    """The error names what was written, and shows the form."""
    with pytest.raises(SettingsError, match="an address is HOST:PORT") as caught:
        split(written)
    assert str(caught.value).startswith(f"{written}:")


def test_loopback() -> None:
    """Only what is this machine, whatever a name server says, counts as loopback."""
    assert all(map(is_loopback, ("127.0.0.1", "127.9.9.9", "::1", "localhost")))
    assert not any(map(is_loopback, ("10.0.0.1", "::", "127.0.0.1.example.org")))
