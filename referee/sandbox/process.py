"""A running program: read its output, freeze and thaw, measure, and kill its whole tree."""

import asyncio
import contextlib
import os
import select
import signal

from referee.core.errors import RefereeError
from referee.core.faults import Fault, FaultKind
from referee.core.verdicts import Memory
from referee.sandbox import memory_usage
from referee.sandbox.cgroups.memory_groups import kernel_kills
from referee.sandbox.freeze.stopper import Stopper
from referee.sandbox.freeze.watchdog import Watch, size, stopping, watchdog
from referee.sandbox.kernel import kernel
from referee.sandbox.launch import Launched
from referee.sandbox.meter.cpu_meters import Meter, Usage
from referee.sandbox.streams import Pipes

_LONGEST_REPORT = 4096
_SECONDS_TO_BEGIN = 10.0
_SECONDS_BETWEEN_LOOKS = 0.0005
_SECONDS_TO_EXIT = 3.0
_SECONDS_TO_END = (5.0, 30.0)
"""Timeouts for the end after a kill, and after a forced kill."""
_KILLED_IN_A_SHELL = 128 + signal.SIGKILL
_KEPT_BYTES = 16 * 1024
_AT_ONCE_BYTES = 64 * 1024
"""The capacity of a pipe."""


class BotProcess:
    """One program and its whole process tree. Knows no protocol."""

    def __init__(self, launched: Launched) -> None:
        """Read what a program prints; `start` lets it run."""
        self._launched = launched
        self._output = Output(launched.streams.output)
        self._ended = _readable(launched.ended)
        self._report = asyncio.ensure_future(_line(launched.report))
        self._stopper = Stopper(launched)
        self._watch = Watch(launched, self._stopper)
        self._meter: Meter | None = None
        self.last_usage = Usage(0, 0)
        """The last result of `usage`."""
        self._is_gone = False
        self._overrun = ""
        self._kills = 0
        """How many processes the kernel had killed for lack of memory while this one was well."""
        self.seems_well()

    @classmethod
    async def start(cls, launched: Launched) -> "BotProcess":
        """Let a launched program run.

        Raise `OSError` if its command cannot be run, `RefereeError` if the sandbox cannot be made.
        """
        process = cls(launched)
        try:
            launched.find(await asyncio.shield(process._report))
            launched.go()
            while not launched.begins():  # noqa: ASYNC110 -- a state in a file
                await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        except BaseException:
            await process.kill()
            raise
        stopping().add(process._stopper)
        if launched.group is None:
            process._meter = kernel.meter(launched.program)
            watchdog().add(process._watch)
        else:
            process._meter = launched.group.meter(launched.program)
        return process

    @property
    def pipes(self) -> Pipes | None:
        """The referee's ends of stdin and stdout, if they carry messages; open until `kill`."""
        return self._launched.streams.pipes

    @property
    def root(self) -> int:
        """The root of its process tree; 0 while that is unknown, or if it is gone."""
        return 0 if self._is_gone else self._launched.root

    def held(self) -> float:
        """Return the memory that its processes hold, as a share of its limit."""
        held = kernel.held(kernel.descendants(self.root)) if self.root else None
        return held.resident_bytes / self._launched.limits.memory_bytes if held else 0.0

    def output(self) -> str:
        """Return the end of its output since `forget_output`, at most 16 KiB."""
        return self._output.text()

    def fresh_output(self) -> bytes:
        """Return its output since the last call, or the end of it, at most 16 KiB."""
        return self._output.fresh()

    def forget_output(self) -> None:
        """Drop its output so far."""
        self._output.forget()

    def has_ended(self) -> bool:
        """Return whether it has ended, without waiting."""
        if self._launched.process.returncode is not None:
            return True
        program = self._launched.program()
        if program and kernel.is_gone(program):
            return True
        return _is_readable(self._launched.ended)

    async def exited(self) -> None:
        """Wait until the program has ended."""
        await asyncio.shield(self._ended)

    @property
    def overrun(self) -> str:
        """Why a limit of its own killed the program; empty if none did."""
        group = self._launched.group
        if group is not None and not self._is_gone and group.kills() and group.was_full():
            may = size(self._launched.limits.memory_bytes)
            self._overrun = f"it used all of the {may} of memory that it may use"
        return self._overrun or self._watch.overrun or self._stopper.overrun

    @property
    def most_held(self) -> float:
        """The most memory that it was seen to hold, as a share of its limit."""
        group = self._launched.group
        held = self._watch.most_bytes if group is None else group.most_bytes()
        return held / self._launched.limits.memory_bytes

    def seems_well(self) -> None:
        """Note that no process that the kernel has killed so far was one of its own."""
        if self._launched.group is None:
            self._kills = kernel_kills() or 0

    async def ending(self, kind: FaultKind, reason: str) -> Fault:
        """Return a fault that gives how it ended, if that takes at most 3 s."""
        try:
            await asyncio.wait_for(self.exited(), _SECONDS_TO_EXIT)
        except TimeoutError:
            return Fault(kind, reason)
        return self._fault(kind, reason)

    def memory(self, fault: Fault) -> Memory | None:
        """Return what is known of memory after this fault; None once it is killed."""
        if self._is_gone:
            return None
        group, ended = self._launched.group, fault.exit_code is not None or fault.signal is not None
        return Memory(
            over_limit=bool(self.overrun),
            killed=fault.signal == signal.SIGKILL or fault.exit_code == _KILLED_IN_A_SHELL,
            failed_to_start=(
                ended and fault.kind is FaultKind.FAILED_TO_START and fault.exit_code != 0
            ),
            group_kills=None if group is None else group.kills(),
            other_kills=(kernel_kills() or 0) - self._kills,
            exhausted=memory_usage.is_exhausted(),
            most_held=self.most_held,
        )

    def _fault(self, kind: FaultKind, reason: str) -> Fault:
        status = self._launched.status(self.output())
        why = f": {self.overrun}" if self.overrun else ""
        if status < 0:
            by = f"{reason}: its process was ended by {_signal_name(-status)}{why}"
            return Fault(kind, by, signal=-status)
        return Fault(
            kind, f"{reason}: its process exited with status {status}{why}", exit_code=status
        )

    def usage(self) -> Usage:
        """Return its usage since its start; the meters document what they miss."""
        if self._meter is not None and not self._is_gone:
            self.last_usage = self._meter.read()
        return self.last_usage

    def freeze_in(self, seconds: float) -> None:
        """Stop its tree after so long, unless `thaw` comes first."""
        self._stopper.stop_in(seconds)

    def freeze(self) -> None:
        """Stop its whole tree, unless it is stopped, until `thaw`; takes about 0.3 ms."""
        self._stopper.stop()

    @property
    def frozen_since(self) -> float | None:
        """When it was stopped, on the monotonic clock; None while it may run."""
        return self._stopper.since

    def thaw(self) -> int:
        """Continue it if it was stopped, and cancel `freeze_in`.

        Return the CPU time in microseconds that it used while stopped.
        """
        return self._stopper.go_on()

    async def kill(self) -> None:
        """Kill the whole tree, wait until it has ended, and keep the end of the output."""
        if self._is_gone:
            return
        watchdog().remove(self._watch)
        stopping().remove(self._stopper)
        self._stopper.close()
        if not self._launched.root:
            await self._find()
        self._launched.end()
        await self._nothing_is_left()
        if self._is_gone:  # another call came first
            return
        self._overrun = self.overrun
        self.usage()
        self._is_gone = True
        self._output.finish()
        if self._meter is not None:
            self._meter.close()
        self._launched.process.wait()
        self._launched.clear()

    async def _find(self) -> None:
        """Find the process tree, so that `end` can kill it; there may be none."""
        with contextlib.suppress(OSError, RefereeError):
            async with asyncio.timeout(_SECONDS_TO_BEGIN):
                self._launched.find(await asyncio.shield(self._report))

    async def _nothing_is_left(self) -> None:
        for seconds in _SECONDS_TO_END:
            try:
                async with asyncio.timeout(seconds):
                    await self.exited()
                    if self._launched.inner is not None:
                        await _readable(self._launched.inner)
            except TimeoutError:
                self._launched.force()
            else:
                return
        raise RefereeError("a bot's processes cannot be ended")


