"""Hosts on one switch: network namespaces with own addresses, whose cables can be cut.

The switch is a bridge in a namespace of its own, so that nothing outside is changed. What a killed
test has left, the next one removes. Needs root and iproute2.
"""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

from tests.support.lacking import need_program, skip

_NAMESPACES = Path("/run/netns")
_OURS = re.compile(r"courtyard-([0-9]+)-on-.+")
_PLUGGED = ("master", "switch")


def need_namespaces() -> None:
    """Skip this test where network namespaces cannot be made."""
    need_program("ip", "apt-get install iproute2")
    if os.geteuid() != 0:
        skip("only root can make networks", "sudo make test proof")


class SwitchedHosts:
    """A context manager with a host for each name, at 10.94.0.1, 10.94.0.2, and so on."""

    def __init__(self, *names: str) -> None:
        """Prepare them."""
        need_namespaces()
        self.addresses = {name: f"10.94.0.{number}" for number, name in enumerate(names, 1)}
        self._switch = _namespace("switch")
        self._made = ExitStack()

    def __enter__(self) -> Self:
        """Make the hosts, and connect them."""
        _remove_abandoned()
        with ExitStack() as stack:
            stack.enter_context(_made(self._switch))
            self._on_switch("link", "add", "switch", "type", "bridge")
            self._on_switch("link", "set", "switch", "up")
            for name, address in self.addresses.items():
                stack.enter_context(_made(_namespace(name)))
                self._connect(name, address)
            self._made = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove them, with every process that is left on them."""
        self._made.close()

    def on(self, name: str, *command: str | Path) -> list[str]:
        """Return the command line to run a command on a host."""
        return ["nsenter", f"--net={_NAMESPACES / _namespace(name)}", *map(str, command)]

    def processes(self, name: str) -> list[int]:
        """Return the processes on a host."""
        return _processes(_namespace(name))

    @contextmanager
    def cut(self, name: str, *, unplugged: bool) -> Iterator[None]:
        """Cut a host off: its cable is unplugged at the switch, or the switch drops its packets."""
        cut, mend = (["down"], ["up"]) if unplugged else (["nomaster"], _PLUGGED)
        self._set_port(name, *cut)
        try:
            yield
        finally:
            self._set_port(name, *mend)

    def _connect(self, name: str, address: str) -> None:
        host = ("-n", _namespace(name))
        peer = ("peer", "name", _port(name), "netns", self._switch)
        _ip(*host, "link", "add", "cable", "type", "veth", *peer)
        _ip(*host, "addr", "add", f"{address}/24", "dev", "cable")
        _ip(*host, "link", "set", "cable", "up")
        _ip(*host, "link", "set", "lo", "up")
        self._set_port(name, *_PLUGGED, "up")

    def _set_port(self, name: str, *words: str) -> None:
        self._on_switch("link", "set", _port(name), *words)

    def _on_switch(self, *words: str) -> None:
        _ip("-n", self._switch, *words)


def _namespace(name: str) -> str:
    return f"courtyard-{os.getpid()}-on-{name}"


def _port(name: str) -> str:
    return f"to-{name}"


def _ip(*words: str) -> str:
    """Run `ip`; return what it prints."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return done.stdout


@contextmanager
def _made(namespace: str) -> Iterator[None]:
    _ip("netns", "add", namespace)
    try:
        yield
    finally:
        _remove(namespace)


def _remove(namespace: str) -> None:
    for pid in _processes(namespace):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _ip("netns", "del", namespace)


def _processes(namespace: str) -> list[int]:
    return [int(pid) for pid in _ip("netns", "pids", namespace).split()]


def _remove_abandoned() -> None:
    """Remove what processes made that are no more."""
    for namespace in [*_NAMESPACES.glob("courtyard-*")]:
        ours = _OURS.fullmatch(namespace.name)
        if ours and not Path("/proc", ours[1]).exists():
            with suppress(AssertionError):  # another test was quicker
                _remove(namespace.name)
