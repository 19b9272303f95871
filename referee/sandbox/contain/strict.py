"""Start and end programs at the levels `strict` and `strict+cg`."""

import contextlib
import errno
import itertools
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from referee.core import folders
from referee.core.errors import RefereeError
from referee.sandbox.cgroup import ControlGroup, ControlGroups
from referee.sandbox.cgroups.cgroup_files import group_name
from referee.sandbox.contain import bubblewrap, private_files
from referee.sandbox.contain.proc_files import contents
from referee.sandbox.contain.seccomp import seccomp_filter
from referee.sandbox.contain.visible_paths import is_visible
from referee.sandbox.meter import process_tree
from referee.sandbox.program import Level, Limits, Program
from referee.sandbox.streams import Streams

_BY_A_SIGNAL = range(129, 129 + 64)
_TRIES = 100
_SECONDS_BETWEEN_TRIES = 0.002
_SECCOMP = re.compile(r"^Seccomp:\s+(\d)", re.MULTILINE)
_numbers = itertools.count()


class Strict:
    """Starts programs in namespaces of their own, and in control groups if given."""

    def __init__(self, groups: ControlGroups | None = None) -> None:
        """Use these groups, or none."""
        self.level = Level.STRICT if groups is None else Level.STRICT_CG
        self._groups = groups

    def seen(self, place: Path) -> str:  # noqa: ARG002 -- wherever it is outside
        """Return the path at which a program sees its place."""
        return bubblewrap.PLACE

    def launch(self, program: Program) -> "Namespaced":
        """Start a program; it then waits for `go`."""
        environment = bubblewrap.program_environment(program)
        check_command(program, environment["PATH"])
        try:
            return self._launch(program, environment)
        except OSError as error:
            raise RefereeError(f"no sandbox can be made: {error}") from error

    def _launch(self, program: Program, environment: dict[str, str]) -> "Namespaced":
        with contextlib.ExitStack() as kept:
            user = None
            if os.geteuid() == 0:
                user = take_user()
                kept.callback(give_back, user)
                program = hand_over(program, user, kept)
            root, program = private_files.give(program, kept)
            group = None if self._groups is None else _make_group(self._groups, program, kept)
            streams = _streams(program, user, kept)
            status, reports = _status_pipe()
            kept.callback(os.close, status)
            gate, opened = os.pipe()
            kept.callback(os.close, opened)
            with contextlib.ExitStack() as handed:
                handed.callback(streams.handed_over)
                wiring = _wire(program, user, (reports, gate), streams.names, handed)
                wiring = wiring._replace(root=root)
                process = subprocess.Popen(
                    bubblewrap.arguments(program, wiring, user),
                    env=environment,
                    stdin=streams.stdin if program.piped else gate,
                    stdout=streams.stdout,
                    stderr=streams.stderr,
                    pass_fds=wiring.descriptors(),
                    start_new_session=True,  # signals to the referee's group are not for it
                )
            return Namespaced(process, (status, opened), streams, program, group, kept.pop_all())


