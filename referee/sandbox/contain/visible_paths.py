"""The paths of this machine that a sandboxed program sees, read-only, besides its own folder.

The system's programs and libraries, the Python that runs the referee, the packages that bots
import, and toolchains. No home, only the configuration that programs need to start, and only the
project's packages: ladders and their secrets may lie around them.
"""

import functools
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox.contain.environment import certificates
from referee.sandbox.toolchains import toolchains

_PACKAGES = ("courtyard", "courtyard_kit", "referee")
"""Packages for Python bots, beside those installed with the referee."""
_SYSTEM = Path("/usr")
_BESIDE_USR = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_CONFIGURATION = (
    *("ld.so.cache", "alternatives", "localtime", "maven/m2.conf", "maven/logging"),
    *("java-*-openjdk", "php/*/cli/conf.d", "php/*/mods-available"),
    *("R/ldpaths", "R/Renviron", "R/Rprofile.site", "R/Makeconf", "R/repositories"),
)
_CONFIGURATION_OF_THE_NETWORK = (
    *("resolv.conf", "hosts", "nsswitch.conf", "services", "protocols", "gai.conf"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/tls/certs", "pki/ca-trust"),
)


def of_the_system(root: Path) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for the folders of the system, which are below this root."""
    yield "--ro-bind", str(below(root, _SYSTEM)), str(_SYSTEM)
    for name in _BESIDE_USR:
        folder = Path("/", name)
        if folder.is_symlink():
            yield "--symlink", str(folder.readlink()), str(folder)
        elif folder.is_dir():
            yield "--ro-bind", str(below(root, folder)), str(folder)


def below(root: Path, path: Path) -> Path:
    """Return where an absolute path is below another root."""
    return root / path.relative_to("/")


@functools.cache
def shown() -> tuple[Path, ...]:
    """Return the paths whose files a playing bot sees; links among them are only named."""
    folders = (Path("/", name) for name in _BESIDE_USR)
    beside = (folder for folder in folders if folder.is_dir() and not folder.is_symlink())
    others = (path for path in visible(network=False) if is_bound(path))
    return _SYSTEM, *beside, *others


def is_bound(path: Path) -> bool:
    """Return whether a visible path is shown as what it is or leads to, not as a link."""
    return not path.is_symlink() or path.is_relative_to("/etc")


@functools.cache
def visible(*, network: bool) -> tuple[Path, ...]:
    """Return the other visible paths, each where it is on this machine; none is below another."""
    paths = {*_configuration(_CONFIGURATION), *_python(), *_packages()}
    paths |= {piece for toolchain in toolchains() for piece in toolchain.pieces}
    if network:
        paths |= {*_configuration(_CONFIGURATION_OF_THE_NETWORK), *certificates()}
    return tuple(sorted(path for path in paths if not _is_covered(path, paths)))


def is_visible(path: Path, *, network: bool) -> bool:
    """Return whether a program sees this path, which has no links in it."""
    system = (_SYSTEM, *(Path("/", name) for name in _BESIDE_USR))
    return any(path.is_relative_to(seen) for seen in (*system, *visible(network=network)))


def _is_covered(path: Path, others: set[Path]) -> bool:
    above = set(path.parents)
    system = {_SYSTEM, *(Path("/", name) for name in _BESIDE_USR)}
    return bool(above & (others | system)) or path in system or path == Path("/")


def _configuration(patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        yield from Path("/etc").glob(pattern)


def _python() -> Iterator[Path]:
    """Yield the paths of the referee's Python, and of the links to it."""
    yield Path(sys.prefix)
    yield Path(sys.base_prefix)
    program = Path(sys.executable)
    while program.is_symlink():
        yield program
        program = Path(os.path.normpath(program.parent / program.readlink()))
    yield program


def _packages() -> Iterator[Path]:
    for name in _PACKAGES:
        found = importlib.util.find_spec(name)
        for folder in (found and found.submodule_search_locations) or ():
            yield Path(folder)
