"""Start and end programs at the level `trusted`: limits, and a supervisor that cleans up."""

import contextlib
import marshal
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from referee.core.errors import RefereeError
from referee.core.safe_path import python
from referee.sandbox import supervisor
from referee.sandbox.cgroup import ControlGroup
from referee.sandbox.contain import rlimits
from referee.sandbox.contain.environment import environment
from referee.sandbox.kernel import kernel
from referee.sandbox.meter import process_tree
from referee.sandbox.program import MARK, Level, Program
from referee.sandbox.streams import Streams

WARNING = (
    "Bots run at the level 'trusted': limits guard against accidents, and nothing against a "
    "hostile bot. It can read your files and keys, use the network, and read, stop and kill the "
    "referee and other bots. Run only bots that you trust."
)
"""The warning for users who start matches at this level."""
_ROOT = Path(__file__).parents[2]


class Trusted:
    """Starts programs as this user, uncontained."""

    level = Level.TRUSTED

    def seen(self, place: Path) -> str:
        """Return the path of the place, which is the same for the program."""
        return str(place)

    def launch(self, program: Program) -> "Supervised":
        """Start the supervisor of a program, and tell it what to run."""
        try:
            return self._launch(program)
        except OSError as error:
            raise RefereeError(f"no bot can be started: {error}") from error

    def _launch(self, program: Program) -> "Supervised":
        with contextlib.ExitStack() as kept:
            scratch = tempfile.mkdtemp(prefix="courtyard-bot-")
            kept.callback(shutil.rmtree, scratch, ignore_errors=True)
            streams = Streams.open(piped=program.piped, user=None)
            kept.callback(streams.close)
            ended, life = os.pipe()
            kept.callback(os.close, ended)
            ours, theirs = socket.socketpair()
            kept.callback(ours.close)
            marked = kernel.marks()
            with contextlib.ExitStack() as handed:
                handed.callback(streams.handed_over)
                handed.callback(theirs.close)
                handed.callback(os.close, life)
                passed = (theirs.fileno(), life)
                # Its own environment is empty: the program comes through the socket.
                process = subprocess.Popen(
                    python("-Ss", supervisor.__file__, *map(str, passed), *marked),
                    env={"PYTHONPATH": str(_ROOT)},
                    stdin=streams.stdin,
                    stdout=streams.stdout,
                    stderr=streams.stderr,
                    pass_fds=passed,
                    start_new_session=True,
                )
            process_tree.make_expendable(process.pid)
            message = marshal.dumps(_task(program, scratch, marked))
            ours.sendall(len(message).to_bytes(4) + message)
            kept.callback(kernel.forget, process.pid)
            return Supervised(process, ours, streams, program, kept.pop_all(), ended, marked)


class Supervised:
    """A program below a supervisor that ends with its last process."""

    group: ControlGroup | None = None
    inner: int | None = None

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        control: socket.socket,
        streams: Streams,
        program: Program,
        kept: contextlib.ExitStack,
        ended: int,
        marked: tuple[str, ...],
    ) -> None:
        """Take over the started process and what to clean up after it."""
        self.process = process
        self.report = control.fileno()
        self.streams = streams
        self.limits = program.limits
        self.root = 0
        self._command = program.command[0]
        self._control = control
        self._kept = kept
        self._program = 0
        self.ended = ended
        self._marked = marked

    def program(self) -> int:
        """Return the id of the program's first process; 0 if there is none yet."""
        return self._program

    def go(self) -> None:
        """Do nothing: it runs already."""

    def begins(self) -> bool:
        """Return that it began."""
        return True

    def find(self, line: bytes) -> None:
        """Read the id of the program's first process; raise `OSError` if it could not be run."""
        status, _, number = line.decode().partition(" ")
        if not number:
            raise RefereeError("the supervisor of a bot ended before the bot began")
        if status == "errno":
            error = int(number)
            raise OSError(error, os.strerror(error), self._command)
        self._program = int(number)
        self.root = self.process.pid
        kernel.begin(self.root, self._program, self._marked)

    def excess(self) -> str:
        """Return nothing: this level counts only what belongs to a process."""
        return ""

    def end(self) -> None:
        """Have the supervisor kill the tree."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGCONT)

    def force(self) -> None:
        """Kill its processes and the supervisor."""
        kernel.kill(self.process.pid)
        self.process.kill()

    def status(self, printed: str) -> int:  # noqa: ARG002 -- nothing but the program prints
        """Return the program's exit status, or minus the signal."""
        return self.process.wait()

    def clear(self) -> None:
        """End what a killed supervisor left where no kernel does, and clean up."""
        if self._program and self.process.wait() == -signal.SIGKILL:
            kernel.kill(self.root)
        self._kept.close()


def _task(program: Program, scratch: str, marked: tuple[str, ...]) -> list[object]:
    """Return the supervisor's message, in its order."""
    path = os.environ.get("PATH", os.defpath).split(os.pathsep)
    variables = {**program.environment, **({MARK: marked[-1]} if marked else {})}
    own = environment(variables, home=scratch, network=program.network, path=path)
    limits = rlimits.resource_limits(program.limits, others=kernel.tasks())
    numbered = [
        (rlimits.number(name), value)
        for name, value in limits.items()
        if name not in kernel.unheld_limits()
    ]
    return [scratch, list(program.command), str(program.directory), own, numbered]