class Namespaced:
    """A program in a process namespace, which ends with its first process."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        pipes: tuple[int, int],
        streams: Streams,
        program: Program,
        group: ControlGroup | None,
        kept: contextlib.ExitStack,
    ) -> None:
        """Take over the started process and what to clean up after it."""
        self.process = process
        self.report, self._gate = pipes
        self._start_pipe = self._gate if streams.pipes is None else streams.pipes.to_bot
        self.streams = streams
        self.limits = program.limits
        self._has_own_network = not program.network
        self.group = group
        self.root = 0
        self._kept = kept
        self._program = 0
        self._reported = b""
        self.ended = os.pidfd_open(process.pid)
        kept.callback(os.close, self.ended)
        self.inner: int | None = None

    def program(self) -> int:
        """Return the id of the program's first process; 0 if there is none yet."""
        if not self._program:
            self._program = process_tree.eldest(self.root)
        return self._program

    def find(self, line: bytes) -> None:
        """Read the id of the namespace's first process."""
        if not line.endswith(b"\n"):
            raise RefereeError(f"no sandbox can be made: {self._failure()}")
        root = int(json.loads(line)["child-pid"])
        try:
            self.inner = os.pidfd_open(root)
        except ProcessLookupError as error:  # it has failed since
            raise RefereeError(f"no sandbox can be made: {self._failure()}") from error
        self._kept.callback(os.close, self.inner)
        self.root = root

    def go(self) -> None:
        """Add the first process to the group; continue it."""
        process_tree.make_expendable(self.root)
        try:
            if self.group is not None:
                self.group.add(self.root)
            os.write(self._gate, b"!")
        except OSError as error:
            raise RefereeError(f"no sandbox can be made: {error}") from error

    def begins(self) -> bool:
        """Start the program once the namespace's first process would die with bubblewrap.

        That process asks for this just before it gets the system call filter. If the referee is
        killed before, the program never starts and the waiting shell ends.
        """
        seccomp = _SECCOMP.search(process_tree.read(f"/proc/{self.root}/status"))
        if seccomp and seccomp[1] == "0":
            return False
        with contextlib.suppress(OSError):  # the reader is gone: `status` holds the reason
            os.write(self._start_pipe, b"\n")
        return True

    def _failure(self) -> str:
        self.process.wait()
        with contextlib.suppress(BlockingIOError):
            return _last_line(os.read(self.streams.output, 4096).decode(errors="replace"))
        return "bubblewrap gives no reason"

    def excess(self) -> str:
        """Return which resource outside its processes exceeds its limit; empty if none.

        A socket holds up to 0.2 MiB of pending messages, and even an empty file in /tmp or
        /dev/shm some 1 KiB: both in kernel memory.
        """
        if not self.program():
            return ""  # it still sees what the referee sees
        counted = process_tree.read(f"/proc/{self.root}/net/sockstat").split()[2:3]
        sockets, may = int(counted[0]) if counted else 0, 2 * self.limits.open_files
        if sockets > may and self._has_own_network:
            return f"it had {sockets} of the {may} sockets that it may have"
        may = _most_files(self.limits)
        for folder in (bubblewrap.HOME, bubblewrap.SHARED_MEMORY):
            files = _files_in(f"/proc/{self.root}/root{folder}")
            if files > may:
                return f"it had {files} of the {may} files in {folder} that it may have"
        return ""

    def end(self) -> None:
        """Kill the first process of the namespace: the kernel then kills the others."""
        if self.inner is None:
            self.process.kill()
            return
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.inner, signal.SIGKILL)
        if self.group is not None:
            with contextlib.suppress(OSError):
                self.group.thaw()  # it dies only once thawed

    def force(self) -> None:
        """Kill each process visible from outside."""
        process_tree.kill(self.root)
        self.process.kill()

    def status(self, printed: str) -> int:
        """Return the program's exit status, or minus the signal.

        bubblewrap reports a signal as shells do, as 128 plus its number; a program that exits with
        such a status looks like a killed one.
        """
        status = self.process.wait()
        os.set_blocking(self.report, False)
        with contextlib.suppress(BlockingIOError):
            self._reported += os.read(self.report, 4096)
        if b"exit-code" not in self._reported and printed.startswith("bwrap: "):
            raise RefereeError(f"no sandbox can be made: {_last_line(printed)}")
        return 128 - status if status in _BY_A_SIGNAL else status

    def clear(self) -> None:
        """Clean up after the program."""
        self._kept.close()


def check_command(program: Program, path: str) -> None:
    """Raise `OSError` if a command cannot be run.

    Checks only what the program itself would see: the error goes to its author, who must not learn
    from it which files exist on this machine.
    """
    name = program.command[0]
    if not program.directory.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), str(program.directory))
    found = _in_sight(program, name) if "/" in name else shutil.which(name, path=path)
    if found is None or not Path(found).exists():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if not Path(found).is_file() or not os.access(found, os.X_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), name)


def _in_sight(program: Program, name: str) -> Path | None:
    """Return where a program's path leads on this machine; None if out of its sight."""
    own = program.directory.resolve()
    inside = Path(os.path.normpath(Path(bubblewrap.BOT, name)))
    try:
        if inside.is_relative_to(bubblewrap.BOT):
            found = (own / inside.relative_to(bubblewrap.BOT)).resolve()
        else:
            found = inside.resolve()
    except RuntimeError:  # links in a circle
        return None
    seen = found.is_relative_to(own) or is_visible(found, network=program.network)
    return found if seen else None


def _make_group(
    groups: ControlGroups, program: Program, kept: contextlib.ExitStack
) -> ControlGroup:
    group = groups.make(group_name(next(_numbers)), program.limits)
    kept.callback(_remove, group)
    return group


def _remove(group: ControlGroup) -> None:
    for _ in range(_TRIES):
        if group.remove():
            return
        time.sleep(_SECONDS_BETWEEN_TRIES)


