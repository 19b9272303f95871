"""Bots with files of their own: what they see, and what is left when they have ended."""

import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.sandbox.contain import mounts, private_files, system_image
from referee.sandbox.levels import Sandbox
from referee.sandbox.spawner import in_spawner
from tests.support.own_files import small_image

Printed = Callable[..., str]
FILES = """
import os
for path in ("/usr/lib", "/bot", "/bot/bot.py"):
    print(os.stat(path).st_dev, end=" ")
print(open("/bot/bot.py").read(), os.path.exists("/usr/share"), os.access("/usr/lib", os.W_OK))
"""


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Bots have files of their own; the folder of the image."""
    folder = tmp_path_factory.mktemp("images")
    with small_image(folder):
        yield folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's folder."""
    folder = tmp_path / "bot"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "bot.py").write_text("one")
    return folder


def mounted() -> list[str]:
    """Return what is mounted for bots."""
    lines = in_spawner(Path("/proc/thread-self/mounts").read_text).result().splitlines()
    return [line for line in lines if " erofs " in line]


@pytest.mark.costly
@pytest.mark.usefixtures("images")
def test_a_bot_sees_file_systems_of_its_own(strict: Sandbox, printed: Printed, bot: Path) -> None:
    """Of the system and of its folder, without what no program needs to run."""
    system, folder, file, *told = printed(strict, FILES, bot).split()

    assert told == ["one", "False", "False"]
    assert folder == file != system
    assert not {Path("/usr/lib").stat().st_dev, bot.stat().st_dev} & {int(system), int(folder)}


@pytest.mark.usefixtures("images")
def test_a_changed_bot_is_seen_as_it_is(strict: Sandbox, printed: Printed, bot: Path) -> None:
    """A process that starts later has the new files."""
    seen = []
    for text in ("one", "two"):
        (bot / "bot.py").write_text(text)
        seen.append(printed(strict, FILES, bot).split()[3])

    assert seen == ["one", "two"]


@pytest.mark.usefixtures("images")
def test_nothing_is_left_of_bots_that_have_ended(
    strict: Sandbox, printed: Printed, bot: Path
) -> None:
    """No mount stays, and others never see one."""
    before = mounted()
    printed(strict, FILES, bot)

    assert mounted() == before
    assert " erofs " not in Path("/proc/self/mounts").read_text()


@pytest.mark.usefixtures("images")
def test_builds_see_the_system_itself(strict: Sandbox, printed: Printed, bot: Path) -> None:
    """With its compilers, and a folder in which they may write."""
    seen = printed(strict, FILES, bot, writable=True).split()

    assert int(seen[0]) == Path("/usr/lib").stat().st_dev
    assert seen[4] == str(Path("/usr/share").exists())


@pytest.mark.usefixtures("images")
def test_a_large_bot_shares_its_folder_with_itself(
    strict: Sandbox, printed: Printed, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that bots cannot fill the memory with their files."""
    monkeypatch.setattr(private_files, "MOST_OF_A_BOT", 2)

    assert int(printed(strict, FILES, bot).split()[1]) == bot.stat().st_dev


@pytest.mark.usefixtures("images")
def test_only_the_last_bots_are_kept_in_memory(
    strict: Sandbox, printed: Printed, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The image of the bot that has not started for longest is made anew."""
    monkeypatch.setattr(private_files, "MOST_OF_ALL_BOTS", 0)

    assert [printed(strict, FILES, bot).split()[3] for _ in range(2)] == ["one", "one"]


def test_an_image_is_outdated_once_a_folder_has_changed(
    images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Package managers add and remove names."""
    (tmp_path / "lib").mkdir()
    monkeypatch.setattr(system_image, "shown", lambda: (tmp_path,))
    system_image.make()
    made = not system_image.is_outdated()
    os.utime(tmp_path / "lib", (time.time() - 60, time.time() - 60))

    assert images.is_dir()
    assert made
    assert system_image.is_outdated()


@pytest.mark.costly
@pytest.mark.usefixtures("images")
def test_an_image_that_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the reason, and without leaving it there."""
    monkeypatch.setenv(system_image.FOLDER, str(tmp_path))
    monkeypatch.setattr(private_files, "MOST_OF_MEMORY", 0.0)

    with pytest.raises(UsageError, match="would not fit into"):
        private_files.make_image()
    assert not list(tmp_path.glob("*.erofs"))
    assert private_files.lacking() == "no image of the system has been made"


@pytest.mark.costly
@pytest.mark.usefixtures("images")
def test_a_folder_that_images_cannot_be_mounted_from_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the setting that names another one, and without leaving the image there."""

    def mount(*_: object) -> None:
        raise OSError(errno.ENOTBLK, "Block device required")

    monkeypatch.setenv(system_image.FOLDER, str(tmp_path))
    monkeypatch.setattr(mounts, "mount_image", mount)

    with pytest.raises(UsageError, match="set COURTYARD_IMAGES to a folder on a disk"):
        private_files.make_image()
    assert not list(tmp_path.glob("*.erofs"))


def test_who_cannot_mount_an_image_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is made."""
    monkeypatch.setenv(system_image.FOLDER, str(tmp_path))
    monkeypatch.setattr(private_files, "unfit", lambda: "only root can mount images")

    with pytest.raises(UsageError, match="only root can mount images"):
        private_files.make_image()
    assert not list(tmp_path.iterdir())
