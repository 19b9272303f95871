"""Compilers and runtimes that are not where the system keeps its own.

A program in a sandbox sees the system's programs. Many people have Go, Rust, Java or Node in their
home instead: of such a one, found on the referee's PATH, the sandbox shows what belongs to it and
nothing else of the home. A package manager's own folder, like ~/.cargo, holds keys and stays out.
"""

import functools
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SYSTEM_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
"""Where the system keeps its programs."""
_SECONDS_TO_SAY = 20.0


@dataclass(frozen=True, slots=True)
class Toolchain:
    """One toolchain that was found."""

    programs: Path
    """The folder of its programs, for PATH."""
    pieces: tuple[Path, ...]
    """What of it a sandbox shows."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a toolchain is recognised below its root, the folder above its `bin`."""

    program: str
    """A program that it has in `bin`."""
    marker: str
    """What is nowhere else than in its root."""
    pieces: tuple[str, ...] = (".",)
    """What belongs to it; the whole root, unless that may be a home."""


_KINDS = (
    _Kind("go", "src/runtime"),
    _Kind("rustc", "lib/rustlib"),
    _Kind("java", "lib/modules"),
    _Kind("mvn", "boot"),
    _Kind("node", "bin/node", ("bin/node", "bin/npm", "bin/npx", "lib/node_modules")),
)


@functools.cache
def toolchains() -> tuple[Toolchain, ...]:
    """Return the toolchains on the PATH of the referee; of each kind the first."""
    return tuple(found for kind in _KINDS for found in _found(kind))


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
    """Return where a program really is, also behind rustup, which stands in for all of Rust's."""
    program = place.resolve()
    if program.name != "rustup":
        return program
    command = [str(place), "--print", "sysroot"]
    try:
        said = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS_TO_SAY, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(said.stdout.strip()) / "bin" / kind.program
