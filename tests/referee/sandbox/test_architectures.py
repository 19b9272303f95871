"""The filter of system calls on x86-64 and on ARM, tried call by call as the kernel would.

libseccomp writes the filter of either architecture on any machine. Numbers differ between the two,
and some calls are in one only; nothing that leads out may be open on one of them for that.
"""

import errno
import functools
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from referee.sandbox.contain import seccomp
from tests.support.filter_program import ALLOWED, KILLED, verdict
from tests.support.lacking import need_linux, skip

AUDIT = {"X86_64": 0xC000003E, "AARCH64": 0xC00000B7, "X86": 0x40000003, "ARM": 0x40000028}
"""How the kernel names the architecture of a call."""
ONLY_X86 = {"inotify_init", "ioperm", "iopl", "modify_ldt", "ustat"}
TIMES_ONLY_X86 = {"utime", "utimes", "futimesat"}
ORDINARY = (
    *("read", "write", "openat", "close", "mmap", "munmap", "brk", "futex", "exit_group"),
    *("execve", "wait4", "clock_gettime", "nanosleep", "getrandom", "epoll_create1", "ppoll"),
    *("rt_sigaction", "rt_sigreturn", "getpid", "newfstatat", "statx", "rseq", "prlimit64"),
)
NEWER = {"cachestat": 451, "statmount": 457, "setxattrat": 463, "open_tree_attr": 467, "any": 4095}
"""Calls that libseccomp may not know by name: the kernel's own numbers."""
TERMINALS = (0x5401, 0x541B, 0x5421, 0x5451, 0x802C542A)
"""Requests that runtimes make: TCGETS, FIONREAD, FIONBIO, FIOCLEX, TCGETS2."""
NEW_USER = 0x10000000
X32 = 0x40000000
SEEMS_DONE = "errno 0"
DENIED, NO_SUCH_CALL = f"errno {errno.EPERM}", f"errno {errno.ENOSYS}"
Asked = Callable[..., str]


@pytest.fixture(params=["X86_64", "AARCH64"])
def machine(request: pytest.FixtureRequest) -> str:
    """Each architecture that Courtyard runs on."""
    return str(request.param)


def library() -> Any:
    """Return libseccomp; skip the test without it."""
    need_linux()
    try:
        import pyseccomp  # noqa: PLC0415 -- the import fails where the library is missing
    except (ImportError, RuntimeError):
        skip("no libseccomp", "apt-get install libseccomp2")
    return pyseccomp


def is_here(machine: str) -> bool:
    """Return whether this is such a machine."""
    return os.uname().machine == machine.lower()


@functools.cache
def program(machine: str, **options: bool) -> bytes:
    """Return the filter as it is made on such a machine."""
    pyseccomp = library()

    class Foreign(pyseccomp.SyscallFilter):  # type: ignore[misc,name-defined] # found when it runs
        """A filter for another machine than this one."""

        def __init__(self, default: Any) -> None:
            super().__init__(default)
            self.add_arch(getattr(pyseccomp.Arch, machine))
            self.remove_arch(pyseccomp.Arch.NATIVE)

    with pytest.MonkeyPatch.context() as patch:
        if not is_here(machine):
            patch.setattr(pyseccomp, "SyscallFilter", Foreign)
        return seccomp.seccomp_filter.__wrapped__(**options)  # not the cached one


def number(machine: str, name: str) -> int | None:
    """Return a call's number on such a machine; None if it has no such call."""
    pyseccomp = library()
    found = int(pyseccomp.resolve_syscall(getattr(pyseccomp.Arch, machine), name))
    return found if found >= 0 else None


@pytest.fixture
def asked(machine: str) -> Asked:
    """Ask the filter of a bot about a call by its name and arguments."""

    def ask(name: str, *arguments: int) -> str:
        found = number(machine, name)
        assert found is not None, name
        return verdict(program(machine, network=False), AUDIT[machine], found, arguments)

    return ask


