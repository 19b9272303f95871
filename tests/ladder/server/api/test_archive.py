"""Bots' archives: contents survive the round trip; hostile archives fail and leave nothing."""

import gzip
import io
import random
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.model.errors import BundleError
from ladder.storage.files import archive as archives
from ladder.storage.files.archive import MOST_TIMES_LARGER, pack, unpack
from ladder.storage.files.bundles import LARGEST_BYTES, MOST_FILES, digest_of
from tests.support.ladders import MakeBot

Fill = Callable[[tarfile.TarFile], None]
MIB = 1 << 20


def packed(folder: Path) -> bytes:
    """Return a folder's archive."""
    file = io.BytesIO()
    pack(folder, file)
    return file.getvalue()


def entry(name: str, content: bytes = b"x", kind: bytes = tarfile.REGTYPE, link: str = "") -> Fill:
    """Return a function that adds an entry."""

    def add(tar: tarfile.TarFile) -> None:
        header = tarfile.TarInfo(name)
        header.type, header.linkname = kind, link
        header.size = len(content) if kind == tarfile.REGTYPE else 0
        tar.addfile(header, io.BytesIO(content))

    return add


def archive(*fills: Fill, form: int = tarfile.USTAR_FORMAT) -> bytes:
    """Return an archive with these entries."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz", format=form) as tar:
        for fill in fills:
            fill(tar)
    return file.getvalue()


def header(change: Callable[[bytearray], None]) -> bytes:
    """Return an archive with one changed header, its checksum corrected."""
    block = bytearray(tarfile.TarInfo("file").tobuf(tarfile.USTAR_FORMAT))
    change(block)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return gzip.compress(bytes(block) + bytes(1024))


def size_of(value: bytes) -> Callable[[bytearray], None]:
    """Return a setter of a header's size."""

    def change(block: bytearray) -> None:
        block[124:136] = value

    return change


def taken_in(content: bytes, tmp_path: Path) -> Path:
    """Unpack an archive."""
    (tmp_path / "archive").write_bytes(content)
    unpack(tmp_path / "archive", tmp_path / "new")
    return tmp_path / "new"


def test_a_bot_comes_out_as_it_went_in(make_bot: MakeBot, tmp_path: Path) -> None:
    """A bot keeps its digest: names, contents and executables."""
    bot = make_bot("eve")
    (bot / "a" / "deep" / "er").mkdir(parents=True)
    (bot / "a" / "deep" / "er" / "näme").write_bytes(random.Random(1).randbytes(300_000))
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    (bot / "empty").write_text("")

    assert digest_of(taken_in(packed(bot), tmp_path)) == digest_of(bot)


def test_the_same_files_give_the_same_archive(make_bot: MakeBot) -> None:
    """Packing is repeatable, so an upload can resume."""
    first = packed(make_bot("eve"))
    (make_bot("eve") / "bot.py").touch()

    assert packed(make_bot("eve")) == first


def test_what_others_make_is_taken(tmp_path: Path) -> None:
    """GNU tar's archives work, with folders and "./" before names."""
    content = archive(
        entry("./", kind=tarfile.DIRTYPE),
        entry("./bot.toml"),
        entry("sub/", kind=tarfile.DIRTYPE),
        entry("sub/file", b"y"),
        form=tarfile.GNU_FORMAT,
    )

    folder = taken_in(content, tmp_path)

    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*")} == {
        "bot.toml",
        "sub",
        "sub/file",
    }


def test_links_are_not_sent(make_bot: MakeBot) -> None:
    """The packer names the link it refuses."""
    (make_bot("eve") / "link").symlink_to("bot.py")

    with pytest.raises(BundleError, match="eve/link: links are not sent"):
        packed(make_bot("eve"))


def test_names_that_are_too_long_are_not_sent(make_bot: MakeBot) -> None:
    """An archive has room for 100 characters, and for 155 of folders before them."""
    (make_bot("eve") / ("n" * 120)).write_text("")

    with pytest.raises(BundleError, match="use shorter names"):
        packed(make_bot("eve"))


