"""Check what the sandbox levels need of this machine, and advise how to get it.

Each check runs once per process. To check namespaces, it starts a program in them, as any list of
versions and settings would be wrong somewhere.
"""

import contextlib
import functools
import os
import platform
import select
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from referee.core.errors import RefereeError
from referee.sandbox.cgroup import ControlGroups
from referee.sandbox.cgroups.cgroup_files import Unavailable
from referee.sandbox.cgroups.cgroup_v1 import GroupsV1
from referee.sandbox.cgroups.cgroup_v2 import GroupsV2
from referee.sandbox.contain import private_files, system_image
from referee.sandbox.contain.seccomp import seccomp_filter
from referee.sandbox.contain.strict import Strict
from referee.sandbox.kernel import IS_LINUX
from referee.sandbox.launch import Launched, Launcher
from referee.sandbox.meter import process_tree
from referee.sandbox.program import Program
from referee.sandbox.spawner import in_spawner

_SECONDS_TO_PROVE = 20.0
_SECONDS_BETWEEN_LOOKS = 0.0005
_DELEGATE = "start this in a group of its own: systemd-run --user --scope -p Delegate=yes COMMAND"
_IMAGE = "make an image, as root on Linux 6.12 or newer with erofs-utils: ladder image"
_WAYS_TO_LINUX = (
    "run Courtyard on Linux: in a container or virtual machine (podman machine, Docker Desktop "
    "with --privileged), on another machine, or on Windows in WSL 2"
)
_SETTINGS = (
    (
        "kernel.apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap",
    ),
    ("kernel.unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    ("user.max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=10000"),
)
"""Settings that forbid namespaces: name, forbidding value, remedy."""


@dataclass(frozen=True, slots=True)
class Check:
    """One requirement of sandbox levels."""

    name: str
    gives: str
    """Its purpose."""
    lacking: str = ""
    """The missing part; empty if there is none."""
    advice: str = ""
    """The remedy."""

    @property
    def ok(self) -> bool:
        """Whether the requirement is met."""
        return not self.lacking


@functools.cache
def linux() -> Check:
    """Check for Linux, whose kernel offers all that contains a program."""
    gives = "its kernel contains bots"
    if IS_LINUX:
        return Check("Linux", gives)
    return Check("Linux", gives, f"this is {_system()}, which cannot contain bots", _WAYS_TO_LINUX)


def _system() -> str:
    """Return the system's name as people write it."""
    name = platform.system()
    return {"Darwin": "macOS", "Linux": "a Linux without its /proc"}.get(name, name)


@functools.cache
def bubblewrap() -> Check:
    """Check for the programs that make a sandbox."""
    needed = ("bwrap", "prlimit", "setarch", *(("setpriv",) if os.geteuid() == 0 else ()))
    missing = [name for name in needed if shutil.which(name) is None]
    lacking = f"{' and '.join(missing)} cannot be found" if missing else ""
    advice = "apt-get install bubblewrap util-linux" if missing else ""
    return Check("bubblewrap", "puts a bot into namespaces of its own", lacking, advice)


@functools.cache
def libseccomp() -> Check:
    """Check that the system call filter can be made."""
    gives = "keeps a bot from the kernel's dangerous system calls"
    try:
        seccomp_filter(network=False)
    except (ImportError, OSError, RuntimeError) as error:
        return Check("libseccomp", gives, str(error), "apt-get install libseccomp2")
    return Check("libseccomp", gives)


@functools.cache
def namespaces() -> Check:
    """Check that a program can be started in namespaces."""
    gives = "no bot sees, reaches or outlives anything"
    if not (bubblewrap().ok and libseccomp().ok):
        advice = bubblewrap().advice or libseccomp().advice
        return Check("namespaces", gives, "not tried without the above", advice)
    lacking = _proof(Strict())
    return Check("namespaces", gives, lacking, _advice_on_namespaces(lacking) if lacking else "")


@functools.cache
def control_groups() -> Check:
    """Check that control groups can be made and can hold a program in namespaces."""
    gives = "the kernel holds a bot's memory, processes and CPU, and measures them exactly"
    try:
        groups = find_groups()
    except Unavailable as reason:
        advice = _WITHOUT_GROUPS if is_container() else _DELEGATE
        return Check("control groups", gives, str(reason), advice)
    if not namespaces().ok:
        return Check("control groups", gives, "not tried without namespaces", namespaces().advice)
    lacking = _proof(Strict(groups))
    return Check("control groups", gives, lacking, _DELEGATE if lacking else "")


@functools.cache
def own_files() -> Check:
    """Check that bots share no files of the system."""
    gives = "bots cannot pass messages through shared files"
    lacking = private_files.lacking()
    if not lacking and system_image.is_outdated():
        lacking = "the image is older than the system's files"
    return Check("own files", gives, lacking, _IMAGE if lacking else "")


@functools.cache
def find_groups() -> ControlGroups:
    """Return the maker of control groups; raise `Unavailable` if there is none."""
    try:
        return GroupsV2.find()
    except Unavailable as unified:
        try:
            return GroupsV1.find()
        except Unavailable as split:
            raise Unavailable(f"{unified}; {split}") from None


def _advice_on_namespaces(lacking: str) -> str:
    for name, forbidding, advice in _SETTINGS:
        if process_tree.read(f"/proc/sys/{name.replace('.', '/')}").strip() == forbidding:
            return advice
    if is_container():
        return container_advice(lacking)
    return "run Courtyard where programs may make namespaces: not in a chroot or a restricted unit"


def _proof(launcher: Launcher) -> str:
    """Start a program that does nothing; return why it failed, empty if it did not."""
    with tempfile.TemporaryDirectory(prefix="courtyard-") as folder:
        place = Path(folder, "place")
        place.mkdir()
        program = Program(("true",), Path(folder), place)
        try:
            with contextlib.closing(_Run(in_spawner(launcher.launch, program).result())) as run:
                return run.result()
        except (OSError, RefereeError) as error:
            return str(error)


class _Run:
    """A program started without an event loop."""

    def __init__(self, launched: Launched) -> None:
        """Take over the program."""
        self._launched = launched
        self._until = time.monotonic() + _SECONDS_TO_PROVE

    def result(self) -> str:
        """Run it to its end; return what went wrong, empty if nothing did."""
        launched = self._launched
        line = b""
        while not line.endswith(b"\n") and self._is_ready(launched.report):
            chunk = os.read(launched.report, 4096)
            if not chunk:
                break
            line += chunk
        launched.find(line)
        launched.go()
        while not launched.begins():
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        if not self._is_ready(launched.ended):
            return f"a program that does nothing took longer than {_SECONDS_TO_PROVE:.0f} s"
        printed = ""
        with contextlib.suppress(BlockingIOError):
            printed = os.read(launched.streams.output, 4096).decode(errors="replace")
        status = launched.status(printed)
        return (
            f"a program that does nothing ended with {status}: {printed.strip()}" if status else ""
        )

    def close(self) -> None:
        """Kill it and clean up."""
        self._launched.end()
        for descriptor in (self._launched.ended, self._launched.inner):
            if descriptor is not None:
                self._is_ready(descriptor)
        self._launched.process.wait()
        self._launched.clear()

    def _is_ready(self, descriptor: int) -> bool:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        return bool(waiting.poll(max(0.0, self._until - time.monotonic()) * 1000))


_SIGNS = (Path("/run/.containerenv"), Path("/.dockerenv"))
"""Files that podman and Docker put into a container."""
_FILTERED = (
    *("set personality", "new namespace", "pivot_root"),
    *("make / slave: Operation not permitted", "make / slave: Function not implemented"),
)
"""Errors where a container's filter refuses a call; AppArmor denies a permission."""
_PROFILE = "--security-opt seccomp=containers/seccomp.json"
_WHOLE_PROC = "--security-opt unmask=ALL (Docker: systempaths=unconfined)"
_NO_APPARMOR = "--security-opt apparmor=unconfined"
_WITHOUT_GROUPS = "nothing to do: containers have the level strict, which goes without"


def is_container() -> bool:
    """Return whether this is a container of podman or Docker."""
    return any(sign.exists() for sign in _SIGNS)


def container_advice(failure: str) -> str:
    """Return how to start this container, given how a program in namespaces failed."""
    options = []
    if _has_filter() and any(word in failure for word in _FILTERED):
        options.append(_PROFILE)
    if _is_covered(Path("/proc/sys")):
        options.append(_WHOLE_PROC)
    return f"start the container with {' and '.join(options or [_NO_APPARMOR])}: docs/containers.md"


def _has_filter() -> bool:
    """Return whether system calls of this process are filtered."""
    return "\nSeccomp:\t2\n" in process_tree.read("/proc/self/status")


def _is_covered(folder: Path) -> bool:
    """Return whether the container forbids writing below a folder of /proc.

    bubblewrap writes there to forbid further namespaces, and the kernel allows no /proc in
    namespaces while a part of this one is covered.
    """
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return True
