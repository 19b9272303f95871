"""Start and end programs at the level `trusted` where there is no Linux: see `trusted`."""

import contextlib
import marshal
import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from referee.core.safe_path import python
from referee.sandbox import portable_kernel, portable_supervisor
from referee.sandbox.meter.process_list import MARK, psutil
from referee.sandbox.program import Program
from referee.sandbox.streams import Streams
from referee.sandbox.trusted import Supervised, Trusted, task

_ROOT = Path(__file__).parents[2]
_PACKAGES = "" if psutil is None else str(Path(psutil.__file__).parents[1])


class PortableTrusted(Trusted):
    """Starts programs as this user, uncontained."""

    def _launch(self, program: Program) -> "PortableSupervised":
        mark = secrets.token_hex(16)
        with contextlib.ExitStack() as kept:
            scratch = tempfile.mkdtemp(prefix="courtyard-bot-")
            kept.callback(shutil.rmtree, scratch, ignore_errors=True)
            streams = Streams.open(piped=program.piped, user=None)
            kept.callback(streams.close)
            ended, life = os.pipe()
            kept.callback(os.close, ended)
            ours, theirs = socket.socketpair()
            kept.callback(ours.close)
            with contextlib.ExitStack() as handed:
                handed.callback(streams.handed_over)
                handed.callback(theirs.close)
                handed.callback(os.close, life)
                passed = (theirs.fileno(), life)
                process = subprocess.Popen(
                    python(
                        *("-Ss", portable_supervisor.__file__),
                        *(*map(str, passed), _PACKAGES, mark),
                    ),
                    env={"PYTHONPATH": str(_ROOT)},
                    stdin=streams.stdin,
                    stdout=streams.stdout,
                    stderr=streams.stderr,
                    pass_fds=passed,
                    start_new_session=True,
                )
            message = marshal.dumps(task(program, scratch, {MARK: mark}))
            ours.sendall(len(message).to_bytes(4) + message)
            return PortableSupervised(process, ours, streams, program, kept.pop_all(), ended, mark)


class PortableSupervised(Supervised):
    """A program below a supervisor that ends after its last process."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        control: socket.socket,
        streams: Streams,
        program: Program,
        kept: contextlib.ExitStack,
        ended: int,
        mark: str,
    ) -> None:
        """Take over the started process and what to clean up after it."""
        super().__init__(process, control, streams, program, kept, ended)
        self._mark = mark

    def find(self, line: bytes) -> None:
        """Read the id of the program's first process; raise `OSError` if it could not be run."""
        super().find(line)
        portable_kernel.begin(self.root, self._program, self._mark)

    def force(self) -> None:
        """Kill its processes and the supervisor."""
        portable_kernel.kill(self.process.pid)
        self.process.kill()

    def clear(self) -> None:
        """End what is left if the supervisor was killed, and clean up."""
        if self._program and self.process.wait() == -signal.SIGKILL:
            portable_kernel.kill(self.root)
        portable_kernel.forget(self.process.pid)
        super().clear()
