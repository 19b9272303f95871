"""What a program sees, reaches and may do at the levels that contain a hostile one."""

import asyncio
import contextlib
import json
import os
import re
import socket
import subprocess
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

import referee
from referee.core.errors import RefereeError
from referee.sandbox.contain.strict import Namespaced
from referee.sandbox.contain.visible_paths import visible
from referee.sandbox.levels import Sandbox
from referee.sandbox.meter import process_tree
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Limits, Program
from referee.sandbox.streams import Streams
from tests.support.lacking import need_level, need_program
from tests.support.system_calls import numbers

Printed = Callable[..., str]
WithProcess = Callable[..., None]
Received = Callable[[BotProcess], Awaitable[bytes]]

TRY = """
import ctypes, errno, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if name not in NUMBERS: return "absent"
    ctypes.set_errno(0)
    result = libc.syscall(NUMBERS[name], *arguments)
    return "done" if result >= 0 else errno.errorcode[ctypes.get_errno()]
"""
LITTLE = Limits(memory_bytes=256 << 20)
REFUSED = {
    "ptrace(PTRACE_TRACEME)": ("call('ptrace', 0, 0, 0, 0)", "EPERM"),
    "ptrace(PTRACE_ATTACH, 1)": ("call('ptrace', 16, 1, 0, 0)", "EPERM"),
    "process_vm_readv": ("call('process_vm_readv', 1, 0, 0, 0, 0, 0)", "EPERM"),
    "unshare(CLONE_NEWUSER)": ("call('unshare', 0x10000000)", "EPERM"),
    "clone(CLONE_NEWUSER)": ("call('clone', 0x10000011, 0, 0, 0, 0)", "EPERM"),
    "clone3": ("call('clone3', 0, 0)", "ENOSYS"),
    "setns": ("call('setns', 0, 0)", "EPERM"),
    "mount": ("call('mount', 0, 0, 0, 0, 0)", "EPERM"),
    "memfd_create": ("call('memfd_create', b'x', 0)", "EPERM"),
    "shmget": ("call('shmget', 0, 4096, 0o1600)", "EPERM"),
    "bpf": ("call('bpf', 0, 0, 0)", "EPERM"),
    "io_uring_setup": ("call('io_uring_setup', 1, 0)", "EPERM"),
    "userfaultfd": ("call('userfaultfd', 0)", "EPERM"),
    "keyctl": ("call('keyctl', 0, 0, 0)", "EPERM"),
    "perf_event_open": ("call('perf_event_open', 0, 0, 0, 0, 0)", "EPERM"),
    "socket(AF_INET)": ("call('socket', 2, 1, 0)", "EAFNOSUPPORT"),
    "socket(AF_INET6)": ("call('socket', 10, 1, 0)", "EAFNOSUPPORT"),
    "socket(AF_NETLINK)": ("call('socket', 16, 3, 0)", "EAFNOSUPPORT"),
    "socket(AF_PACKET)": ("call('socket', 17, 3, 0)", "EAFNOSUPPORT"),
    "socketpair(AF_NETLINK)": ("call('socketpair', 16, 3, 0, 0)", "EAFNOSUPPORT"),
    "setxattr": ("call('setxattr', b'/tmp', b'user.x', b'x', 1, 0)", "ENOTSUP"),
    "setuid(0)": ("call('setuid', 0)", "EPERM"),
    "flock": ("call('flock', 0, 2)", "EPERM"),
    "fcntl(F_SETLK)": ("call('fcntl', 0, 6, 0)", "EPERM"),
    "fcntl(F_OFD_SETLK)": ("call('fcntl', 0, 37, 0)", "EPERM"),
    "fcntl(F_SETLK) and high bits": ("call('fcntl', 0, ctypes.c_long(6 | 1 << 32), 0)", "EPERM"),
    "fcntl(F_SETLEASE)": ("call('fcntl', 0, 1024, 0)", "EPERM"),
    "fcntl(F_NOTIFY)": ("call('fcntl', 0, 1026, 1)", "EPERM"),
    "fcntl(F_SETPIPE_SZ)": ("call('fcntl', 1, 1031, 4096)", "EPERM"),
    "inotify_init": ("call('inotify_init')", "EPERM"),
    "inotify_init1": ("call('inotify_init1', 0)", "EPERM"),
    "fanotify_mark": ("call('fanotify_mark', 0, 0, 0, 0, 0)", "EPERM"),
    "fadvise64": ("call('fadvise64', 0, 0, 0, 4)", "EPERM"),
    "mincore": ("call('mincore', 0, 0, 0)", "EPERM"),
    "readahead": ("call('readahead', 0, 0, 0)", "EPERM"),
    "move_pages": ("call('move_pages', 0, 0, 0, 0, 0, 0)", "EPERM"),
    "preadv2(RWF_NOWAIT)": ("call('preadv2', 0, 0, 0, 0, 0, 8)", "EPERM"),
    "madvise(MADV_PAGEOUT)": ("call('madvise', 0, 0, 21)", "EPERM"),
    "madvise(MADV_COLLAPSE)": ("call('madvise', 0, 0, 25)", "EPERM"),
    "get_mempolicy(MPOL_F_ADDR)": ("call('get_mempolicy', 0, 0, 0, 0, 3)", "EPERM"),
    "set_robust_list": ("call('set_robust_list', 0, 24)", "ENOSYS"),
    "madvise(MADV_MERGEABLE)": ("call('madvise', 0, 0, 12)", "EPERM"),
    "prctl(PR_SET_MEMORY_MERGE)": ("call('prctl', 67, 1, 0, 0, 0)", "EPERM"),
    "io_setup": ("call('io_setup', 1, 0)", "EPERM"),
    "sysinfo": ("call('sysinfo', 0)", "EPERM"),
    "pidfd_open": ("call('pidfd_open', 1, 0)", "EPERM"),
    "clone(CLONE_PIDFD)": ("call('clone', 0x1011, 0, 0, 0, 0)", "EPERM"),
    "getsockopt(SO_COOKIE)": ("call('getsockopt', 0, 1, 57, 0, 0)", "EPERM"),
    "setsockopt(SO_PASSPIDFD)": ("call('setsockopt', 0, 1, 76, 0, 0)", "EPERM"),
    "setsockopt(SO_PASSCRED)": ("call('setsockopt', 0, 1, 16, 0, 0)", "EPERM"),
    "bind(without a name)": ("call('bind', 0, b'\\1\\0', 2)", "EPERM"),
    "mmap(MAP_HUGETLB)": ("call('mmap', 0, 1 << 21, 3, 0x40022, -1, 0)", "ENOMEM"),
    "ioctl(EXT4_IOC_GET_ES_CACHE)": ("call('ioctl', 0, 0xC020662A, 0)", "ENOTTY"),
    "ioctl(RNDGETENTCNT)": ("call('ioctl', 0, 0x80045200, 0)", "ENOTTY"),
    "ioctl(FS_IOC_FIEMAP)": ("call('ioctl', 0, 0xC020660B, 0)", "ENOTTY"),
    "ioctl(XFS_IOC_FSCOUNTS)": ("call('ioctl', 0, 0x80205871, 0)", "ENOTTY"),
    "setsockopt(SO_ATTACH_FILTER)": ("call('setsockopt', 0, 1, 26, 0, 0)", "EPERM"),
    "seccomp(SECCOMP_SET_MODE_FILTER)": ("call('seccomp', 1, 0, 0)", "EPERM"),
    "prctl(PR_SET_SECCOMP)": ("call('prctl', 22, 2, 0, 0, 0)", "EPERM"),
    "statmount": ("libc.syscall(457, 0) < 0 and errno.errorcode[ctypes.get_errno()]", "ENOSYS"),
    "kill(1, SIGKILL)": ("call('kill', 1, 9)", "EPERM"),
    "chroot": ("call('chroot', b'/')", "EPERM"),
    "mknod(a device)": ("call('mknodat', -100, b'/tmp/x', 0o60600, 0x801)", "EPERM"),
}
ABSENT = {"x86_64": set[str](), "aarch64": {"inotify_init"}}
"""Calls that an architecture does not have."""


