"""Compilers and runtimes outside the system's folders.

A program in a sandbox sees the system's programs. Many people have Go, Rust, Java or Node in their
home instead: the sandbox shows such a toolchain, found on the referee's PATH, and nothing else of
the home. A package manager's own folder, like ~/.cargo, holds keys and stays out.
"""

import functools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.core.safe_path import ask

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
"""Folders of the system's programs."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """An installed toolchain."""

    programs: Path
    """The folder of its programs, for PATH."""
    pieces: tuple[Path, ...]
    """The paths to show."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How to recognise a toolchain below its root, the folder above its `bin`."""

    program: str
    """A program in its `bin`."""
    marker: str
    """A path that only its root has."""
    pieces: tuple[str, ...] = (".",)
    """The paths to show; the whole root, unless that may be a home."""


_KINDS = (
    _Kind("go", "src/runtime"),
    _Kind("rustc", "lib/rustlib"),
    _Kind("java", "lib/modules"),
    _Kind("mvn", "boot"),
    _Kind("node", "bin/node", ("bin/node", "bin/npm", "bin/npx", "lib/node_modules")),
)


SHOWN_TO_BUILDS = ("go", "rustc", "mvn")
"""Programs whose toolchains no program needs to run."""


@functools.cache
def toolchains(programs: tuple[str, ...] | None = None) -> tuple[Toolchain, ...]:
    """Return the first toolchain of each kind on the referee's PATH, of these programs or all."""
    kinds = (kind for kind in _KINDS if programs is None or kind.program in programs)
    return tuple(found for kind in kinds for found in _found(kind))


def _found(kind: _Kind) -> Iterator[Toolchain]:
    place = shutil.which(kind.program)
    if place is None or str(Path(place).parent) in SYSTEM_PATH:
        return
    program = _program(kind, Path(place))
    if program is None or program.parent.name != "bin":
        return
    root = program.parent.parent
    if (root / kind.marker).exists():
        pieces = (root / piece for piece in kind.pieces)
        yield Toolchain(program.parent, tuple(piece for piece in pieces if piece.exists()))


def _program(kind: _Kind, place: Path) -> Path | None:
    """Return a program's real path, also behind rustup, which stands in for all of Rust's."""
    program = place.resolve()
    if program.name != "rustup":
        return program
    answer = ask([str(place), "--print", "sysroot"])
    return None if answer is None else Path(answer.stdout.strip()) / "bin" / kind.program