WHOLE = archive(entry("bot.toml", b"x" * 2000))
PLAIN = gzip.decompress(WHOLE)
HOSTILE = {
    "no gzip": (b"not an archive", "not compressed by gzip"),
    "nothing": (b"", "truncated"),
    "no tar": (gzip.compress(b"x" * 2048), "not a tar file"),
    "truncated gzip": (WHOLE[:-12], "truncated"),
    "truncated tar": (gzip.compress(PLAIN[:1024]), "truncated"),
    "no end": (gzip.compress(PLAIN[:2560]), "truncated"),
    "damaged": (WHOLE[:-8] + b"\0\0\0\0" + WHOLE[-4:], "damaged"),
    "something behind the tar": (gzip.compress(PLAIN + b"more"), "data follows the archive's end"),
    "something behind the gzip": (WHOLE + b"more", "data follows the archive's end"),
    "two of them": (WHOLE + WHOLE, "data follows the archive's end"),
    "path up": (archive(entry("../evil")), r"\.\./evil: the path leaves"),
    "path up inside": (archive(entry("a/../../evil")), "the path leaves"),
    "absolute path": (archive(entry("/tmp/evil")), "the path is absolute"),  # noqa: S108
    "symbolic link": (archive(entry("l", kind=tarfile.SYMTYPE, link="/etc")), "l: links are not"),
    "through a link": (
        archive(entry("l", kind=tarfile.SYMTYPE, link=".."), entry("l/evil")),
        "links are not",
    ),
    "hard link": (archive(entry("l", kind=tarfile.LNKTYPE, link="/etc/passwd")), "links are not"),
    "device": (archive(entry("d", kind=tarfile.CHRTYPE)), "d: devices are not"),
    "disk": (archive(entry("d", kind=tarfile.BLKTYPE)), "devices are not"),
    "pipe": (archive(entry("p", kind=tarfile.FIFOTYPE)), "pipes are not"),
    "sparse": (archive(entry("s", kind=tarfile.GNUTYPE_SPARSE)), "only plain files"),
    "long name": (archive(entry("n" * 300), form=tarfile.GNU_FORMAT), "only plain files"),
    "extended": (archive(entry("n" * 300), form=tarfile.PAX_FORMAT), "only plain files"),
    "name twice": (archive(entry("a"), entry("./a")), "occurs twice"),
    "file as a folder": (archive(entry("a"), entry("a/b")), "a file and a folder of one name"),
    "folder as a file": (archive(entry("a/b"), entry("a")), "a file and a folder of one name"),
    "file without a name": (archive(entry(".")), "occurs twice"),
    "size below zero": (header(size_of(b"\xff" * 12)), "more than 64 MiB"),
    "size without end": (header(size_of(b"\x80" + b"\x7f" * 11)), "more than 64 MiB"),
    "size that is none": (header(size_of(b"zzzzzzzzzzz\0")), "not a tar file"),
    "steering name": (archive(entry("\x1b[2J/../x")), r"·\[2J/\.\./x"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_archives(what: str, tmp_path: Path) -> None:
    """One line says why an archive is refused; nothing is left, inside or outside."""
    content, why = HOSTILE[what]

    with pytest.raises(BundleError, match=why) as refused:
        taken_in(content, tmp_path)

    assert str(refused.value).isprintable()
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


def test_a_bomb_is_refused_early(tmp_path: Path) -> None:
    """A bomb that unpacks to far more than its size fails before it fills much."""
    bomb = archive(entry("zeros", bytes(8 * MIB)))
    assert len(bomb) * MOST_TIMES_LARGER < 8 * MIB

    with pytest.raises(BundleError, match="unpacks to more than 200 times its size"):
        taken_in(bomb, tmp_path)


def test_a_bundle_that_is_too_large_is_refused(tmp_path: Path) -> None:
    """The limit counts all files together, however well packed."""
    half = bytes(range(256)) * (LARGEST_BYTES // 512)
    file = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=file, mode="wb", compresslevel=0) as stored,
        tarfile.open(fileobj=stored, mode="w|", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, content in (("a", half), ("b", half), ("c", b"x")):
            entry(name, content)(tar)

    with pytest.raises(BundleError, match="more than 64 MiB unpacked"):
        taken_in(file.getvalue(), tmp_path)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("count", "kind", "why"),
    [(11, tarfile.REGTYPE, "more than 10 files"), (21, tarfile.DIRTYPE, "more files and folders")],
)
def test_too_many_entries_are_refused(
    count: int, kind: bytes, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit counts files and folders; a digest counts files."""
    assert archives._MOST_ENTRIES == 2 * MOST_FILES == 4000
    monkeypatch.setattr(archives, "MOST_FILES", 10)
    monkeypatch.setattr(archives, "_MOST_ENTRIES", 20)
    fills = [entry(str(number), b"", kind) for number in range(count)]

    with pytest.raises(BundleError, match=why):
        taken_in(archive(*fills), tmp_path)
    assert not (tmp_path / "new").exists()
    taken_in(archive(*fills[:-1]), tmp_path)