def test_what_leads_out_is_refused(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """Each system call fails, and the program goes on.

    In a user namespace the program is the same user as the first process there, but no signal gets
    through to that; and there is no root in it.
    """
    script = TRY + "".join(f"print({call})\n" for call, _ in REFUSED.values())
    script = f"NUMBERS = {numbers(script)}\n{script}"
    said = dict(zip(REFUSED, printed(strict, script, tmp_path).split(), strict=True))
    wanted = {name: error for name, (_, error) in REFUSED.items()}
    wanted |= dict.fromkeys(ABSENT[os.uname().machine], "absent")
    if os.geteuid() != 0:
        wanted |= {"kill(1, SIGKILL)": "done", "setuid(0)": "EINVAL"}

    assert said == wanted


LOCK = """
import fcntl
with open("lock", "w") as file:
    for lock in (fcntl.flock, fcntl.lockf):
        try: print(lock(file, fcntl.LOCK_EX))
        except OSError as error: print(error.strerror)
"""


def test_a_build_may_lock_files(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """Package managers do; it knows no hands. A bot may not, not even its own."""
    script, bot = LOCK.replace('"lock"', '"/tmp/lock"'), tmp_path / "bot"
    bot.mkdir()

    assert printed(strict, LOCK, bot, writable=True).split() == ["None", "None"]
    assert printed(strict, script, bot).splitlines() == ["Operation not permitted"] * 2


def test_there_are_no_terminals(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """The machine has a few thousand for all: who has them all would tell others something."""
    script = (
        "import os\n"
        "for make in (os.openpty, lambda: os.open('/dev/ptmx', os.O_RDWR)):\n"
        "    try: print(make())\n"
        "    except OSError as error: print(error.strerror)"
    )

    assert "(" not in (said := printed(strict, script, tmp_path)), said


def test_a_program_has_no_privilege(
    strict: Sandbox, with_process: WithProcess, received: Received, tmp_path: Path
) -> None:
    """Nor can it get one."""
    told: list[str] = []

    async def test(process: BotProcess) -> None:
        await received(process)
        told.extend(process_tree.read(f"/proc/{process._launched.program()}/status").splitlines())

    script = "import sys; print(flush=True); sys.stdin.read()"
    with_process(strict, script, tmp_path, test, piped=True)
    status = dict(line.split(":\t", 1) for line in told if ":\t" in line)
    capabilities = {status[name].strip("0") for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")}

    assert capabilities == {""}
    assert status["CapBnd"].strip("0") == ""
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    assert "0" not in status["Uid"].split()
    assert status["Groups"].strip() in {"", *status["Gid"].split()}


OTHERS = """
import os
def others(path):
    if path in PROMISED or not os.path.lexists(path): return
    if any(each.startswith(path + "/") for each in PROMISED):
        for name in os.listdir(path): yield from others(path + "/" + name)
    else: yield path
print([other for path in PATHS for other in others(path)])
"""


def test_a_program_sees_no_file_of_anybody(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """Of the machine only the system, of the project only packages, and no place beside its own.

    Python or a toolchain may lie in /home or /opt: nothing else does then.
    """
    bot, place, secret = tmp_path / "bot", tmp_path / "place", tmp_path / "secret"
    for folder in (bot, place):
        folder.mkdir()
    secret.write_text("a secret")
    root = Path(referee.__file__).parents[1]
    paths = {secret, tmp_path, root / "ladder", root / ".git", root / "tests"}
    paths |= {Path("/root/.ssh"), Path("/etc/shadow"), Path("/etc/hostname")}
    paths |= {Path("/", name) for name in ("sys", "var", "home", "boot", "srv", "opt", "mnt")}
    promised = {*visible(network=False)}
    script = f"PROMISED = {[*map(str, promised)]}\nPATHS = {[*map(str, paths)]}\n{OTHERS}"

    assert not paths & promised
    assert printed(strict, script, bot, place=place).strip() == "[]"


def test_a_program_may_write_in_tmp_alone(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """All else is read-only, whichever user owns it."""
    place = tmp_path / "place"
    place.mkdir()
    script = (
        "import os\n"
        "for path, folders, files in os.walk('/'):\n"
        "    folders[:] = [it for it in folders if f'{path}/{it}' != '//proc']\n"
        "    if path == '/tmp': folders[:] = []\n"
        "    for name in ('', *files):\n"
        "        if os.path.islink(f'{path}/{name}'): continue\n"
        "        if os.access(f'{path}/{name}', os.W_OK): print(os.path.normpath(f'{path}/{name}'))"
    )
    found = printed(strict, script, tmp_path, place=place).split()
    # The program's own /dev/shm has the folders above Python if that lies in ours.
    writable = {path for path in found if not path.startswith("/dev/shm/")}  # noqa: S108
    devices = {"null", "zero", "full", "random", "urandom", "tty", "pts", "ptmx", "pts/ptmx"}

    assert writable - {f"/dev/{name}" for name in devices} - {"//dev/tty"} == {"/tmp", "/dev/shm"}  # noqa: S108


def test_a_bot_may_not_change_its_folder(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """It plays the next match as it played this one."""
    (tmp_path / "own").write_text("as it was")
    script = (
        "import os\n"
        "for change in (lambda: open('own', 'w'), lambda: open('new', 'w'),\n"
        "               lambda: os.remove('own'),\n"
        "               lambda: os.chmod('own', 0o777), lambda: os.link('own', '/tmp/own'),\n"
        "               lambda: os.link('own', 'more')):\n"
        "    try: change(); print('done')\n"
        "    except OSError as error: print(error.errno)"
    )

    assert "done" not in printed(strict, script, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["own"]
    assert (tmp_path / "own").read_text() == "as it was"


def test_a_build_may_change_its_folder(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """What it has made belongs to the owner of the folder, and to no name outside."""
    bot, outside = tmp_path / "bot", tmp_path / "outside"
    bot.mkdir()
    outside.write_text("not to be touched")
    outside.chmod(0o640)
    script = (
        "import os; os.mkdir('made'); open('made/file', 'w').write('made'); "
        "os.chmod('made/file', 0o4755); os.symlink('../outside', 'link'); os.mkdir('closed', 0)"
    )
    assert printed(strict, script, bot, writable=True) == ""

    owners = {(it.lstat().st_uid, it.lstat().st_gid) for it in (bot, *bot.rglob("*"))}
    assert owners == {(os.geteuid(), os.getegid())}
    assert (bot / "made" / "file").read_text() == "made"
    assert outside.stat().st_mode & 0o777 == 0o640


def test_the_network_is_there_only_for_who_may_use_it(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """A build whose owner allows it: it reaches what the machine reaches."""
    script = (
        "import socket, sys\n"
        "try: print(socket.create_connection(('127.0.0.1', PORT)).recv(5))\n"
        "except OSError as error: print(error.strerror)"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        script = script.replace("PORT", str(server.getsockname()[1]))
        refused = printed(strict, script, tmp_path)
        server.settimeout(120)
        allowed = _answered(server, lambda: printed(strict, script, tmp_path, network=True))

    assert refused == "Address family not supported by protocol\n"
    assert allowed == "b'hello'\n"


def _answered(server: socket.socket, play: Callable[[], str]) -> str:
    """Say hello to each caller while this runs."""

    def answer() -> None:
        with server.accept()[0] as dialled:
            dialled.sendall(b"hello")

    answering = threading.Thread(target=answer)
    answering.start()
    try:
        return play()
    finally:
        answering.join()


def test_abstract_sockets_are_out_of_reach(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """They have no path that could be hidden; the network's namespace holds them."""
    with socket.socket(socket.AF_UNIX) as server:
        name = f"courtyard-test-{os.urandom(4).hex()}"
        server.bind(f"\0{name}")
        server.listen()
        script = (
            "import socket\n"
            f"try: socket.socket(socket.AF_UNIX).connect('\\0{name}'); print('reached')\n"
            "except OSError as error: print(error.strerror)"
        )

        assert printed(strict, script, tmp_path) == "Connection refused\n"


def test_a_program_dials_the_socket_in_its_place(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """That is how it reaches the referee, and the only way."""
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place / "seat.sock"))
        server.listen()
        script = (
            "import socket\n"
            "with socket.socket(socket.AF_UNIX) as own:\n"
            "    own.connect('/run/courtyard/seat.sock'); own.sendall(b'hello')"
        )

        assert printed(strict, script, tmp_path, place=place) == ""
        with server.accept()[0] as dialled:
            assert dialled.recv(5) == b"hello"


TOOLS = {
    "java": ("java", "-version"),
    "node": ("node", "--version"),
    "go": ("go", "version"),
    "rustc": ("rustc", "--version"),
    "cargo": ("cargo", "--version"),
    "g++": ("g++", "--version"),
    "bash": ("bash", "--version"),
    "jq": ("jq", "--version"),
}
PACKAGES = {"java": "default-jdk-headless", "node": "nodejs", "go": "golang-go"}
"""Where Debian has them, if not under their own names."""


@pytest.mark.parametrize("name", TOOLS)
def test_languages_are_there_that_the_machine_has(
    strict: Sandbox, printed: Printed, tmp_path: Path, name: str
) -> None:
    """Wherever they are installed, a home that no other user may enter included."""
    need_program(name, f"apt-get install {PACKAGES.get(name, name)}")
    script = f"import subprocess; print(subprocess.run({TOOLS[name]!r}).returncode)"

    assert printed(strict, script, tmp_path).splitlines()[-1] == "0"


def test_java_is_told_its_memory(strict: Sandbox, printed: Printed, tmp_path: Path) -> None:
    """It may not ask the kernel; its heap is what the sandbox holds, or what the bot asks for."""
    need_program("java", "apt-get install openjdk-17-jre-headless")
    script = (
        "import subprocess\n"
        "asked = ['java', '-XX:+PrintFlagsFinal', *MORE, '-version']\n"
        "said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout\n"
        "print(*(line for line in said.splitlines() if ' MaxHeapSize ' in line))"
    )
    heap = re.compile(r"MaxHeapSize += (\d+)")
    told = heap.search(printed(strict, f"MORE = []\n{script}", tmp_path, limits=LITTLE))
    wished = heap.search(printed(strict, f"MORE = ['-Xmx64m']\n{script}", tmp_path, limits=LITTLE))

    assert told is not None
    assert wished is not None
    assert int(told[1]) == LITTLE.memory_bytes
    assert int(wished[1]) == 64 << 20


def test_a_thread_of_java_and_the_like_has_room(
    strict: Sandbox, printed: Printed, tmp_path: Path
) -> None:
    """Address space is no memory: what is reserved and not used does not count."""
    script = "import mmap; held = [mmap.mmap(-1, 1 << 30) for _ in range(8)]; print(len(held))"

    assert printed(strict, script, tmp_path) == "8\n"


def test_a_command_says_nothing_of_the_machine(strict: Sandbox, tmp_path: Path) -> None:
    """What a program would not see is not there, whether it is or not: its author is told."""
    bot = tmp_path / "bot"
    bot.mkdir()
    (tmp_path / "secret").touch()
    (bot / "link").symlink_to(tmp_path / "secret")
    (bot / "circle").symlink_to("circle")
    own = ("./link", "link/", "./circle", "../secret", "../bot/../secret")
    for command in (*own, str(tmp_path / "secret"), str(tmp_path / "nothing")):
        with pytest.raises(FileNotFoundError):
            asyncio.run(strict.start(Program((command,), bot)))


def test_the_reason_is_told_when_the_first_process_is_gone_already(
    tmp_path: Path,
) -> None:
    """Without a sandbox the error is bubblewrap's own, however late the referee looks."""
    need_level(Level.STRICT)
    streams = Streams.open(piped=False, user=None)
    with subprocess.Popen(["true"]) as first:
        pass
    why = ["sh", "-c", "echo bwrap: pivot_root: Operation not permitted >&2; exit 1"]
    with subprocess.Popen(why, stdout=streams.stdout, stderr=streams.stderr) as process:
        streams.handed_over()
        kept = contextlib.ExitStack()
        program = Program(("true",), tmp_path)
        launched = Namespaced(process, (-1, -1), streams, program, None, kept)
        with kept, pytest.raises(RefereeError, match=r"no sandbox can be made: .*pivot_root"):
            launched.find(json.dumps({"child-pid": first.pid}).encode() + b"\n")
    streams.close()
