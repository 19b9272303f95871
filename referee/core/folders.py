"""Folders in which strangers' programs have written: looked at, given and removed all the same.

Such a program can nest folders deeper than a path is long or than Python recurses, lock them, and
take blocks of the disk for files that seem empty. What is looked at here is refused in such a case;
what is given or removed is left to programs of the system, which no depth stops.
"""

import os
import stat
import subprocess
from itertools import islice
from pathlib import Path

MOST_FILES = 200_000
"""How many files and folders there may be in a folder."""
DEEPEST = 100
"""How many folders there may be one in the other."""
_BLOCK_BYTES = 512
_OPEN = stat.S_IRUSR | stat.S_IXUSR
_MIB = 1024 * 1024


def excess(folder: Path, most_bytes: int) -> str:
    """Return why a folder is more than it may be, in words that follow its name; else nothing.

    That is also so if a part of it cannot be looked at. What vanishes meanwhile does not count.
    """
    total = count = 0
    waiting = [(folder, 0)]
    while waiting:
        path, depth = waiting.pop()
        if depth > DEEPEST:
            return f"may hold folders that are {DEEPEST} deep"
        try:
            for item in _items(path):
                status = item.stat(follow_symlinks=False)
                total += max(status.st_size, status.st_blocks * _BLOCK_BYTES)
                count += 1
                if stat.S_ISDIR(status.st_mode):
                    if status.st_mode & _OPEN != _OPEN:
                        return "has a part that its owner cannot look at"
                    waiting.append((path / item.name, depth + 1))
                if total > most_bytes:
                    return f"may hold {most_bytes // _MIB} MiB"
                if count > MOST_FILES:
                    return f"may hold {MOST_FILES} files"
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            return f"has a part that cannot be looked at: {error.strerror}"
    return ""


def _items(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return list(islice(found, MOST_FILES + 1))


def give(folder: Path, user: int, group: int) -> None:
    """Change the owner of a folder with all that is in it; links are not followed."""
    _do("chown", "-h", "-R", f"{user}:{group}", "--", str(folder))


def remove(folder: Path) -> None:
    """Remove a folder, if it is there, whatever has been done to the permissions in it."""
    if folder.is_dir():
        _do("chmod", "-R", "u+rwX", "--", str(folder))
        _do("rm", "-r", "-f", "--", str(folder))


def _do(*command: str) -> None:
    """Run one of the system's programs; raise `OSError` if it fails."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        raise OSError(None, f"{command[0]} failed: {said[:200]}", command[-1])
