"""Channels through what the bots share: a core, and the quotas that the kernel keeps per user."""

import contextlib
import mmap
import os
import socket
import threading
import time

from calls import on_first_core  # type: ignore[import-not-found]  # it is beside this

_HELPERS, _PIPES = 10, 110
"""Together these have as many pages as a user may have before the next pipes get fewer."""
_ON_THEIR_WAY, _A_SOCKET = 200, 8
"""Descriptors that are sent; a socket takes ten messages before it is full."""


class PipeBuffers:
    """Once all pipes of a user have many pages, the next ones get few."""

    def __init__(self) -> None:
        on_first_core()
        self.helpers: list[tuple[int, int]] = []

    def send(self, bit: int) -> None:
        """Let children make many pipes, or end them."""
        while self.helpers:
            child, ending = self.helpers.pop()
            os.close(ending)
            os.waitpid(child, 0)
        for _ in range(_HELPERS * bit):
            self.helpers.append(self._helper())

    def _helper(self) -> tuple[int, int]:
        """Start a child that has many pipes until its own one ends."""
        waiting, ending = os.pipe()
        ready, made = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ending)
            with contextlib.suppress(OSError):
                for _ in range(_PIPES):
                    os.pipe()
            os.close(made)
            os.read(waiting, 1)
            os._exit(0)
        os.close(waiting)
        os.close(made)
        os.read(ready, 1)
        os.close(ready)
        return child, ending

    def read(self) -> int:
        """Return how much a new pipe holds."""
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        held = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                held += os.write(writing, bytes(mmap.PAGESIZE))
        os.close(reading)
        os.close(writing)
        return held


class FilesOnTheirWay:
    """A user may have as many descriptors in flight through sockets as a process may open files."""

    def __init__(self) -> None:
        self.ends: list[socket.socket] = []

    def send(self, bit: int) -> None:
        """Send many that are not received, or take them back."""
        self._clear()
        if bit:
            self._send(_ON_THEIR_WAY)

    def read(self) -> int:
        """Return how many can be sent."""
        sent = self._send(2 * _ON_THEIR_WAY)
        self._clear()
        return sent

    def _send(self, most: int) -> int:
        for sent in range(most):
            if sent % _A_SOCKET == 0:
                self.ends += socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                socket.send_fds(self.ends[-1], [b"x"], [0])
            except OSError:
                return sent
        return most

    def _clear(self) -> None:
        while self.ends:
            self.ends.pop().close()


class Core:
    """A process that computes slows others on the same core."""

    def __init__(self) -> None:
        on_first_core()
        self.on = False
        self.spinning = False

    def send(self, bit: int) -> None:
        """Compute until told otherwise, or rest."""
        self.on = bool(bit)
        if self.on and not self.spinning:
            self.spinning = True
            threading.Thread(target=self._spin, daemon=True).start()

    def _spin(self) -> None:
        while self.on:
            pass
        self.spinning = False

    def read(self) -> float:
        """Return how much of 40 ms it got itself."""
        start, used = time.perf_counter(), time.process_time()
        while time.perf_counter() < start + 0.04:
            pass
        return (time.process_time() - used) / (time.perf_counter() - start)


CHANNELS = {
    "time on a core": Core,
    "room in a user's pipes": PipeBuffers,
    "descriptors on a user's way": FilesOnTheirWay,
}
