"""The laboratory of covert channels: a sender and a receiver in two sandboxes, at each level.

Each channel that we know is tried with random bits; the sender is stopped before the receiver
reads, as bots are in a match. What comes through is what docs/security.md says. At `trusted` every
channel works, so no wall is credited with an attack that was broken. Run as a program, this tries
each for two seconds and prints the table that is there.
"""

import asyncio
import contextlib
import errno
import fcntl
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from statistics import median

import pytest

from referee.sandbox.contain import system_image
from referee.sandbox.levels import STRONGEST_FIRST, offered, open_sandbox
from referee.sandbox.process import BotProcess
from referee.sandbox.program import Level, Program
from tests.support.lacking import need_level, need_linux, skip
from tests.support.own_files import small_image

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
BOT = ROOT / "tests" / "bots" / "whisperer"
CHANNELS = (
    "a record lock",
    "a lock of an open file",
    "a lock asked for with wide arguments",
    "a lock on the whole file",
    "a lease",
    "the times of device nodes",
    "what ext4 knows of a file",
    "a watch",
    "a notice",
    "a page in memory (RWF_NOWAIT)",
    "a page paged out (MADV_PAGEOUT)",
    "a page in memory (mincore)",
    "a page in memory (cachestat)",
    "open files of the machine",
    "terminals of the machine",
    "asynchronous requests of the machine",
    "threads of the machine (sysinfo)",
    "threads of the machine (/proc)",
    "processes of the machine (links of /proc)",
    "taken memory of the machine",
    "huge pages of the machine",
    "room of a file system",
    "processes that the machine started",
    "page faults of the machine",
    "the numbers of processes' files",
    "the numbers of sockets (SO_COOKIE)",
    "a page mapped by both (smaps)",
    "a futex on a page of a file",
    "a futex that a thread's end wakes",
    "a futex that a robust list wakes",
    "the numbers of pipes (st_ino)",
    "the numbers of eventfds (fdinfo)",
    "a page in memory, by the time",
    "a name in memory, by the time",
    "time on a core",
)
OF_FILES = (
    "a futex on a page of a file",
    "a futex that a thread's end wakes",
    "a page in memory, by the time",
    "a name in memory, by the time",
)
"""What is open between bots that see the same files, and closed where each has its own."""
OF_A_USER = (
    "room in a user's pipes",
    "descriptors on a user's way",
    "a user's program that runs (ETXTBSY)",
)
"""What the kernel counts for each user: as root, every bot has one of its own."""
BY_THE_MACHINE = {
    *("the numbers of processes' files", "a page in memory (cachestat)"),
    *("a page paged out (MADV_PAGEOUT)", "a page in memory, by the time"),
    *("what ext4 knows of a file", "huge pages of the machine", "room of a file system"),
}
"""What needs a newer kernel than some machines have, one that moves no pages by itself, another
file system, a pool of huge pages, or a disk to which others write little."""
PAGES = {channel for channel in CHANNELS if channel.startswith(("a page in", "a page paged"))}
"""What needs pages of files that can be out of memory, as those of a tmpfs never are."""
WHILE_BOTH_RUN = "time on a core"
"""Nothing passes here when the sender is stopped, and little on a busy machine."""
FILES = 1000
"""How many files there are that serve once, as `whisperer/inodes.py` knows."""
FORGET_A_FILE = 0x6628
"""A request of ext4 (EXT4_IOC_CLEAR_ES_CACHE)."""
OWN_COLUMNS = 3
SAMPLE = 24
TRIES = 8
"""How often a channel is tried that others on the machine disturb, before it is called dead."""
PROOF_SECONDS = 2.0
NOTHING = "0"


class End:
    """One end of a channel, in a sandbox."""

    def __init__(self, process: BotProcess) -> None:
        """Speak to this process."""
        assert process.pipes is not None
        self.process = process
        self._to, self._from = process.pipes.to_bot, process.pipes.from_bot

    async def told(self, order: str) -> str:
        """Give an order; return the answer."""
        os.write(self._to, f"{order}\n".encode())
        answer = b""
        while not answer.endswith(b"\n"):
            answer += await self._some()
        return answer.decode().strip()

    async def _some(self) -> bytes:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._from, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._from)
        read = os.read(self._from, 4096)
        assert read, self.process.output()
        return read


