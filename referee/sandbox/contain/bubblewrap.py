"""Run a program in namespaces of its own with bubblewrap: levels `strict` and `strict+cg`.

The program sees its folder as /bot, the way to the referee as /run/courtyard, a small /tmp and the
system's programs; it sees no other process, no network and no other user's files.

An ordinary user gets this with a user namespace, in which the program has another user id. Root
needs none: it sets everything up as itself, and then the program becomes a user that exists nowhere
else on this machine. That also works if Python is installed in a private home, and the kernel
limits the processes of such a user, unlike those of root.
"""

import functools
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from referee.sandbox.contain import proc_files
from referee.sandbox.contain.environment import environment
from referee.sandbox.contain.rlimits import resource_limits
from referee.sandbox.contain.visible_paths import below, is_bound, of_the_system, visible
from referee.sandbox.program import Limits, Program

BOT = "/bot"
"""Where a program sees its folder."""
PLACE = "/run/courtyard"
"""Where a program sees its endpoint folder (`Program.place`)."""
HOME = "/tmp"  # noqa: S108 -- the program's own
"""Where a program may write."""
SHARED_MEMORY = "/dev/shm"  # noqa: S108 -- the program's own
"""Where it may write a little too; programs with several processes need it."""
_START_SIGNAL = 'read -r _ && exec "$@"'
"""Starts the program after one line on stdin, never at the end of stdin. Reads no further."""
_SHARED_MEMORY_BYTES = 1024 * 1024
_TERMINALS = "/dev/pts"
_JAVA = "JDK_JAVA_OPTIONS"
_SOMEBODY = 1000
"""The user id of a program in a user namespace."""
_MADE = frozenset(map(Path, ("/", "/usr", "/etc", "/run", HOME, "/proc", "/dev", BOT)))
"""Folders that always exist."""


class Wiring(NamedTuple):
    """The file descriptors that connect the referee and bubblewrap."""

    status: int
    """bubblewrap reports here which process it started and how that ended."""
    gate: int
    """bubblewrap blocks until this is readable or at its end."""
    seccomp: int
    passwd: int
    group: int
    proc: tuple[int, ...]
    """Contents of the constant files in /proc."""
    streams: tuple[Path, ...]
    """Paths of stdin, stdout and stderr for a program without /proc."""
    root: Path = Path("/")
    """Where the files are that the program sees of the system."""

    def descriptors(self) -> tuple[int, ...]:
        """Return all descriptors."""
        return (self.status, self.gate, self.seccomp, self.passwd, self.group, *self.proc)


def arguments(program: Program, wiring: Wiring, user: int | None) -> list[str]:
    """Return the whole command: the program becomes this user, or (None) uses a user namespace.

    The arguments hold no secret, as every user of the machine can read them.
    """
    return [
        shutil.which("bwrap") or "bwrap",
        *_namespaces(program, user),
        *("--die-with-parent", "--new-session", "--hostname", "bot"),
        *("--json-status-fd", str(wiring.status), "--block-fd", str(wiring.gate)),
        *("--seccomp", str(wiring.seccomp)),
        *(option for options in _files(program, wiring) for option in options),
        *("--chdir", BOT, "--"),
        *("sh", "-c", _START_SIGNAL if program.piped else f"{_START_SIGNAL} </dev/null", "sh"),
        *_becoming(user),
        *(() if program.writable else proc_files.UNVARIED),
        *_limited(program.limits),
        *program.command,
    ]


def program_environment(program: Program) -> dict[str, str]:
    """Return the environment of a program; bubblewrap gets the same, as programs can read it."""
    own = {_JAVA: _java_options(program.limits), **program.environment}
    base = environment(own, home=HOME, network=program.network)
    return base if program.writable else _origin_variables(base["PATH"]) | base


def _java_options(limits: Limits) -> str:
    """Return the options that set the JVM's memory; it takes a quarter for its heap.

    The JVM cannot ask the kernel, see `seccomp`.
    """
    return f"-XX:+IgnoreUnrecognizedVMOptions -XX:MaxRAM={4 * limits.memory_bytes}"


def accounts(user: int | None) -> tuple[bytes, bytes]:
    """Return /etc/passwd and /etc/group for the program: runtimes look up the user's home."""
    number = _SOMEBODY if user is None else user
    return (
        f"bot:x:{number}:{number}:bot:{HOME}:/bin/sh\n".encode(),
        f"bot:x:{number}:\n".encode(),
    )


def _namespaces(program: Program, user: int | None) -> Iterator[str]:
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
    if not program.network:
        yield "--unshare-net"
    yield from ("--cap-drop", "ALL")
    if user is None:
        yield from ("--unshare-user", "--disable-userns")
        yield from ("--uid", str(_SOMEBODY), "--gid", str(_SOMEBODY))
    else:  # until it has become that user
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            yield from ("--cap-add", capability)


