"""What `ladder doctor` advises in a container that lacks what bots need."""

from pathlib import Path

import pytest

from referee.sandbox import host_checks
from referee.sandbox.cgroups.cgroup_files import Unavailable

FILTER = "--security-opt seccomp=containers/seccomp.json"
PROC = "--security-opt unmask=ALL (Docker: systempaths=unconfined)"
APPARMOR = "--security-opt apparmor=unconfined"


@pytest.fixture(autouse=True)
def contained(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Be in a container."""
    (tmp_path / ".containerenv").touch()
    monkeypatch.setattr(host_checks, "_SIGNS", (tmp_path / ".containerenv",))


@pytest.mark.parametrize(
    ("failure", "filtered", "covered", "wanted"),
    [
        # What setarch and bubblewrap say under the usual profiles of podman and Docker
        ("setarch: failed to set personality to x86_64", True, True, f"{FILTER} and {PROC}"),
        ("bwrap: No permissions to create a new namespace", True, False, FILTER),
        ("bwrap: pivot_root: Operation not permitted", True, False, FILTER),
        ("bwrap: cannot open /proc/sys/user/max_user_namespaces", True, True, PROC),
        ("bwrap: Can't mount proc on /newroot/proc", True, True, PROC),
        ("bwrap: Failed to make / slave: Permission denied", True, False, APPARMOR),
    ],
)
def test_the_missing_options_are_named(
    monkeypatch: pytest.MonkeyPatch, failure: str, *, filtered: bool, covered: bool, wanted: str
) -> None:
    """The advice is the options that this container was started without, and no other."""
    monkeypatch.setattr(host_checks, "_has_filter", lambda: filtered)
    monkeypatch.setattr(host_checks, "_is_covered", lambda _: covered)

    assert (
        host_checks.container_advice(failure)
        == f"start the container with {wanted}: docs/containers.md"
    )


def test_a_container_has_no_groups_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """No message says to use systemd in a container."""

    def none() -> None:
        raise Unavailable("no control groups")

    monkeypatch.setattr(host_checks, "find_groups", none)
    check = host_checks.control_groups.__wrapped__()

    assert (check.lacking, check.advice) == ("no control groups", host_checks._WITHOUT_GROUPS)


def test_a_machine_is_no_container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without an engine's file in the root folder this is none."""
    assert host_checks.is_container()
    monkeypatch.setattr(host_checks, "_SIGNS", (tmp_path / "nothing",))
    assert not host_checks.is_container()
