"""A bot's process: started in a session of its own, its output read with a bound, its group killed.

This is the level `trusted`: it guards against accidents, not against a hostile bot.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.faults import Fault, FaultKind

_OUTPUT_KEPT = 16 * 1024
_MOST_IN_A_PIPE = 64 * 1024
_SECONDS_TO_EXIT = 1.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """Have the kernel kill this process when the referee's thread that started it is gone."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class BotProcess:
    """One running bot. Knows no protocol."""

    def __init__(self, process: asyncio.subprocess.Process, reading: int) -> None:
        """Watch a process that was just started and prints to the other end of this pipe."""
        self._process = process
        self._output = bytearray()
        self._reading: int | None = reading
        os.set_blocking(reading, False)
        asyncio.get_running_loop().add_reader(reading, self._read_output)

    @classmethod
    async def start(
        cls, command: Sequence[str], directory: Path, environment: Mapping[str, str]
    ) -> "BotProcess":
        """Start a command in a folder; raise `OSError` if it cannot be started.

        It gets no environment but this and what a program cannot do without.
        """
        # A pipe of our own can be closed while some child of the bot's still holds its other end.
        reading, writing = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=directory,
                env=_base_environment() | dict(environment),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=writing,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_die_with_parent,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        return cls(process, reading)

    def _read_output(self) -> None:
        """Take what is there; at the end of the output, stop."""
        if self._reading is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._reading, _OUTPUT_KEPT)
            if not chunk:
                self._stop_reading()
            self._output += chunk
            del self._output[:-_OUTPUT_KEPT]

    def _stop_reading(self) -> None:
        if self._reading is not None:
            asyncio.get_running_loop().remove_reader(self._reading)
            os.close(self._reading)
            self._reading = None

    def output(self) -> str:
        """Return the end of what the bot printed, at most 16 KiB."""
        return self._output.decode(errors="replace")

    def has_ended(self) -> bool:
        """Tell whether the process is gone, without waiting for the news."""
        if self._process.returncode is not None:
            return True
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, look) is not None

    async def exited(self) -> None:
        """Wait until the process has ended."""
        await self._process.wait()

    async def ending(self, kind: FaultKind, reason: str) -> Fault:
        """Return a fault that says how the process ended, if it does so within a second."""
        try:
            status = await asyncio.wait_for(self._process.wait(), _SECONDS_TO_EXIT)
        except TimeoutError:
            return Fault(kind, reason)
        if status < 0:
            name = _signal_name(-status)
            return Fault(kind, f"{reason}: its process was ended by {name}", signal=-status)
        return Fault(kind, f"{reason}: its process exited with status {status}", exit_code=status)

    async def kill(self) -> None:
        """Kill the process with its group, wait until it is gone, and keep its last words."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()
        for _ in range(_MOST_IN_A_PIPE // _OUTPUT_KEPT):
            self._read_output()
        self._stop_reading()


def _signal_name(number: int) -> str:
    """Return what people call a signal; most of the real-time ones have no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _base_environment() -> dict[str, str]:
    """Return what every bot gets: `python3` is the referee's own, and bundles stay unchanged."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TMPDIR") if name in os.environ}
    return {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", **kept}
