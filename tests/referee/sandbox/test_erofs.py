"""An image holds what was written to it, as Linux reads it."""

import errno
import filecmp
import os
from pathlib import Path

import pytest

from referee.sandbox.contain import erofs, mounts, private_files
from referee.sandbox.spawner import in_spawner
from tests.support.lacking import need_program, skip
from tests.support.own_files import on_a_disk


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files of all sizes, many names, links and a pipe."""
    tree = tmp_path / "tree"
    (tree / "many" / "deep").mkdir(parents=True)
    (tree / "nothing").mkdir()
    for size in (0, 1, 4000, 4095, 4096, 4097, 300_000):
        (tree / f"{size} bytes").write_bytes(os.urandom(size))
    for number in range(700):
        (tree / "many" / f"{number} {'n' * (number % 200)} ü").write_text(str(number))
    (tree / "long").symlink_to("many/" * 700)
    (tree / "short").symlink_to("many")
    (tree / "same").hardlink_to(tree / "300000 bytes")
    (tree / "1 bytes").chmod(0o750)
    os.mkfifo(tree / "pipe")
    return tree


def told(folder: Path) -> dict[str, tuple[object, ...]]:
    """Return what there is in a folder and what the kernel says of it."""
    found: dict[str, tuple[object, ...]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        size = 0 if path.is_dir() else status.st_size
        content = os.readlink(path) if path.is_symlink() else ""  # noqa: PTH115 -- to the letter
        found[str(path.relative_to(folder))] = (
            *(status.st_mode, status.st_uid, status.st_gid, int(status.st_mtime), size, content),
        )
    return found


def compared(image: Path, place: Path, tree: Path) -> tuple[dict[str, tuple[object, ...]], bool]:
    """Mount an image; return what it tells, and whether its files are the tree's."""
    mounts.leave_namespace()
    mounts.mount_image(image, place)
    try:
        files = [name for name, path in _files(tree)]
        same, _, _ = filecmp.cmpfiles(place, tree, files, shallow=False)
        return told(place), sorted(same) == sorted(files)
    finally:
        mounts.unmount(place)


def _files(tree: Path) -> list[tuple[str, Path]]:
    found = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return [(str(path.relative_to(tree)), path) for path in found]


def test_linux_reads_what_was_written(tmp_path: Path, tree: Path) -> None:
    """Names, kinds, rights, owners, times, sizes and contents."""
    if reason := private_files.unfit():
        skip(reason, "run this as root, on Linux 6.12 or newer")
    image, place = on_a_disk() / "tree", tmp_path / "place"
    place.mkdir()
    erofs.make(image, tree)

    try:
        found, same = in_spawner(compared, image, place, tree).result()
    except OSError as error:
        if error.errno != errno.ENOTBLK:
            raise
        skip("no image can be mounted from /var/tmp", "mount a disk there")

    assert found == told(tree)
    assert same


def test_a_failure_is_told_in_a_line(tmp_path: Path) -> None:
    """With the program that failed, and why."""
    need_program(erofs.PROGRAM, "apt-get install erofs-utils")

    with pytest.raises(OSError, match=r"mkfs\.erofs: .*No such file"):
        erofs.make(tmp_path / "image", tmp_path / "nowhere")
