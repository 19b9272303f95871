"""What a raider tries to see, to reach and to change. Each returns what it got."""

import ctypes
import errno
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Targets = dict[str, Any]
_LIBC = ctypes.CDLL(None, use_errno=True)
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_CLONE_NEWUSER = 0x10000000
_SECONDS = 5.0


def environment(targets: Targets) -> str:
    """Read the referee's environment."""
    return "its environment" if Path(f"/proc/{targets['referee']}/environ").read_bytes() else ""


def arguments(targets: Targets) -> str:
    """See what else runs, and with which arguments."""
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        if targets["secret"] in _text(file) and int(file.parent.name) != os.getpid():
            return "another's arguments"
    return ""


def memory(targets: Targets) -> str:
    """Read in another process's memory."""
    victim = targets["victim"]
    start = int(_text(Path(f"/proc/{victim}/maps")).partition("-")[0], 16)
    with Path(f"/proc/{victim}/mem").open("rb") as file:
        file.seek(start)
        return "its memory" if file.read(16) else ""


def first(_: Targets) -> str:
    """Take over the first process that it sees, which is not its own."""
    with Path("/proc/1/mem").open("r+b", 0):
        return "its memory, to write in"


def ptrace(targets: Targets) -> str:
    """Take another process over."""
    victim = targets["victim"]
    if _LIBC.ptrace(_PTRACE_ATTACH, victim, None, None) != 0:
        raise _error()
    os.waitpid(victim, 0x40000000)  # __WALL
    _LIBC.ptrace(_PTRACE_DETACH, victim, None, None)
    return "a hold on it"


def kill(targets: Targets) -> str:
    """Kill another process."""
    os.kill(targets["victim"], signal.SIGKILL)
    return "it killed"


def files(targets: Targets) -> str:
    """Read another's file."""
    return "its content" if targets["secret"] in _text(Path(targets["file"])) else ""


def write(targets: Targets) -> str:
    """Write outside of its own folders."""
    Path(targets["folder"], "from-the-raider").write_text("here")
    return "a file there"


def own_files(_: Targets) -> str:
    """Change its own program for the matches to come."""
    Path("from-the-raider").write_text("here")
    return "a file in its own folder"


def token(targets: Targets) -> str:
    """Read another seat's token."""
    return "a token" if any(True for _ in _others(targets, "token")) else ""


def dial(targets: Targets) -> str:
    """Dial another seat's socket."""
    for path in _others(targets, "seat.sock"):
        with socket.socket(socket.AF_UNIX) as dialled:
            dialled.connect(str(path))
            return "a connection"
    return ""


def replay(targets: Targets) -> str:
    """Play on another's seat, with its token."""
    import grpc  # noqa: PLC0415 -- only here
    from courtyard.v1 import referee_pb2  # noqa: PLC0415

    for path in _others(targets, "token"):
        hello = referee_pb2.Hello(protocol_version=1, name="x", seat_token=path.read_text())
        message = referee_pb2.BotMessage(hello=hello).SerializeToString()
        with grpc.insecure_channel(f"unix:{path.parent / 'seat.sock'}") as channel:
            call: grpc.StreamStreamMultiCallable[bytes, bytes]
            call = channel.stream_stream("/courtyard.v1.Referee/Play")
            try:
                for _ in call(iter([message]), timeout=_SECONDS):
                    return "a welcome"
            except grpc.RpcError as error:
                print(error.details())
    return ""


def tcp(targets: Targets) -> str:
    """Reach a server by TCP."""
    with socket.create_connection(("127.0.0.1", targets["tcp"]), _SECONDS):
        return "a connection"


def udp(targets: Targets) -> str:
    """Send a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.sendto(b"from the raider", ("127.0.0.1", targets["udp"]))
        return "a datagram out"


def abstract(targets: Targets) -> str:
    """Reach a server by a socket without a path."""
    with socket.socket(socket.AF_UNIX) as dialled:
        dialled.connect(f"\0{targets['abstract']}")
        return "a connection"


def namespace(_: Targets) -> str:
    """Become root in a namespace of its own, from where the kernel has more to be attacked."""
    child = os.fork()
    if child == 0:
        os._exit(1 if _LIBC.unshare(_CLONE_NEWUSER) else 0)
    return "a user namespace" if os.waitpid(child, 0)[1] == 0 else ""


def links(targets: Targets) -> str:
    """Lay links where the referee or the supervisor will clean up: nothing beyond may be hit."""
    places = [Path("/run/courtyard"), *Path(targets["places"]).glob("*")]
    laid = 0
    for folder in (Path.home(), Path.cwd(), *places):
        for lay in (
            lambda to: to.symlink_to(targets["folder"]),
            lambda to: os.link(targets["file"], to),
            lambda to: to.mkdir(0),
        ):
            try:
                lay(folder / f"link-{laid}")
            except OSError as error:
                print(error.strerror)
            else:
                laid += 1
    return ""  # what it got is seen from outside


def daemon(_: Targets) -> str:
    """Leave a process behind that has no parent and heeds no signal."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            signal.pause()
        os._exit(0)
    return ""


def _others(targets: Targets, name: str) -> Iterator[Path]:
    """Yield the files of this name that other bots have."""
    own = Path(os.environ.get("COURTYARD_TOKEN_FILE", "/nowhere"))
    for path in Path(targets["places"]).glob(f"*/{name}"):
        if path.parent != own.parent:
            yield path
    for path in Path("/run/courtyard").glob(f"*/{name}"):
        yield path


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, errno.errorcode[number])


def _tried(attack: Callable[[Targets], str]) -> Callable[[Targets], str]:
    """Return what tries this and says why it got nothing."""

    def trying(targets: Targets) -> str:
        try:
            return attack(targets)
        except (OSError, ValueError) as error:
            print(f"{type(error).__name__}: {error}")
            return ""

    return trying


ATTACKS = {
    attack.__name__: _tried(attack)
    for attack in (
        *(environment, arguments, memory, first, ptrace, kill, files, write, own_files, token),
        *(dial,),
        *(replay, tcp, udp, abstract, namespace, links, daemon),
    )
}
