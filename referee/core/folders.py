"""Measure, chown and remove folders in which untrusted programs have written.

Such a program can nest folders deeper than a path may be long or Python can recurse, lock them, and
allocate disk blocks for files that seem empty. `excess` refuses such folders; `give` and `remove`
run system programs that cope with any depth.
"""

import os
import stat
import subprocess
from itertools import islice
from pathlib import Path

MOST_FILES = 200_000
"""Most files and folders within a folder."""
DEEPEST = 100
"""Deepest nesting of folders."""
_BLOCK_BYTES = 512
_OPEN = stat.S_IRUSR | stat.S_IXUSR
_MIB = 1024 * 1024


def excess(folder: Path, most_bytes: int) -> str:
    """Return which limit a folder exceeds, as words that follow its name; empty if none.

    An unreadable part counts as excess; files that vanish meanwhile do not count.
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
    """Change the owner of a folder and all its content; follow no links."""
    _do("chown", "-h", "-R", f"{user}:{group}", "--", str(folder))


def remove(folder: Path) -> None:
    """Remove a folder if it exists, whatever the permissions within it."""
    if folder.is_dir():
        _do("chmod", "-R", "u+rwX", "--", str(folder))
        _do("rm", "-r", "-f", "--", str(folder))


def _do(*command: str) -> None:
    """Run a system program; raise `OSError` if it fails."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        raise OSError(None, f"{command[0]} failed: {reason[:200]}", command[-1])
