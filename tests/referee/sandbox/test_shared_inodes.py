"""Which inodes two sandboxes share, and that no bot can change anything about one of them.

What one bot changes another can read, be it content, a time or a mode. So two bots walk over all
that they see while both run. What both see is read-only, or one of the device nodes known here.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox.contain.visible_paths import shown
from referee.sandbox.levels import Sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Program
from tests.referee.sandbox.conftest import opened
from tests.support.own_files import small_image

KNOWN = {f"/dev/{node}" for node in ("full", "null", "random", "tty", "urandom", "zero")}
"""The machine's device nodes, which store no content; what can be changed of them is tried."""
TRIES = 5
"""So often something is tried: another program of the machine may set a node's time meanwhile."""

WALK = """
# Below WHOLE a folder may be a mount of its own, but no file or link.
import json, os, stat

def is_read_only(path, mode):
    if stat.S_ISLNK(mode): path = os.path.dirname(path)
    settled = stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)
    return settled and bool(os.statvfs(path).f_flag & os.ST_RDONLY)

def paths(folder, whole):
    try: entries = list(os.scandir(folder))
    except PermissionError: return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield entry.path
            yield from paths(entry.path, whole or entry.path in WHOLE)
        elif not whole or not (entry.is_symlink() or entry.is_file()):
            yield entry.path

def seen():
    for path in ("/", *paths("/", False)):
        try: found = os.lstat(path)
        except FileNotFoundError: continue  # another program's, removed meanwhile
        if not is_read_only(path, found.st_mode): yield path, found
    for number in range(256):
        try: yield f"descriptor {number}", os.fstat(number)
        except OSError: pass

print(json.dumps({path: [found.st_dev, found.st_ino] for path, found in seen()}), flush=True)
"""
CHANGES = """
import time

def told(path):
    found = os.stat(path)
    return [found.st_mode, found.st_uid, found.st_gid, found.st_nlink, found.st_size,
            found.st_blocks, found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns]

def opened(path, flags):
    os.close(os.open(path, flags))

def read(path):
    with open(path, "rb", 0) as file: file.read(1)

def mapped(path):
    import mmap
    with open(path, "rb", 0) as file: mmap.mmap(file.fileno(), 1, prot=mmap.PROT_READ)[0]

def written(path):
    with open(path, "wb", 0) as file: file.write(b"x")

def descriptor_times(path):
    number = os.open(path, os.O_RDONLY)
    try: os.utime(number)
    finally: os.close(number)

CHANGES = {
    "read": read, "mapped": mapped, "written": written, "listed": os.listdir,
    "executed": lambda it: os.execv(it, [it, "true"]),
    "truncated": lambda it: os.truncate(it, 0),
    "opened": lambda it: opened(it, os.O_RDWR | os.O_TRUNC),
    "reserved": lambda it: os.posix_fallocate(os.open(it, os.O_WRONLY), 0, 4096),
    "times": os.utime,
    "some time": lambda it: os.utime(it, (1, 1)),
    "times by a descriptor": descriptor_times,
    "times of a link": lambda it: os.utime(it, follow_symlinks=False),
    "mode": lambda it: os.chmod(it, 0o777),
    "owner": lambda it: os.chown(it, os.getuid(), os.getgid()),
    "attribute": lambda it: os.setxattr(it, "user.x", b"x"),
    "linked": lambda it: os.link(it, "/tmp/linked"),
    "renamed": lambda it: os.rename(it, "/tmp/moved"),
    "removed": os.remove,
}

def is_changed(path, change):
    before, tick = told(path), time.clock_gettime_ns(5)
    while time.clock_gettime_ns(5) == tick: pass  # the coarse clock that the kernel sets times by
    child = os.fork()
    if child == 0:
        try: change(path)
        except (OSError, ValueError): pass
        finally: os._exit(0)
    os.waitpid(child, 0)
    return told(path) != before

input()
print(json.dumps([f"{path}: {name}" for path in TRIED for name, change in CHANGES.items()
                  if all(is_changed(path, change) for _ in range(TRIES))]), flush=True)
"""


class Bot:
    """A bot that looks around in its sandbox."""

    def __init__(self, process: BotProcess) -> None:
        """Speak to this process."""
        assert process.pipes is not None
        self._process = process
        self._to, self._from = process.pipes.to_bot, process.pipes.from_bot

    async def said(self) -> Any:
        """Return the next line that it says."""
        line, loop = b"", asyncio.get_running_loop()
        while not line.endswith(b"\n"):
            ready = asyncio.Event()
            loop.add_reader(self._from, ready.set)
            await ready.wait()
            loop.remove_reader(self._from)
            read = os.read(self._from, 1 << 16)
            assert read, self._process.output()
            line += read
        return json.loads(line)

    def go_on(self) -> None:
        """Let it try to change things."""
        os.write(self._to, b"\n")


async def walked(sandbox: Sandbox, folder: Path, tried: list[str]) -> tuple[list[Any], list[str]]:
    """Return what each of two bots sees that is not read-only, and what one of them changed."""
    whole = [str(path) for path in shown() if path.is_dir()]
    told = f"WHOLE, TRIED, TRIES = {whole}, {tried}, {TRIES}\n"
    script = told + WALK + CHANGES
    async with AsyncExitStack() as stack:
        bots = []
        for name in ("one", "other"):
            bot, place = folder / name, folder / f"place-{name}"
            for made in (bot, place):
                made.mkdir()
                (made / "file").write_text("x")
                os.utime(made / "file", (1, 2))  # reading sets its time, where that is set
            program = Program(("python3", "-c", script), bot, place, piped=True)
            process = await sandbox.start(program)
            stack.push_async_callback(process.kill)
            bots.append(Bot(process))
        seen = [await bot.said() for bot in bots]
        bots[0].go_on()
        return seen, await bots[0].said()


@pytest.fixture(params=[level for level in Level if level is not Level.TRUSTED])
def contained(request: pytest.FixtureRequest) -> Sandbox:
    """Each level that contains bots."""
    return opened(request.param)


@pytest.fixture(scope="module", params=["shared files", "files of its own"])
def _files(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Bots that see the system's files, and bots that have an image of them."""
    own = request.param == "files of its own"
    with small_image(tmp_path_factory.mktemp("images")) if own else nullcontext():
        yield


@pytest.mark.sweep
@pytest.mark.usefixtures("_files")
def test_bots_can_change_nothing_that_both_see(contained: Sandbox, tmp_path: Path) -> None:
    """Whatever is not read-only is a bot's own, or a known device; and of these nothing changes."""
    tmp_path.chmod(0o755)
    settled = ["/usr", "/usr/bin/env", "/bot", "/bot/file", "/run/courtyard", "/run/courtyard/file"]
    seen, changed = asyncio.run(walked(contained, tmp_path, [*sorted(KNOWN), *settled]))
    shared = [{tuple(inode) for inode in one.values()} for one in seen]
    both = shared[0] & shared[1]

    assert {path for path, inode in seen[0].items() if tuple(inode) in both} == KNOWN
    assert {"/tmp", "/dev/shm"} <= seen[0].keys()  # noqa: S108 -- the bot's own
    assert changed == []
