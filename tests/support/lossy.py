"""A bad network between two hosts: network namespaces with own addresses, joined by hand.

Each namespace has a TUN device, and what leaves one enters the other, unless it is lost. The
kernel's TCP is at both ends; only the wire is ours. Needs root, iproute2 and /dev/net/tun.
"""

import ctypes
import fcntl
import os
import random
import select
import struct
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

from tests.support.lacking import skip
from tests.support.switched_hosts import need_namespaces

_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_CLONE_NEWNET = 0x40000000
_MOST_BYTES = 1 << 16


def need_hosts() -> None:
    """Skip this test where namespaces cannot be made."""
    need_namespaces()
    if not Path("/dev/net/tun").exists():
        skip("there is no /dev/net/tun", "modprobe tun")


class Hosts:
    """Two hosts, "ladder" at 10.94.0.1 and "bot" at 10.94.0.2, gone when this is left."""

    def __init__(self, loss: float, seed: int) -> None:
        """Lose this part of all packets, the same ones for the same seed."""
        self._loss = loss
        self._rng = random.Random(seed)
        self._names = {host: f"courtyard-{os.getpid()}-{host}" for host in ("ladder", "bot")}
        self._devices: list[int] = []
        self._over = threading.Event()
        self._cut_until = 0.0
        self._wire = threading.Thread(target=self._carry)
        self.lost = 0
        """How many packets were lost."""

    def __enter__(self) -> Self:
        """Make and join the hosts."""
        for number, name in enumerate(self._names.values(), 1):
            self._ip("netns", "add", name)
            self._devices.append(self._tun(name))
            self._ip("-n", name, "addr", "add", f"10.94.0.{number}/24", "dev", "wire")
            self._ip("-n", name, "link", "set", "wire", "up")
            self._ip("-n", name, "link", "set", "lo", "up")
        self._wire.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Remove them."""
        self._over.set()
        if self._wire.is_alive():
            self._wire.join()
        for device in self._devices:
            os.close(device)
        for name in self._names.values():
            self._ip("netns", "del", name)

    def on(self, host: str, *command: str | Path) -> list[str]:
        """Return the command line to run a command on a host."""
        return ["ip", "netns", "exec", self._names[host], *map(str, command)]

    def cut(self, seconds: float) -> None:
        """Block everything for a time."""
        self._cut_until = time.monotonic() + seconds

    @staticmethod
    def _ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True)

    @staticmethod
    def _tun(name: str) -> int:
        """Open a namespace's TUN device "wire"."""
        opened: list[int] = []

        def there() -> None:  # each thread has its own namespace
            namespace = os.open(f"/run/netns/{name}", os.O_RDONLY)
            if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            os.close(namespace)
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(device, _TUNSETIFF, struct.pack("16sH", b"wire", _IFF_TUN | _IFF_NO_PI))
            opened.append(device)

        _in_a_thread(there)
        return opened[0]

    def _carry(self) -> None:
        one, other = self._devices
        across = {one: other, other: one}
        while not self._over.is_set():
            for device in select.select([*across], [], [], 0.05)[0]:
                packet = os.read(device, _MOST_BYTES)
                if time.monotonic() < self._cut_until or self._rng.random() < self._loss:
                    self.lost += 1
                else:
                    os.write(across[device], packet)


def _in_a_thread(work: Callable[[], None]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
