"""A bot's folder as one file to be sent: a tar (ustar) with files and folders alone, by gzip.

A tar is read from front to back, so every limit is kept before anything beyond it is read: it has
no directory of its own, as a zip has, that could be large, lie, or let parts overlap. It keeps what
a bundle's digest counts, which is names, contents and who may execute. The same files give the same
archive, so an upload that was cut goes on whenever it is packed again.

Unpacking trusts nothing: each header is read alone, and whatever is not a plain file or folder with
a plain name below the folder is refused. Nothing outside the folder can be touched, as there never
is a link in it.

A stored bundle, which a ladder sends to its workers, may also have links and long names (GNU's
form). Its links are made when everything else is there, so nothing is ever written through one.
"""

import gzip
import shutil
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self

from ladder.model.errors import BundleError
from ladder.storage.files.bundles import (
    LARGEST_BYTES,
    MOST_FILES,
    BundledFile,
    Skip,
    entries,
    nothing,
)
from referee.core.folders import DEEPEST
from referee.core.plain import plain

LARGEST_ARCHIVE_BYTES = LARGEST_BYTES
"""Files that packing does not make smaller give an archive a little larger than they are."""
MOST_TIMES_LARGER = 200
"""How many times larger than its archive a bundle may be, from a few MiB on; source code and
binaries are at most about 20 times as large."""

_BLOCK = tarfile.BLOCKSIZE
_CHUNK = 1 << 16
_MOST_ENTRIES = 2 * MOST_FILES
"""Files and folders."""
_LARGEST_TAR_BYTES = LARGEST_BYTES + 2 * _BLOCK * (_MOST_ENTRIES + 1) + tarfile.RECORDSIZE
_LONGEST_NAME = 4096
"""Bytes of a path, with the zero at its end."""
_LARGEST_STORED_TAR_BYTES = _LARGEST_TAR_BYTES + 2 * MOST_FILES * (_LONGEST_NAME + 2 * _BLOCK)
LARGEST_STORED_ARCHIVE_BYTES = _LARGEST_STORED_TAR_BYTES + (1 << 20)
"""Of a stored bundle: every path and every target of a link may be long."""
RATIO_FROM_BYTES = 4 << 20
_GZIP = 16 + zlib.MAX_WBITS


def pack(
    source: Path, target: IO[bytes], skip: Skip = nothing, *, stored: bool = False, level: int = 9
) -> None:
    """Write the files of a bot's folder as an archive; raise `BundleError`.

    `skip` decides which relative paths are left out; `stored`: a stored bundle, which may have
    links and long names; `level` is gzip's.
    """
    form = tarfile.GNU_FORMAT if stored else tarfile.USTAR_FORMAT
    try:
        with (
            gzip.GzipFile("", "wb", level, fileobj=target, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=form) as tar,
        ):
            for entry in entries(source, skip):
                if entry.kind != "l":
                    _add_file(tar, entry)
                elif stored:
                    _add_link(tar, entry)
                else:
                    raise BundleError(
                        f"{entry.path}: links are not sent; put the file itself there"
                    )
    except ValueError as error:  # a name does not fit into a header
        raise BundleError(f"{source}: {error}; use shorter names") from error
    except OSError as error:
        where = error.filename or f"the archive of {source}"
        raise BundleError(f"{where}: {error.strerror or error}") from error


def _add_file(tar: tarfile.TarFile, entry: BundledFile) -> None:
    header = tarfile.TarInfo(entry.name)
    header.size = entry.path.stat().st_size
    header.mode = 0o755 if entry.kind == "x" else 0o644
    with entry.path.open("rb") as file:
        tar.addfile(header, file)


def _add_link(tar: tarfile.TarFile, entry: BundledFile) -> None:
    header = tarfile.TarInfo(entry.name)
    header.type = tarfile.SYMTYPE
    header.linkname = str(entry.path.readlink())
    tar.addfile(header)


def unpack(archive: Path, folder: Path, *, stored: bool = False) -> None:
    """Make a folder with what is in an archive; `stored`: of a stored bundle.

    Raise `BundleError` in one line if it is no archive as it should be. Then the folder is gone.
    """
    with unpacking(archive, folder, "archive") as file:
        _Unpacking(_Unzipped(file, stored=stored), folder, stored=stored).run()


