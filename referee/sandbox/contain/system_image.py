"""The image of the system's files that playing bots see: what it holds, where it is.

`private_files` explains its purpose. It holds what bots see without it, less what only builds and
people need, as it has to fit into memory.
"""

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from referee.sandbox.contain import erofs
from referee.sandbox.contain.visible_paths import shown
from referee.sandbox.spawner import in_spawner
from referee.sandbox.toolchains import SHOWN_TO_BUILDS, toolchains

FOLDER = "COURTYARD_IMAGES"
"""The environment variable that names another folder for the image."""
_FOLDER = Path("/var/lib/courtyard")
_NEEDLESS = (
    *("games", "include", "libexec", "local/go", "local/include", "local/src", "sbin", "src"),
    *("lib/chromium", "lib/debug", "lib/firmware", "lib/gcc", "lib/git-core"),
    *("lib/google-cloud-sdk", "lib/modules", "lib/postgresql", "lib/systemd", "lib/udev"),
    *("lib/valgrind", "share/doc", "share/fonts", "share/help", "share/i18n", "share/icons"),
    *("share/info", "share/locale", "share/man", "share/vim"),
)
"""Folders below /usr for compilers, people and administrators."""
_NEEDLESS_NAMES = ("*.a", "*.o", "*.debug", "jmods", "libLLVM-*", "llvm-*", "playwright", "src.zip")
"""Files and folders for compilers and developers, wherever they are."""
_DEPTH = 3
"""How deep folders are looked at for changes; package managers make and remove files there."""


def path() -> Path:
    """Return where the image of what bots see on this machine is, or would be."""
    paths = json.dumps([str(each) for each in shown()])
    name = hashlib.sha256(paths.encode()).hexdigest()[:16]
    return Path(os.environ.get(FOLDER, _FOLDER)) / f"files-{name}.erofs"


def make() -> Path:
    """Make the image, in place of an older one; return its path. Raise `OSError` if that fails."""
    image = path()
    image.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=image.parent, prefix=".files-") as folder:
        signature = _signature()
        made = Path(folder, "image")
        made.touch(0o600)
        in_spawner(erofs.make_of_paths, made, shown(), is_needed).result()
        with made.open("rb") as opened:
            os.fsync(opened.fileno())
        made.rename(image)
    _signature_path().write_text(signature)
    return image


def is_outdated() -> bool:
    """Return whether files of the system were added, replaced or removed after it was made."""
    try:
        return _signature_path().read_text() != _signature()
    except OSError:
        return True


def is_needed(path: Path) -> bool:
    """Return whether a playing bot may need what is at this path."""
    if path.is_relative_to("/usr") and str(path.relative_to("/usr")) in _NEEDLESS:
        return False
    if any(path in toolchain.pieces for toolchain in toolchains(SHOWN_TO_BUILDS)):
        return False
    return not any(path.match(name) for name in _NEEDLESS_NAMES)


def _signature_path() -> Path:
    return path().with_suffix(".signature")


def _signature() -> str:
    digest = hashlib.sha256()
    for folder, changed in _folders(shown(), _DEPTH):
        digest.update(f"{folder} {changed}\n".encode())
    return digest.hexdigest()


def _folders(paths: Iterable[Path], depth: int) -> Iterator[tuple[Path, int]]:
    """Yield what is at these paths and the folders below, each with the time of its change."""
    for each in filter(is_needed, paths):
        with contextlib.suppress(OSError):
            yield each, each.stat().st_mtime_ns
            if depth and each.is_dir():
                entries = (entry for entry in os.scandir(each) if entry.is_dir())
                yield from _folders(sorted(Path(entry) for entry in entries), depth - 1)