class Laboratory:
    """Two ends in two sandboxes, started as the referee starts bots."""

    def __init__(self, level: Level, folder: Path) -> None:
        """Lay out what both ends see, and start them."""
        self.level = level
        self.failed = 0
        """How often the receiver could not read, of the last bits."""
        self._folder = folder / "bot"
        shutil.copytree(BOT, self._folder)
        self._folder.chmod(0o755)
        _lay_out_many(self._folder / "many")
        shutil.copy(shutil.which("sleep") or "", self._folder / "program")
        self._lay_out()  # ends with files of their own see what was there when they started
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._sender, self._receiver = self._runner.run(self._start())

    async def _start(self) -> list[End]:
        program = Program(("python3", "bot.py"), self._folder, piped=True)
        ends = []
        for _ in range(2):
            process = await open_sandbox(self.level).start(program)
            self._stack.push_async_callback(process.kill)
            ends.append(End(process))
        return ends

    def close(self) -> None:
        """End both."""
        self._runner.run(self._stack.aclose())
        self._runner.close()

    def passed(self, channel: str, enough: Callable[[int], bool]) -> float:
        """Send random bits until there are enough; return how many came through."""
        self._lay_out()
        return self._runner.run(self._transmit(channel, enough))

    def pages_leave_memory(self) -> bool:
        """Return whether a file just laid out is on a disk alone, as far as that can be told."""
        self._lay_out()
        with (self._folder / "shared").open("rb") as opened:
            try:
                os.preadv(opened.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)
            except OSError as error:
                return error.errno == errno.EAGAIN
        return False

    def _lay_out(self) -> None:
        for name, mib in (("shared", 1), ("cold", 16)):
            _lay_out(self._folder / name, mib << 20)

    async def _transmit(self, channel: str, enough: Callable[[int], bool]) -> float:
        for end in (self._sender, self._receiver):
            await end.told(channel)
        if channel not in _AT_ONCE:
            await self._receiver.told("?")  # from now on it watches, waits or counts
        sent: list[int] = []
        read: list[float] = []
        self.failed = 0
        while not enough(len(sent)):
            sent.append(random.getrandbits(1))
            await self._sender.told(str(sent[-1]))
            if channel != WHILE_BOTH_RUN:
                self._sender.process.freeze()
            said = await self._receiver.told("?")
            self._sender.process.thaw()
            self.failed += said.startswith("-")
            read.append(math.nan if said.startswith("-") else float(said))
        await self._sender.told("0")
        return information(sent, read)


_AT_ONCE = {
    *("a page in memory, by the time", "a name in memory, by the time"),
    "what ext4 knows of a file",
}
"""Channels whose receiver has nothing to prepare: what it has looked at once serves no more."""


def _lay_out(file: Path, size: int) -> None:
    """Write a file that is on the disk and not in memory."""
    with file.open("wb") as opened:
        opened.write(bytes(size))
        opened.flush()
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    file.chmod(0o644)


def _lay_out_many(folder: Path) -> None:
    """Write small files of which the file system, if it is ext4, no longer knows where they lie."""
    folder.mkdir(mode=0o755)
    files = [folder / str(number) for number in range(FILES)]
    for file in files:
        file.write_bytes(b"x")
    subprocess.run(["sync", "-f", folder], check=True)
    for file in files:
        with file.open("rb") as opened, contextlib.suppress(OSError):
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            fcntl.ioctl(opened, FORGET_A_FILE)


def information(sent: list[int], read: list[float]) -> float:
    """Return how many bits were received, by a rule that the first half of them taught."""
    half = len(sent) // 2
    pairs = list(zip(sent, read, strict=True))
    taught = [[value for bit, value in pairs[:half] if bit == sort] for sort in (0, 1)]
    known = [[value for value in values if not math.isnan(value)] for values in taught]
    if not all(known) or median(known[0]) == median(known[1]):
        return 0.0
    low, high = map(median, known)
    right = [(abs(value - high) < abs(value - low)) == bool(bit) for bit, value in pairs[half:]]
    share = sum(right) / len(right)
    if share <= 0.5 + 1.6 / math.sqrt(len(right)):  # as a guess does, but for once in 1400 times
        return 0.0
    lost = -sum(part * math.log2(part) for part in (share, 1 - share) if part)
    return len(sent) * (1 - lost)


def documented() -> dict[str, dict[str, str]]:
    """The table of the page: for each channel, what passes at each level."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    table = [row for row in rows if row[0] in CHANNELS and len(row) > len(STRONGEST_FIRST)]
    return {row[0]: dict(zip(STRONGEST_FIRST, row[1:], strict=True)) for row in table}


def documented_of_own_files() -> dict[str, list[str]]:
    """What passes where each bot has files of its own, by the page: at each level but `trusted`."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines()]
    return {row[0]: row[1:] for row in rows if row[0] in OF_FILES and len(row) == OWN_COLUMNS}


