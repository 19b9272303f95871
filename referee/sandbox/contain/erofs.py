"""Make read-only file system images (EROFS) of what is on this machine, with mkfs.erofs.

Linux mounts such an image from a plain file, without a block device, in a tenth of a millisecond;
each mount has inodes, names and cached pages of its own.
"""

import errno
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from referee.sandbox.contain import mounts

PROGRAM = "mkfs.erofs"
_OPTIONS = ("--quiet", "-x-1", "-Eforce-inode-extended")
"""No extended attributes, such as capabilities; times of files, which Python's caches compare."""


def make(image: Path, folder: Path, left_out: Iterable[Path] = ()) -> None:
    """Make an image of a folder, without some paths relative to it; raise `OSError` on failure."""
    excluded = [f"--exclude-path={path}" for path in left_out]
    made = subprocess.run(
        [PROGRAM, *_OPTIONS, *excluded, str(image), str(folder)],
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        cwd="/",
    )
    if made.returncode != 0:
        lines = made.stderr.strip().splitlines() or [f"exit status {made.returncode}"]
        raise OSError(errno.EIO, f"{PROGRAM}: {lines[-1]}")


def make_of_paths(image: Path, paths: Iterable[Path], wanted: Callable[[Path], bool]) -> None:
    """Make an image in which each of these paths is where it is on this machine.

    No path is below another. A path that is a link is followed, links below it are kept. What is
    not `wanted`, by its path without links, is left out. Call it in the spawner's thread, which has
    mounts of its own. Raise `OSError`.
    """
    mounts.leave_namespace()
    root = Path(tempfile.mkdtemp())
    mounts.mount_memory(root)
    try:
        left_out = [
            path.relative_to(root)
            for source, place in _bound(paths, root)
            for path in _unwanted(source, place, wanted)
        ]
        make(image, root, left_out)
    finally:
        mounts.unmount(root)
        root.rmdir()  # nothing that removes what is below: the system would be


def _bound(paths: Iterable[Path], root: Path) -> Iterator[tuple[Path, Path]]:
    """Show each path below `root`; yield what it leads to, and its place there."""
    for path in paths:
        source, place = path.resolve(), root / path.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            place.mkdir()
        else:
            place.touch()
        mounts.bind(source, place)
        yield source, place


def _unwanted(source: Path, place: Path, wanted: Callable[[Path], bool]) -> Iterator[Path]:
    """Yield the places of what is not wanted of a path, without what is below them."""
    if not wanted(source):
        yield place
    elif source.is_dir() and not source.is_symlink():
        for each in source.iterdir():
            yield from _unwanted(each, place / each.name, wanted)