@contextmanager
def unpacking(packed: Path, folder: Path, what: str) -> Iterator[IO[bytes]]:
    """Open a file and make a folder for its content; if the block raises, the folder is gone.

    An `OSError` becomes a `BundleError` about `what`.
    """
    folder.mkdir(mode=0o700)
    try:
        with packed.open("rb") as file:
            yield file
    except BaseException as error:
        shutil.rmtree(folder)
        if isinstance(error, OSError):
            raise BundleError(f"the {what} cannot be unpacked: {error.strerror}") from error
        raise


class _Unzipped:
    """The bytes of a tar that is read from its gzip file, as long as the limits are kept."""

    def __init__(self, file: IO[bytes], *, stored: bool) -> None:
        """Read from the start of a file."""
        self._file = file
        self._stored = stored
        self._inflate = zlib.decompressobj(_GZIP)
        self._packed = self._unpacked = 0
        self._ready = b""

    def read(self, size: int) -> bytes:
        """Return exactly this number of bytes; raise `BundleError` if there are fewer."""
        while len(self._ready) < size:
            more = self._more()
            if not more:
                raise BundleError("the archive is truncated")
            self._ready += more
        found, self._ready = self._ready[:size], self._ready[size:]
        return found

    def finish(self) -> None:
        """Read to the end; raise `BundleError` unless nothing but zeros and the end is there."""
        rest = self._ready
        while rest or not self._inflate.eof:
            if rest.strip(b"\0"):
                raise BundleError("data follows the archive's end")
            rest = self._more()
            if not rest and not self._inflate.eof:
                raise BundleError("the archive is truncated")
        if self._inflate.unused_data or self._file.read(1):
            raise BundleError("data follows the archive's end")

    def _more(self) -> bytes:
        """Return some bytes; none at the end."""
        found = b""
        while not found and not self._inflate.eof:
            given = self._inflate.unconsumed_tail or self._file.read(_CHUNK)
            if not given:
                return b""
            self._packed = self._file.tell() - len(self._inflate.unconsumed_tail)
            try:
                found = self._inflate.decompress(given, _CHUNK)
            except zlib.error as error:
                raise BundleError("the archive is not compressed by gzip, or damaged") from error
        self._unpacked += len(found)
        self._check()
        return found

    def _check(self) -> None:
        most = _LARGEST_STORED_TAR_BYTES if self._stored else _LARGEST_TAR_BYTES
        if self._unpacked > most:
            raise _too_large()
        if not self._stored and self._unpacked > max(
            RATIO_FROM_BYTES, MOST_TIMES_LARGER * self._packed
        ):
            raise too_much_larger()


class NewFiles:
    """The files of a bot, written one after the other below a folder, within a bundle's limits."""

    def __init__(self, folder: Path) -> None:
        """Write into an empty folder."""
        self._folder = folder
        self.names: set[str] = set()
        self.size = 0
        """Bytes written."""

    def new(self, name: str) -> "NewFile":
        """Begin a file; raise `BundleError` if it may not have this name."""
        plain_name = _plain_name(name)
        self.count(plain_name, name)
        path = self._folder / plain_name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return NewFile(self, path, path.open("xb"))
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            raise BundleError(f"{_shown(name)}: a file and a folder of one name") from error

    def count(self, name: str, given: str) -> None:
        """Note a file or link, which the archive names as given."""
        if not name or name in self.names:
            raise BundleError(f"{_shown(given)}: this name occurs twice")
        self.names.add(name)
        if len(self.names) > MOST_FILES:
            raise BundleError(f"more than {MOST_FILES} files; a bot may have no more")

    def check(self, size: int) -> None:
        """Raise `BundleError` if a bot may not have this number of bytes more."""
        if size < 0 or self.size + size > LARGEST_BYTES:
            raise _too_large()


