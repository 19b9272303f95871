"""Tell a bot's programs where they are and what is installed beside them.

Programs ask /proc for that, and a bot has none (see `proc_files`). A single link there can name the
bot's command, but it would mislead a Java that Python starts. So shells and Python, which start
other programs and do not need the link, get none. The loader then looks for libraries beside any
program in one common folder: `LD_ORIGIN_PATH`.
"""

import functools
import re
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox.program import Program

_FOLDER = "/run/origin"
_ELF = b"\x7fELF"
_STARTS_OTHERS = re.compile(r"(ba|da|k|z)?sh|busybox|env|python[0-9.]*")


def of_command(program: Program, path: str, seen: Path) -> Path | None:
    """Return the path of a bot's command as the bot sees it, with its folder at `seen`.

    None for a script, or a program that mostly starts others.
    """
    folder, name = program.directory.resolve(), program.command[0]
    found = str(folder / name) if "/" in name else shutil.which(name, path=path)
    if found is None or not (file := Path(found).resolve()).is_file():
        return None
    with file.open("rb") as opened:
        if opened.read(len(_ELF)) != _ELF or _STARTS_OTHERS.fullmatch(file.name):
            return None
    return seen / file.relative_to(folder) if file.is_relative_to(folder) else file


def variables(path: str) -> dict[str, str]:
    """Return the variables for the loader and Go; searches programs in this PATH."""
    found = {"LD_ORIGIN_PATH": f"{_FOLDER}/bin"}
    if (go := _root("go", path)) and (go / "src").is_dir():
        found["GOROOT"] = str(go)
    return found


def options(path: str) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for the common folder; searches programs in this PATH."""
    for folder in (_FOLDER, f"{_FOLDER}/bin", f"{_FOLDER}/lib"):
        yield "--perms", "0755", "--dir", folder
    for library in _libraries(path):
        yield "--symlink", str(library), f"{_FOLDER}/lib/{library.name}"


@functools.cache
def _libraries(path: str) -> tuple[Path, ...]:
    """Return the libraries that runtimes and compilers need to start."""
    of_python = str(sysconfig.get_config_var("INSTSONAME"))
    wanted = [
        (_root("java", path), "libjli.so"),
        (_root("rustc", path), "lib*.so*"),
        (Path(sys.base_prefix), of_python),
    ]
    found = (root.glob(f"lib/{name}") for root, name in wanted if root)
    return tuple(library for libraries in found for library in libraries)


def _root(name: str, path: str) -> Path | None:
    """Return the folder above a program's `bin`; None if there is no such program."""
    found = shutil.which(name, path=path)
    return Path(found).resolve().parents[1] if found else None
