"""A bundle stores a bot's files under their digest, whole or not at all."""

import hashlib
import os
from pathlib import Path

import pytest

from ladder.model.errors import BundleError
from ladder.storage.files import bundles
from ladder.storage.files.bundles import digest_of, store_bundle
from ladder.storage.files.folder import Home


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Make a bot's folder with a program, a module, a link, and caches of tools."""
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text("print('hello')\n")
    (folder / "bot.py").chmod(0o755)
    (folder / "lib" / "table.txt").write_text("1 2 3\n")
    (folder / "table").symlink_to("lib/table.txt")
    for cache in ("__pycache__", ".git", ".mypy_cache", "lib/__pycache__"):
        (folder / cache).mkdir()
        (folder / cache / "junk").write_text("junk")
    return folder


def test_files_are_copied(source: Path, home: Home) -> None:
    """A bundle stores files, links and execute permission, but no caches."""
    stored = home.bundle(store_bundle(source, home))

    assert sorted(str(path.relative_to(stored)) for path in stored.rglob("*")) == [
        "bot.py",
        "lib",
        "lib/table.txt",
        "table",
    ]
    assert (stored / "bot.py").read_text() == "print('hello')\n"
    assert os.access(stored / "bot.py", os.X_OK)
    assert (stored / "table").read_text() == "1 2 3\n"


def test_anybody_may_read_what_is_stored(source: Path, home: Home) -> None:
    """Anybody may read a bundle, whatever the files' own permissions; sandboxes need to."""
    before = os.umask(0o077)
    try:
        stored = home.bundle(store_bundle(source, home))
    finally:
        os.umask(before)

    assert stored.stat().st_mode & 0o777 == 0o755
    assert (stored / "lib").stat().st_mode & 0o777 == 0o755
    assert (stored / "lib" / "table.txt").stat().st_mode & 0o777 == 0o444


def test_digest_is_as_documented(source: Path, home: Home) -> None:
    """The documented description alone gives the digest."""
    whole = hashlib.sha256()
    for name, kind, content in (
        (b"bot.py", b"x", b"print('hello')\n"),
        (b"lib/table.txt", b"-", b"1 2 3\n"),
        (b"table", b"l", b"lib/table.txt"),
    ):
        whole.update(len(name).to_bytes(4, "big") + name + kind)
        whole.update(hashlib.sha256(content).digest())

    assert store_bundle(source, home) == whole.hexdigest()


def test_stored_files_have_the_digest(source: Path, home: Home) -> None:
    """The digest of the stored copy is its name."""
    digest = store_bundle(source, home)

    assert digest_of(home.bundle(digest)) == digest == digest_of(source)


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "bot.py").write_text("print('bye')\n"),
        lambda folder: (folder / "bot.py").chmod(0o644),
        lambda folder: (folder / "bot.py").rename(folder / "run.py"),
        lambda folder: (folder / "new.txt").write_text(""),
        lambda folder: (folder / "lib" / "table.txt").rename(folder / "table.txt"),
    ],
)
def test_every_change_counts(source: Path, home: Home, change: object) -> None:
    """A file's content, permission, name and place each change the digest."""
    before = store_bundle(source, home)

    assert callable(change)
    change(source)

    assert store_bundle(source, home) != before


def test_caches_do_not_count(source: Path, home: Home) -> None:
    """Caches, times and empty folders do not change the digest."""
    before = store_bundle(source, home)

    (source / ".git" / "more").write_text("more")
    (source / "empty").mkdir()
    os.utime(source / "bot.py", (1, 1))

    assert store_bundle(source, home) == before


def test_stored_again(source: Path, home: Home) -> None:
    """The same files give the same bundle, and leave nothing beside it."""
    digest = store_bundle(source, home)

    assert store_bundle(source, home) == digest
    assert [path.name for path in home.bots.iterdir()] == [digest]


@pytest.mark.parametrize(
    "target", ["/etc/hostname", "../outside", "lib/../../outside", "lib/nowhere/../../../x", "self"]
)
def test_link_that_leaves(source: Path, home: Home, target: str) -> None:
    """A bundle refuses a link out of the folder, or in a circle."""
    (source / "self").symlink_to(target)

    with pytest.raises(BundleError, match=r"self: this link leaves the bot's folder"):
        store_bundle(source, home)


def test_absolute_link(source: Path, home: Home) -> None:
    """A bundle refuses an absolute link: in a copy it would lead back here."""
    (source / "self").symlink_to(source / "bot.py")

    with pytest.raises(BundleError, match=r"self: this link leaves the bot's folder"):
        store_bundle(source, home)


def test_special_file(source: Path, home: Home) -> None:
    """A bundle refuses and names a special file."""
    os.mkfifo(source / "pipe")

    with pytest.raises(BundleError, match="pipe: neither a file, a folder nor a link"):
        store_bundle(source, home)


def test_folders_too_deep(source: Path, home: Home) -> None:
    """A bundle nests at most 100 folders."""
    (source / Path(*["deep"] * 101)).mkdir(parents=True)

    with pytest.raises(BundleError, match="folders that are more than 100 deep"):
        store_bundle(source, home)


def test_too_many_files(source: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle holds at most the limit of files."""
    monkeypatch.setattr(bundles, "MOST_FILES", 3)
    store_bundle(source, home)
    (source / "one-more").touch()

    with pytest.raises(BundleError, match="more than 3 files"):
        store_bundle(source, home)


def test_too_large(source: Path, home: Home) -> None:
    """A bundle is at most as large as the limit; a file's size alone can exceed it."""
    with (source / "huge").open("wb") as file:
        file.truncate(bundles.LARGEST_BYTES + 1)

    with pytest.raises(BundleError, match="more than 64 MiB"):
        store_bundle(source, home)


def test_refused_bot_leaves_nothing(source: Path, home: Home) -> None:
    """A refused bot leaves nothing in the ladder."""
    os.mkfifo(source / "pipe")
    with pytest.raises(BundleError):
        store_bundle(source, home)

    assert not home.bots.exists() or list(home.bots.iterdir()) == []
