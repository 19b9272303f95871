"""An author's upload as a bot's folder: an archive (.tar.gz or .zip), or files of a form.

Its first bytes show which it is. Nothing is trusted, as in `ladder.storage.files.archive`: only
plain files with plain names below the folder are written, and no more of them than a bot may have.
A zip's directory is read only if it is small; overlapping or false entries write no more than
others.
"""

import stat
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

from ladder.model.errors import BundleError
from ladder.storage.files.archive import (
    MOST_TIMES_LARGER,
    RATIO_FROM_BYTES,
    NewFiles,
    too_much_larger,
    unpack,
    unpacking,
)
from referee.hosting.manifest import FILE_NAME

_GZIP, _ZIP, _FORM = b"\x1f\x8b", b"PK", b"--"
_ZIP_END, _ZIP_END_BYTES, _LONGEST_COMMENT = b"PK\5\6", 22, 0xFFFF
_ZIP64 = b"PK\6\7"
_LARGEST_DIRECTORY = 4 << 20
_LONGEST_BOUNDARY = 200
_CHUNK = 1 << 16
_PROGRAMS = (b"#!", b"\x7fELF")
"""The first bytes of files that may be executed where the upload has no modes."""
_MADE_ON_UNIX = 3
_NOT_THE_BOTS = "__MACOSX/"


def unpack_upload(upload: Path, folder: Path) -> Path:
    """Make a folder with what an author has sent; return the one in it that has the bot's files.

    That is its only folder, if the files are all in one. A form may hold one archive alone. Raise
    `BundleError` in one line if the upload is not as it should be; then the folder is gone.
    """
    with upload.open("rb") as file:
        begins = file.read(2)
    if begins == _ZIP:
        with unpacking(upload, folder, "upload") as file:
            _from_zip(file, NewFiles(folder))
    elif begins == _FORM:
        with unpacking(upload, folder, "upload") as file:
            _from_form(file, NewFiles(folder))
        if archive := _archive_in(folder):
            inner = archive.rename(folder.with_name(f"{folder.name}-archive"))
            folder.rmdir()
            try:
                return unpack_upload(inner, folder)
            finally:
                inner.unlink()
    else:
        unpack(upload, folder)
    inside = [*folder.iterdir()]
    is_one = len(inside) == 1 and inside[0].is_dir() and (inside[0] / FILE_NAME).is_file()
    return inside[0] if is_one else folder


def _archive_in(folder: Path) -> Path | None:
    """Return the archive that is the only file of a form, which a browser sends so."""
    match [*folder.iterdir()]:
        case [file] if file.is_file():
            with file.open("rb") as opened:
                return file if opened.read(2) in (_GZIP, _ZIP) else None
    return None


def _from_zip(file: IO[bytes], files: NewFiles) -> None:
    size = _check_directory(file)
    most = max(RATIO_FROM_BYTES, MOST_TIMES_LARGER * size)
    try:
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                if entry.filename.startswith(_NOT_THE_BOTS) or entry.is_dir():
                    continue
                mode = entry.external_attr >> 16 if entry.create_system == _MADE_ON_UNIX else 0
                if mode and stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise BundleError(f"{entry.filename!r}: only plain files are accepted")
                with archive.open(entry) as packed, files.new(entry.filename) as target:
                    first = packed.read(len(_PROGRAMS[1]))
                    target.write(first)
                    while chunk := packed.read(_CHUNK):
                        target.write(chunk)
                        if files.size > most:
                            raise too_much_larger()
                    runs = bool(mode & 0o100) if mode else first.startswith(_PROGRAMS)
                    target.finish(executable=runs)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"the archive is not a zip file, or damaged: {error}") from error


def _check_directory(file: IO[bytes]) -> int:
    """Raise `BundleError` if a zip's directory is too large to read; return the zip's size.

    This finds its end as `zipfile` does.
    """
    size = file.seek(0, 2)
    file.seek(max(0, size - _ZIP_END_BYTES - _LONGEST_COMMENT))
    tail = file.read()
    at = len(tail) - _ZIP_END_BYTES
    if at < 0 or tail[at : at + 4] != _ZIP_END or tail[-2:] != b"\0\0":
        at = tail.rfind(_ZIP_END)
    if at < 0:
        raise BundleError("the archive is not a zip file, or truncated")
    if _ZIP64 in tail[max(0, at - 20) : at]:
        raise BundleError("the archive is a zip64, which no bot needs")
    if int.from_bytes(tail[at + 12 : at + 16], "little") > _LARGEST_DIRECTORY:
        raise BundleError("the archive's directory is too large")
    return size


def _from_form(file: IO[bytes], files: NewFiles) -> None:
    from python_multipart.exceptions import MultipartParseError  # noqa: PLC0415 - only with the web extra
    from python_multipart.multipart import MultipartParser  # noqa: PLC0415 - as above

    line = file.readline(_LONGEST_BOUNDARY)
    if not line.endswith(b"\r\n"):
        raise BundleError("the upload is neither an archive (.tar.gz, .zip) nor a form of files")
    form = _Form(files)
    try:
        parser = MultipartParser(line[2:-2], form.callbacks())
        file.seek(0)
        while chunk := file.read(_CHUNK):
            parser.write(chunk)
        parser.finalize()
    except MultipartParseError as error:
        raise BundleError(f"the form is damaged: {error}") from error
    if not form.is_over:
        raise BundleError("the form is truncated")


class _Form:
    """The parts of a form become files, named as their files are, or as their fields."""

    def __init__(self, files: NewFiles) -> None:
        self._files = files
        self._field = self._value = b""
        self._disposition = b""
        self._target: Any = None
        self._first = b""
        self.is_over = False

    def callbacks(self) -> Any:
        return {
            name: getattr(self, name)
            for name in (
                *("on_part_begin", "on_header_field", "on_header_value", "on_header_end"),
                *("on_headers_finished", "on_part_data", "on_part_end", "on_end"),
            )
        }

    def on_part_begin(self) -> None:
        self._field = self._value = self._disposition = self._first = b""

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def on_header_end(self) -> None:
        if self._field.lower() == b"content-disposition":
            self._disposition = self._value
        self._field = self._value = b""

    def on_headers_finished(self) -> None:
        from python_multipart.multipart import parse_options_header  # noqa: PLC0415 - as above

        _, options = parse_options_header(self._disposition)
        name = options.get(b"filename", options.get(b"name", b""))
        # A field without a chosen file has an empty name.
        self._target = self._files.new(name.decode("utf-8", "surrogateescape")) if name else None

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self._target is not None:
            self._first = self._first or data[start : min(end, start + 4)]
            self._target.write(data[start:end])

    def on_part_end(self) -> None:
        if self._target is not None:
            self._target.finish(executable=self._first.startswith(_PROGRAMS))
            self._target = None

    def on_end(self) -> None:
        self.is_over = True
