"""What a container must allow so that bots can be contained in it, and how to say so."""

import os
from pathlib import Path

from referee.sandbox.meter import process_tree

_SIGNS = (Path("/run/.containerenv"), Path("/.dockerenv"))
"""Files that podman and Docker put into a container."""
_FILTERED = (
    *("set personality", "new namespace", "pivot_root"),
    *("make / slave: Operation not permitted", "make / slave: Function not implemented"),
)
"""What failures say where a container's filter refuses a call; AppArmor denies a permission."""
_PROFILE = "--security-opt seccomp=containers/seccomp.json"
_WHOLE_PROC = "--security-opt unmask=ALL (Docker: systempaths=unconfined)"
_NO_APPARMOR = "--security-opt apparmor=unconfined"
WITHOUT_GROUPS = "nothing to do: containers have the level strict, which goes without"


def is_container() -> bool:
    """Return whether this is a container of podman or Docker."""
    return any(sign.exists() for sign in _SIGNS)


def advice(failure: str) -> str:
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