async def _line(descriptor: int) -> bytes:
    """Return the next line, or its part before the end."""
    line = b""
    while not line.endswith(b"\n"):
        await _readable(descriptor)
        chunk = os.read(descriptor, _LONGEST_REPORT)
        if not chunk:
            break
        line += chunk
    return line


def _readable(descriptor: int) -> "asyncio.Future[None]":
    """Return a future, done once a file descriptor is readable; one at a time for each."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, _set, ready)
    ready.add_done_callback(lambda _: loop.remove_reader(descriptor))
    return ready


def _is_readable(descriptor: int) -> bool:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(0))


def _set(ready: "asyncio.Future[None]") -> None:
    if not ready.done():
        ready.set_result(None)


def _signal_name(number: int) -> str:
    """Return a signal's name, or its number: most real-time ones have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Output:
    """Reads what a program prints at once, so that it never blocks, and keeps the end of it."""

    def __init__(self, descriptor: int) -> None:
        """Start reading in the running loop; the descriptor must be non-blocking."""
        self._descriptor: int | None = descriptor
        self._kept = bytearray()
        self._untold = 0
        """Bytes at the end of what is kept that `fresh` has not returned."""
        asyncio.get_running_loop().add_reader(descriptor, self._read)

    def text(self) -> str:
        """Return the end of the output so far, at most 16 KiB."""
        self._read()  # a short match can be over before the loop has read
        return self._kept.decode(errors="replace")

    def fresh(self) -> bytes:
        """Return the output since the last call, or the end of it, at most 16 KiB."""
        self._read()
        start, self._untold = len(self._kept) - self._untold, 0
        return bytes(self._kept[start:])

    def forget(self) -> None:
        """Drop the output so far."""
        self._read()
        self._kept.clear()
        self._untold = 0

    def finish(self) -> None:
        """Read what is left, then stop reading."""
        self._read()
        self._stop()

    def _read(self) -> None:
        if self._descriptor is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._descriptor, _AT_ONCE_BYTES)
            if not chunk:
                self._stop()
            self._kept += chunk
            del self._kept[:-_KEPT_BYTES]
            self._untold = min(self._untold + len(chunk), len(self._kept))

    def _stop(self) -> None:
        if self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._descriptor = None
