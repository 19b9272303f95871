"""Which level there is: never a weaker one than was asked for, and advice for what is lacking."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.core.errors import UsageError
from referee.sandbox import host_checks
from referee.sandbox.cgroups.cgroup_files import Unavailable, own_group
from referee.sandbox.cgroups.cgroup_v1 import GroupsV1
from referee.sandbox.cgroups.cgroup_v2 import GroupsV2
from referee.sandbox.levels import offered, open_sandbox, survey
from referee.sandbox.meter import process_tree
from referee.sandbox.program import Level, Limits
from tests.support.lacking import need_linux, skip

CHECKS = (
    host_checks.linux,
    host_checks.bubblewrap,
    host_checks.libseccomp,
    host_checks.namespaces,
    host_checks.control_groups,
)


@pytest.fixture
def afresh() -> Iterator[None]:
    """Forget what was found out about this machine, before and after."""
    for check in (*CHECKS, host_checks.find_groups):
        check.cache_clear()
    yield
    for check in (*CHECKS, host_checks.find_groups):
        check.cache_clear()


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, afresh: None) -> Callable[[str], None]:
    """Take a program away from this machine."""
    found = shutil.which

    def hide(program: str) -> None:
        monkeypatch.setattr(
            "referee.sandbox.host_checks.shutil.which",
            lambda name: None if name == program else found(name),
        )

    return hide


def test_there_is_always_a_level(without: Callable[[str], None]) -> None:
    """Without bubblewrap it is the weakest, and needs no option."""
    without("bwrap")

    assert offered() == [Level.TRUSTED]
    assert open_sandbox(None).level is Level.TRUSTED


@pytest.mark.parametrize("level", [Level.STRICT, Level.STRICT_CG])
def test_a_level_that_cannot_be_had_is_refused(
    without: Callable[[str], None], level: Level
) -> None:
    """The error says why, and what to do; nothing weaker is taken instead."""
    need_linux()
    without("bwrap")
    wanted = f"at the level {level}: bwrap cannot be found; apt-get install bubblewrap util-linux"

    with pytest.raises(UsageError) as error:
        open_sandbox(level)

    assert wanted in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("level", [Level.STRICT, Level.STRICT_CG])
def test_what_is_no_linux_contains_nothing(
    monkeypatch: pytest.MonkeyPatch, afresh: None, level: Level
) -> None:
    """The error names the system and the ways to Linux; the survey tries nothing else."""
    for module in ("host_checks", "levels"):
        monkeypatch.setattr(f"referee.sandbox.{module}.IS_LINUX", False)
    monkeypatch.setattr("platform.system", lambda: "Darwin")

    with pytest.raises(UsageError, match=r"this is macOS, which cannot contain bots; .*podman"):
        open_sandbox(level)

    assert offered() == [Level.TRUSTED]
    assert [check.name for check in survey()] == ["Linux"]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, afresh: None) -> None:
    """Without libseccomp nothing is started with a hole in its filter."""
    need_linux()

    def fail(*, network: bool) -> bytes:
        raise RuntimeError("Unable to find libseccomp")

    monkeypatch.setattr("referee.sandbox.host_checks.seccomp_filter", fail)
    if not host_checks.bubblewrap().ok:
        skip(host_checks.bubblewrap().lacking, host_checks.bubblewrap().advice)

    with pytest.raises(UsageError, match="apt-get install libseccomp2"):
        open_sandbox(Level.STRICT)


def test_namespaces_that_are_forbidden_are_found_by_trying(
    monkeypatch: pytest.MonkeyPatch, afresh: None, tmp_path: Path
) -> None:
    """What bubblewrap says of it is passed on, with the setting that does it."""
    need_linux()
    for check in (host_checks.bubblewrap(), host_checks.libseccomp()):
        if not check.ok:
            skip(check.lacking, check.advice)
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    found, read = shutil.which, process_tree.read
    monkeypatch.setattr(
        "referee.sandbox.contain.bubblewrap.shutil.which",
        lambda name, **more: str(fake) if name == "bwrap" else found(name, **more),
    )
    setting = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
    monkeypatch.setattr(
        "referee.sandbox.host_checks.process_tree.read",
        lambda file: "1\n" if file == setting else read(file),
    )

    with pytest.raises(UsageError) as error:
        open_sandbox(Level.STRICT)

    assert "setting up uid map: Permission denied" in str(error.value)
    assert "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" in str(error.value)


def test_the_survey_says_what_each_thing_is_good_for() -> None:
    """And, of what is lacking, what is wrong and what to do."""
    for check in survey():
        assert check.gives
        assert check.ok == (not check.lacking) == (not check.advice)


MOUNTS = """\
24 1 0:1 / / rw - ext4 /dev/root rw
31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
32 24 0:28 /above /groups/memory rw - cgroup cgroup rw,memory
33 24 0:29 / /groups/cpu rw - cgroup cgroup rw,cpu,cpuacct
"""
OWN = "0::/user.slice/run-1.scope\n2:cpu,cpuacct:/\n3:memory:/above/own\n4:name=systemd:/x\n"


def test_the_group_of_this_process_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """In both versions, also where a tree is mounted from below its root."""
    files = {"/proc/self/mountinfo": MOUNTS, "/proc/self/cgroup": OWN}
    monkeypatch.setattr("referee.sandbox.cgroups.cgroup_files.process_tree.read", files.__getitem__)

    assert own_group() == Path("/sys/fs/cgroup/user.slice/run-1.scope")
    assert own_group("memory") == Path("/groups/memory/own")
    assert own_group("cpuacct") == Path("/groups/cpu")
    with pytest.raises(Unavailable, match="no freezer tree"):
        own_group("freezer")


def test_limits_are_written_to_a_group_of_version_2(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the kernel's words: bytes, a number, microseconds of each period, a niceness."""
    written = {}
    monkeypatch.setattr(
        "referee.sandbox.cgroups.cgroup_v2.set_all", lambda _, new: written.update(new)
    )
    monkeypatch.setattr("referee.sandbox.cgroups.cgroup_v2.own_niceness", lambda: 10)
    group = GroupsV2(tmp_path).make("bot", Limits(memory_bytes=1024, processes=7, cores=2))

    assert group.folder == tmp_path / "bot"
    assert written == {
        "memory.max": 1024,
        "memory.swap.max": 0,
        "memory.oom.group": 1,
        "pids.max": 7,
        "cpu.max": "200000 100000",
        "cpu.weight.nice": 10,
    }


def test_limits_are_written_to_the_groups_of_version_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To each controller its own."""
    written: dict[str, object] = {}
    monkeypatch.setattr(
        "referee.sandbox.cgroups.cgroup_v1.set_all", lambda _, new: written.update(new)
    )
    monkeypatch.setattr("referee.sandbox.cgroups.cgroup_v1.own_niceness", lambda: 10)
    parents = {name: tmp_path / name for name in ("memory", "pids", "freezer", "cpu")}
    for parent in parents.values():
        parent.mkdir()
    GroupsV1(parents).make("bot", Limits(memory_bytes=1024, processes=7, cores=2))

    assert written == {
        "memory.limit_in_bytes": 1024,
        "memory.memsw.limit_in_bytes": 1024,
        "pids.max": 7,
        "cpu.cfs_period_us": 100_000,
        "cpu.cfs_quota_us": 200_000,
        "cpu.shares": 110,
    }
    assert all((parent / "bot").is_dir() for parent in parents.values())