def documented_of_a_user() -> dict[str, list[str]]:
    """What passes through each channel of a user, by the page: as root, and as somebody else."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines()]
    return {row[0]: row[1:] for row in rows if row[0] in OF_A_USER}


# The tests


@pytest.fixture(scope="module", params=STRONGEST_FIRST)
def laboratory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Laboratory]:
    """Each level in turn."""
    need_linux()
    need_level(request.param)
    made = Laboratory(request.param, tmp_path_factory.mktemp("laboratory"))
    try:
        yield made
    finally:
        made.close()


def test_the_page_names_every_channel() -> None:
    """In the order in which they are tried."""
    assert tuple(documented()) == CHANNELS


def test_what_is_known_of_random_bits_is_measured() -> None:
    """All of them, none, and none of what never changes or cannot be read."""
    sent = [random.getrandbits(1) for _ in range(400)]

    assert information(sent, [float(bit) for bit in sent]) == len(sent)
    assert information(sent, [random.random() for _ in sent]) < 20
    assert information(sent, [7.0 for _ in sent]) == 0
    assert information(sent, [math.nan for _ in sent]) == 0


@pytest.mark.sweep
@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_passes_where_the_page_says_so(laboratory: Laboratory, channel: str) -> None:
    """And where nothing contains a bot, something does: the attack is a real one."""
    promised = documented()[channel][laboratory.level]

    def enough(bits: int) -> bool:
        return bits >= SAMPLE

    if promised == NOTHING:
        assert laboratory.passed(channel, enough) == 0
    elif laboratory.level is Level.TRUSTED and channel != WHILE_BOTH_RUN:
        passed = any(laboratory.passed(channel, enough) for _ in range(TRIES))
        if channel in PAGES and not (passed or laboratory.pages_leave_memory()):
            skip("temporary files never leave memory here", "set TMPDIR to a folder on a disk")
        if not passed and channel in BY_THE_MACHINE:
            skip(f"this kernel has no {channel}", "run this on another one")
        assert passed


@pytest.fixture(scope="module", params=[level for level in STRONGEST_FIRST if level != "trusted"])
def own_laboratory(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Laboratory]:
    """Each level that contains bots, with files of their own."""
    need_linux()
    need_level(request.param)
    with small_image(tmp_path_factory.mktemp("images")):
        made = Laboratory(request.param, tmp_path_factory.mktemp("laboratory"))
    try:
        yield made
    finally:
        made.close()


@pytest.mark.sweep
@pytest.mark.parametrize("channel", OF_FILES)
def test_nothing_passes_through_files_of_ones_own(own_laboratory: Laboratory, channel: str) -> None:
    """Though both ends can read what they look for."""
    assert documented_of_own_files()[channel] == [NOTHING, NOTHING]
    assert own_laboratory.passed(channel, lambda bits: bits >= SAMPLE) == 0
    assert own_laboratory.failed == 0


@pytest.mark.parametrize("channel", OF_A_USER)
def test_what_passes_between_bots_of_one_user(laboratory: Laboratory, channel: str) -> None:
    """Nothing as root, where each bot has a user of its own; as somebody else the page says it."""
    as_root, as_somebody = documented_of_a_user()[channel]
    assert (as_root, as_somebody == NOTHING) == (NOTHING, False)
    trusted = laboratory.level is Level.TRUSTED
    if os.geteuid() == 0 and not trusted:
        assert laboratory.passed(channel, lambda bits: bits >= SAMPLE) == 0
    elif os.geteuid() != 0 and trusted:
        assert any(laboratory.passed(channel, lambda bits: bits >= SAMPLE) for _ in range(TRIES))


def main() -> None:
    """Print the tables for this machine and this user."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[system_image.FOLDER] = folder
        for channels in (CHANNELS, OF_A_USER):
            _print(channels, offered())
        with small_image(Path(folder)):
            _print(OF_FILES, [level for level in offered() if level is not Level.TRUSTED])


def _print(channels: Sequence[str], levels: Sequence[Level]) -> None:
    """Print what passes through these channels at these levels."""
    rows = [["channel", *levels], ["---"] * (1 + len(levels))]
    columns = [list(_measured(level, channels)) for level in levels]
    rows += [[channel, *row] for channel, *row in zip(channels, *columns, strict=True)]
    sys.stdout.writelines(f"| {' | '.join(row)} |\n" for row in rows)


def _measured(level: Level, channels: Sequence[str]) -> Iterator[str]:
    """Yield what passes through each of these channels."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with closing(Laboratory(level, folder)) as made:
            for channel in channels:
                yield _rate(made, channel)


def _rate(laboratory: Laboratory, channel: str) -> str:
    begun = time.monotonic()

    def enough(bits: int) -> bool:
        return bits >= SAMPLE and time.monotonic() > begun + PROOF_SECONDS

    bits = laboratory.passed(channel, enough)
    print(f"{laboratory.level}, {channel}: {bits:.0f} bits", file=sys.stderr)  # noqa: T201 -- for who looks
    return f"{bits / (time.monotonic() - begun):.0f} bits/s" if bits else NOTHING


if __name__ == "__main__":
    main()