def _streams(program: Program, user: int | None, kept: contextlib.ExitStack) -> Streams:
    """Open a program's streams: a bot can reopen them by name, a build through /proc."""
    folder = None
    if not program.writable:
        folder = Path(tempfile.mkdtemp(prefix="courtyard-streams-"))
        kept.callback(shutil.rmtree, folder, ignore_errors=True)
    streams = Streams.open(piped=program.piped, user=user, folder=folder)
    kept.callback(streams.close)
    return streams


def _wire(
    program: Program,
    user: int | None,
    pipes: tuple[int, int],
    streams: tuple[Path, ...],
    handed: contextlib.ExitStack,
) -> bubblewrap.Wiring:
    """Collect bubblewrap's descriptors beside the streams; `handed` closes them here."""
    reports, gate = pipes
    handed.callback(os.close, reports)
    handed.callback(os.close, gate)
    passwd, groups = bubblewrap.accounts(user)
    rules = seccomp_filter(network=program.network, building=program.writable)
    constant = contents(building=program.writable)
    held = tuple(_holding(text, handed) for text in (rules, passwd, groups, *constant))
    return bubblewrap.Wiring(reports, gate, held[0], held[1], held[2], held[3:], streams)


def _status_pipe() -> tuple[int, int]:
    """Return a pipe that stays writable without a reader.

    If the referee is killed, bubblewrap must not die of a report to it: the process that bubblewrap
    has started would be left behind, waiting for ever.
    """
    reading, writing = os.pipe()
    kept_writable = os.open(f"/proc/self/fd/{writing}", os.O_RDWR | os.O_CLOEXEC)
    os.close(writing)
    return reading, kept_writable


def _holding(content: bytes, handed: contextlib.ExitStack) -> int:
    """Return a file descriptor to read this content from, of any length."""
    held = os.memfd_create("courtyard")
    handed.callback(os.close, held)
    os.write(held, content)
    os.lseek(held, 0, os.SEEK_SET)
    return held


def _files_in(folder: str) -> int:
    """Return the number of files in the file system with this root."""
    try:
        system = os.statvfs(folder)
    except OSError:  # the program is gone
        return 0
    return system.f_files - system.f_ffree


def _most_files(limits: Limits) -> int:
    return limits.scratch_bytes // 1024


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["bubblewrap gives no reason"])[-1]


_FIRST = 1_600_000_000
_MOST = 64
_lock = threading.Lock()
_taken: set[int] = set()


def take_user() -> int:
    """Return an unused user id; raise `BlockingIOError` if all are in use.

    Each process of the machine has 64, computed from its own id.
    """
    with _lock:
        free = next((slot for slot in range(_MOST) if slot not in _taken), None)
        if free is None:
            raise BlockingIOError(11, f"{_MOST} bots already run in this process")
        _taken.add(free)
    return _FIRST + os.getpid() * _MOST + free


def give_back(user: int) -> None:
    """Free a user id; none of the user's processes may be left."""
    with _lock:
        _taken.discard((user - _FIRST) % _MOST)


_FOR_ALL = stat.S_IROTH | stat.S_IXOTH


def hand_over(program: Program, user: int, kept: contextlib.ExitStack) -> Program:
    """Return the program with files that this user may use until the stack closes.

    Gives the user the program's place, and its folder if writable; closing the stack gives the
    folder back. Copies a read-only folder that other users may not read.
    """
    if program.place is not None:
        for path in (program.place, *program.place.iterdir()):
            os.chown(path, user, user, follow_symlinks=False)
    owner = program.directory.stat()
    if program.writable:
        kept.callback(folders.give, program.directory, owner.st_uid, owner.st_gid)
        folders.give(program.directory, user, user)
    elif owner.st_mode & _FOR_ALL != _FOR_ALL:
        return replace(program, directory=_copy(program.directory, kept))
    return program


def _copy(folder: Path, kept: contextlib.ExitStack) -> Path:
    """Return a world-readable copy of a folder, without special files."""
    above = Path(tempfile.mkdtemp(prefix="courtyard-copy-"))
    kept.callback(shutil.rmtree, above, ignore_errors=True)
    copy = above / "bot"

    def left_out(parent: str, names: list[str]) -> list[str]:
        return [name for name in names if not _is_to_copy(Path(parent, name), above)]

    shutil.copytree(folder, copy, symlinks=True, ignore=left_out)
    for path in (copy, *copy.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | stat.S_IROTH | (stat.S_IXOTH if mode & stat.S_IXUSR else 0))
    return copy


def _is_to_copy(path: Path, copy: Path) -> bool:
    """Return whether this is a file, folder or link, and not the copy itself."""
    mode = path.lstat().st_mode
    return any(kind(mode) for kind in (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)) and path != copy