class NewFile:
    """One file that is being written; a context manager that closes it."""

    def __init__(self, files: NewFiles, path: Path, file: IO[bytes]) -> None:
        """Write to an open file."""
        self._files = files
        self._path = path
        self._file = file

    def __enter__(self) -> Self:
        """Return the file itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self._file.close()

    def write(self, data: bytes) -> None:
        """Append bytes; raise `BundleError` if a bot may not have that many."""
        self._files.check(len(data))
        self._files.size += len(data)
        self._file.write(data)

    def finish(self, *, executable: bool) -> None:
        """Close the file and set its mode."""
        self._file.close()
        self._path.chmod(0o755 if executable else 0o644)


class _Unpacking:
    """One archive is unpacked into one folder."""

    def __init__(self, tar: _Unzipped, folder: Path, *, stored: bool) -> None:
        self._tar = tar
        self._folder = folder
        self._stored = stored
        self._files = NewFiles(folder)
        self._links: dict[str, str] = {}
        """The links to make in the end, with their targets."""

    def run(self) -> None:
        """Unpack all of it."""
        for entries_before, header in enumerate(self._headers()):
            if entries_before >= _MOST_ENTRIES:
                raise BundleError("more files and folders than a bot may have")
            name = _plain_name(header.name)
            if header.type == tarfile.DIRTYPE:
                if name and name not in self._files.names:
                    (self._folder / name).mkdir(parents=True, exist_ok=True)
            elif header.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
                self._take(header)
            elif header.type == tarfile.SYMTYPE and self._stored:
                self._files.count(name, header.name)
                self._links[name] = header.linkname
            else:
                raise BundleError(f"{_shown(header.name)}: {_KINDS.get(header.type, _OTHER)}")
        self._tar.finish()
        self._make_links()

    def _make_links(self) -> None:
        """Make the folders of all links before the first link, so that no path leads through one.

        The check of the digest refuses links that leave the folder.
        """
        for name in self._links:
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
        for name, target in self._links.items():
            (self._folder / name).symlink_to(target)

    def _headers(self) -> Iterator[tarfile.TarInfo]:
        """Yield the headers; what is behind each has to be read before the next."""
        long: dict[bytes, str] = {}
        while (block := self._tar.read(_BLOCK)).strip(b"\0"):
            try:
                header = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
            except tarfile.HeaderError as error:
                raise BundleError(f"the archive is not a tar file, or damaged: {error}") from error
            if self._stored and header.type in _LONG:
                long[header.type] = self._long_name(header)
                continue
            header.name = long.pop(tarfile.GNUTYPE_LONGNAME, header.name)
            header.linkname = long.pop(tarfile.GNUTYPE_LONGLINK, header.linkname)
            yield header

    def _long_name(self, header: tarfile.TarInfo) -> str:
        """Return the name that belongs to the next header."""
        if not 0 < header.size <= _LONGEST_NAME:
            raise BundleError(f"a name of more than {_LONGEST_NAME - 1} bytes")
        name = self._tar.read(header.size + -header.size % _BLOCK)[: header.size]
        return name.split(b"\0")[0].decode("utf-8", "surrogateescape")

    def _take(self, header: tarfile.TarInfo) -> None:
        """Unpack one file."""
        self._files.check(header.size)
        with self._files.new(header.name) as file:
            for start in range(0, header.size, _CHUNK):
                file.write(self._tar.read(min(_CHUNK, header.size - start)))
            file.finish(executable=bool(header.mode & 0o100))
        self._tar.read(-header.size % _BLOCK)


_LONG = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_KINDS = {
    tarfile.LNKTYPE: "links are not accepted; put the file itself there",
    tarfile.SYMTYPE: "links are not accepted; put the file itself there",
    tarfile.CHRTYPE: "devices are not accepted",
    tarfile.BLKTYPE: "devices are not accepted",
    tarfile.FIFOTYPE: "pipes are not accepted",
}
_OTHER = "only plain files and folders are accepted; make the archive by `tar --format=ustar`"


def _plain_name(name: str) -> str:
    """Return where in the folder something belongs, "" for the folder itself."""
    if "\0" in name:
        raise BundleError(f"{_shown(name)}: not a name of a file")
    if name.startswith("/"):
        raise BundleError(f"{_shown(name)}: the path is absolute; use names in the folder")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise BundleError(f"{_shown(name)}: the path leaves the bot's folder")
    if len(parts) > DEEPEST + 1:
        raise BundleError(f"{_shown(name)}: folders that are more than {DEEPEST} deep")
    return "/".join(parts)


def _shown(name: str) -> str:
    """Return a stranger's name for a message."""
    return plain(name[:100])


def too_much_larger() -> BundleError:
    """Return the error of an archive that unpacks to far more than its size."""
    return BundleError(f"the archive unpacks to more than {MOST_TIMES_LARGER} times its size")


def _too_large() -> BundleError:
    return BundleError(f"more than {LARGEST_BYTES >> 20} MiB unpacked; a bot may have no more")