def _files(program: Program, wiring: Wiring) -> Iterator[tuple[str, ...]]:
    """Yield the options that build the program's file system, in order."""
    programs = program_environment(program)["PATH"]
    yield from of_the_system(wiring.root)
    for folder in ("/etc", "/run", BOT):
        yield "--perms", "0755", "--dir", folder
    if program.writable:
        yield from proc_files.of_a_build(wiring.proc)
    else:
        itself = _seen_command(program, programs, Path(BOT))
        yield from proc_files.of_a_bot(wiring.proc, wiring.streams, itself)
        yield from _origin_options(programs)
    yield "--dev", "/dev"
    yield from proc_files.empty_folder(_TERMINALS)  # Linux has a few thousand for all together
    yield "--perms", "1777", "--size", str(_SHARED_MEMORY_BYTES), "--tmpfs", SHARED_MEMORY
    yield "--perms", "1777", "--size", str(program.limits.scratch_bytes), "--tmpfs", HOME
    yield "--perms", "0444", "--file", str(wiring.passwd), "/etc/passwd"
    yield "--perms", "0444", "--file", str(wiring.group), "/etc/group"
    paths = [
        path
        for path in visible(network=program.network)
        if not is_bound(path) or below(wiring.root, path).exists()
    ]
    for above in sorted({above for path in paths for above in path.parents} - _MADE):
        yield "--perms", "0755", "--dir", str(above)
    for path in paths:
        if is_bound(path):
            yield "--ro-bind", str(below(wiring.root, path)), str(path)
        else:
            yield "--symlink", str(path.readlink()), str(path)
    yield "--bind" if program.writable else "--ro-bind", str(program.directory.resolve()), BOT
    if program.place is not None:
        yield "--ro-bind", str(program.place.resolve()), PLACE
    yield "--remount-ro", "/dev"
    yield "--remount-ro", "/"


def _becoming(user: int | None) -> Iterator[str]:
    if user is not None:
        yield from ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups")
        yield from ("--no-new-privs", "--inh-caps=-all", "--bounding-set=-all", "--")


def _limited(limits: Limits) -> Iterator[str]:
    """Yield the command that sets the limits of each process.

    The kernel counts processes from here: inside the namespace, and after the change of user.
    """
    yield "prlimit"
    for name, value in resource_limits(limits).items():
        yield f"--{name}={value}"
    yield "--"


_ORIGIN = "/run/origin"
"""The common folder in which the loader looks for libraries beside any program.

Programs ask /proc where they are, and a bot has none (see `proc_files`). A single link there can
name the bot's command, but it would mislead a Java that Python starts. So shells and Python, which
start other programs and do not need the link, get none.
"""
_ELF = b"\x7fELF"
_STARTS_OTHERS = re.compile(r"(ba|da|k|z)?sh|busybox|env|python[0-9.]*")


def _seen_command(program: Program, path: str, seen: Path) -> Path | None:
    """Return the path of a bot's command as the bot sees it, with its folder at `seen`.

    None for a script, or a program that mostly starts others.
    """
    folder, name = program.directory.resolve(), program.command[0]
    found = str(folder / name) if "/" in name else shutil.which(name, path=path)
    if found is None or not (file := Path(found).resolve()).is_file():
        return None
    with file.open("rb") as opened:
        if opened.read(len(_ELF)) != _ELF or _STARTS_OTHERS.fullmatch(file.name):
            return None
    return seen / file.relative_to(folder) if file.is_relative_to(folder) else file


def _origin_variables(path: str) -> dict[str, str]:
    """Return the variables for the loader and Go; searches programs in this PATH."""
    found = {"LD_ORIGIN_PATH": f"{_ORIGIN}/bin"}
    if (go := _installation("go", path)) and (go / "src").is_dir():
        found["GOROOT"] = str(go)
    return found


def _origin_options(path: str) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for the common folder; searches programs in this PATH."""
    for folder in (_ORIGIN, f"{_ORIGIN}/bin", f"{_ORIGIN}/lib"):
        yield "--perms", "0755", "--dir", folder
    for library in _libraries(path):
        yield "--symlink", str(library), f"{_ORIGIN}/lib/{library.name}"


@functools.cache
def _libraries(path: str) -> tuple[Path, ...]:
    """Return the libraries that runtimes and compilers need to start."""
    of_python = str(sysconfig.get_config_var("INSTSONAME"))
    wanted = [
        (_installation("java", path), "libjli.so"),
        (_installation("rustc", path), "lib*.so*"),
        (Path(sys.base_prefix), of_python),
    ]
    found = (root.glob(f"lib/{name}") for root, name in wanted if root)
    return tuple(library for libraries in found for library in libraries)


def _installation(name: str, path: str) -> Path | None:
    """Return the folder above a program's `bin`; None if there is no such program."""
    found = shutil.which(name, path=path)
    return Path(found).resolve().parents[1] if found else None