def there(machine: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the calls that such a machine has."""
    yield from (name for name in names if number(machine, name) is not None)


def test_every_refused_call_is_refused_on_both(machine: str, asked: Asked) -> None:
    """All that the filter names is refused by its own number there; only x86's own are missing."""
    named = (*seccomp._REFUSED, *seccomp._COVERT, *seccomp._ONLY_BUILDS)
    missing = {*named} - {*there(machine, named)} - {"fadvise64_64"}
    assert missing == (ONLY_X86 if machine == "AARCH64" else set())
    refused = {name: asked(name) for name in there(machine, named)}
    assert {name for name, said in refused.items() if said != DENIED} == set()
    attributes = {asked(name) for name in there(machine, seccomp._ATTRIBUTES)}
    assert attributes == {f"errno {errno.EOPNOTSUPP}"}


def test_times_seem_to_change_on_both(machine: str, asked: Asked) -> None:
    """By each call that sets them; ARM has one."""
    calls = {*there(machine, seccomp._TIMES)}
    missing = {*seccomp._TIMES} - calls
    assert missing == (TIMES_ONLY_X86 if machine == "AARCH64" else set())
    assert {asked(call) for call in calls} == {SEEMS_DONE}


@pytest.mark.parametrize("building", [False, True])
def test_newer_calls_do_not_exist_on_either(machine: str, *, building: bool) -> None:
    """Whatever they may be: programs go on as they do on the kernel that a stable Debian has."""
    made = program(machine, network=False, building=building)
    said = {name: verdict(made, AUDIT[machine], number) for name, number in NEWER.items()}

    assert said == dict.fromkeys(NEWER, NO_SUCH_CALL)
    assert verdict(made, AUDIT[machine], seccomp.FIRST_NEWER - 1) == ALLOWED


def test_only_requests_about_terminals_reach_a_file_on_both(asked: Asked) -> None:
    """Of all kinds of ioctl; a file system tells what others did with a file."""
    kinds = {kind for kind in range(256) if asked("ioctl", 0, 0xC0200001 | kind << 8) == ALLOWED}

    assert kinds == {ord("T")}
    assert {asked("ioctl", 0, request) for request in TERMINALS} == {ALLOWED}


def test_no_huge_pages_on_either(machine: str) -> None:
    """Neither for a bot nor for a build: they are the machine's, whose owner wants them."""
    found = number(machine, "mmap")
    assert found is not None
    for building in (False, True):
        made = program(machine, network=building, building=building)
        huge = verdict(made, AUDIT[machine], found, (0, 1 << 21, 3, 0x40022 | 1 << 32))
        assert huge == f"errno {errno.ENOMEM}"
        assert verdict(made, AUDIT[machine], found, (0, 1 << 21, 3, 0x22)) == ALLOWED


def test_what_every_program_needs_is_allowed_on_both(asked: Asked) -> None:
    """A bot reads, waits, starts threads and children."""
    threads = 0x3D0F00  # the flags with which the C library starts one
    assert {name: asked(name) for name in ORDINARY} == dict.fromkeys(ORDINARY, ALLOWED)
    assert asked("clone", threads) == ALLOWED
    assert asked("clone", signal.SIGCHLD) == ALLOWED
    assert asked("kill", 1, signal.SIGTERM) == ALLOWED
    assert asked("socket", 1, 1, 0) == ALLOWED


def test_calls_are_refused_for_their_arguments_on_both(asked: Asked) -> None:
    """Namespaces, locks, families of sockets, and what wakes a stopped bot."""
    assert asked("clone", NEW_USER | signal.SIGCHLD) == DENIED
    assert asked("clone3") == asked("set_robust_list") == NO_SUCH_CALL
    assert asked("socket", 2, 1, 0) == f"errno {errno.EAFNOSUPPORT}"
    assert asked("kill", 1, signal.SIGCONT | 1 << 32) == DENIED
    assert asked("prctl", 1, signal.SIGCONT) == DENIED
    assert asked("preadv2", 0, 0, 0, 0, 0, 8) == DENIED
    for call, argument, _, value in seccomp._refused_for_arguments(building=False):
        assert asked(call, *[0] * argument, value) == DENIED, (call, value)


def test_only_the_machine_s_own_calls_can_be_made(machine: str) -> None:
    """A program of 32 bits, or one that calls as another ABI does, is ended at its first call."""
    made = program(machine, network=True)
    for other in AUDIT.keys() - {machine}:
        assert verdict(made, AUDIT[other], 1) == KILLED
    if machine == "X86_64":
        assert verdict(made, AUDIT[machine], X32 | 1) == KILLED


def test_a_build_may_lock_files_and_reach_the_network_on_both(machine: str) -> None:
    """As package managers do; the rest is refused as ever."""
    made = program(machine, network=True, building=True)

    def ask(name: str, *arguments: int) -> str:
        found = number(machine, name)
        assert found is not None, name
        return verdict(made, AUDIT[machine], found, arguments)

    assert ask("flock", 0, 2) == ask("fcntl", 0, 6) == ask("socket", 2, 1, 0) == ALLOWED
    assert ask("utimensat") == ask("ioctl", 0, 0x40049409) == ALLOWED
    assert ask("setsockopt", 0, 41, 26) == ALLOWED  # IPV6_V6ONLY
    assert ask("ptrace") == ask("open_tree") == DENIED
