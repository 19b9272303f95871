"""What control groups of memory tell of this machine or container."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sandbox import memory_usage
from referee.sandbox.cgroups import memory_groups
from referee.sandbox.cgroups.cgroup_v1 import GroupV1
from referee.sandbox.cgroups.cgroup_v2 import GroupV2
from referee.sandbox.meter import process_tree

MIB = 1 << 20
MEMINFO = "MemTotal: 8192 kB\nMemFree: 1 kB\nMemAvailable: 4096 kB\n"
V1 = "/own/memory.limit_in_bytes", "/own/memory.usage_in_bytes", "total_"
V2 = "/own/memory.max", "/own/memory.current", ""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """The files of a system, by path; those of its tree of control groups are in a real folder."""
    known: dict[str, str] = {}

    def read(file: str) -> str:
        if file.startswith(str(tmp_path)):
            return known.get(file.removeprefix(str(tmp_path)), "")
        return known.get(file, "")

    monkeypatch.setattr(process_tree, "read", read)
    (tmp_path / "own").mkdir()
    for folder in (tmp_path, tmp_path / "own"):
        (folder / "memory.stat").touch()
    known["/proc/self/mountinfo"] = f"1 2 0:3 / {tmp_path} rw - cgroup cgroup rw,memory\n"
    known["/proc/self/cgroup"] = "4:memory:/own\n"
    memory_groups.groups.cache_clear()
    yield known
    memory_groups.groups.cache_clear()


def second_version(files: dict[str, str], tmp_path: Path) -> None:
    """Let the tree be one of version 2."""
    files["/proc/self/mountinfo"] = f"1 2 0:3 / {tmp_path} rw - cgroup2 cgroup2 rw\n"
    files["/proc/self/cgroup"] = "0::/own\n"


@pytest.mark.parametrize(
    ("version", "file"),
    [
        (1, "/own/memory.oom_control"),
        (2, "/own/memory.events.local"),
        (2, "/own/memory.events"),
        (2, "/proc/vmstat"),
    ],
)
def test_the_kernel_counts_what_it_ends(
    files: dict[str, str], tmp_path: Path, version: int, file: str
) -> None:
    """The count is the control group's, of either version, or else the system's."""
    if version == 2:
        second_version(files, tmp_path)
    files[file] = "under_oom 0\noom_kill 3\n"

    assert memory_groups.kernel_kills() == 3


def test_where_nothing_is_counted(files: dict[str, str]) -> None:
    """On other systems the count is unknown, and so is what is available."""
    files.clear()

    assert memory_groups.kernel_kills() is None
    assert memory_usage.available() is None
    assert not memory_usage.is_exhausted()


@pytest.mark.parametrize(("version", "names"), [(1, V1), (2, V2)])
def test_a_container_may_have_less_left_than_the_machine(
    files: dict[str, str], tmp_path: Path, version: int, names: tuple[str, str, str]
) -> None:
    """What it keeps of files it can give away; a group without a limit has none to give."""
    if version == 2:
        second_version(files, tmp_path)
        files["/memory.max"], files["/memory.current"] = "max\n", "5\n"
    limit, usage, prefix = names
    files["/proc/meminfo"] = MEMINFO
    assert memory_usage.available() == (4 * MIB, 8 * MIB)

    files[limit], files[usage] = f"{3 * MIB}\n", f"{2 * MIB}\n"
    files["/own/memory.stat"] = f"{prefix}inactive_file 4096\n{prefix}active_file 8192\n"

    assert memory_usage.available() == (MIB + 12288, 3 * MIB)
    assert memory_usage.is_exhausted()


@pytest.mark.parametrize(
    ("refused", "full"),
    [
        ({}, False),
        ({"memory.failcnt": "2"}, True),
        ({"memory.memsw.failcnt": "1"}, True),
        ({"memory.limit_in_bytes": f"{77 + MIB}"}, False),
        ({"memory.limit_in_bytes": "78"}, True),
    ],
)
def test_a_group_of_version_1_tells_its_own_limit(
    tmp_path: Path, refused: dict[str, str], *, full: bool
) -> None:
    """From one above it, which kills its processes, too."""
    told = {"memory.oom_control": "oom_kill 1\n", "memory.max_usage_in_bytes": "77\n"}
    told |= {
        "memory.limit_in_bytes": f"{2 * MIB}",
        "memory.failcnt": "0\n",
        "memory.memsw.failcnt": "0\n",
        **refused,
    }
    for name, text in told.items():
        (tmp_path / name).write_text(text)
    group = GroupV1({"memory": tmp_path}, None)  # type: ignore[arg-type]

    assert (group.kills(), group.was_full(), group.most_bytes()) == (1, full, 77)


@pytest.mark.parametrize(
    ("events", "full"),
    [
        ({"memory.events.local": "max 3\noom 0\noom_kill 1\n"}, False),
        ({"memory.events.local": "max 3\noom 1\noom_kill 1\n"}, True),
        ({}, True),
    ],
)
def test_a_group_of_version_2_tells_its_own_limit(
    tmp_path: Path, events: dict[str, str], *, full: bool
) -> None:
    """Linux before 5.2 counts both limits together, and before 5.19 no peak."""
    told = {"memory.events": "low 0\nmax 9\noom 4\noom_kill 1\n", **events}
    for name, text in told.items():
        (tmp_path / name).write_text(text)
    group = GroupV2(tmp_path)

    assert (group.kills(), group.was_full(), group.most_bytes()) == (1, full, 0)
