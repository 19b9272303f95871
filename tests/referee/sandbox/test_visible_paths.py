"""What of this machine is shown to programs: what they need, and no home."""

import os
import sys
from pathlib import Path

import pytest

import referee
from referee.sandbox.contain.visible_paths import visible
from referee.sandbox.toolchains import toolchains


def test_of_the_project_only_packages_are_visible() -> None:
    """Beside them may lie ladders with their keys."""
    root = Path(referee.__file__).parents[1]

    assert root not in visible(network=False)
    assert not any(path in root.parents for path in visible(network=False))


def test_no_path_is_below_another() -> None:
    """Each is shown once, and nothing is laid over what is shown already."""
    paths = visible(network=True)

    assert not any(
        path != other and path.is_relative_to(other) for path in paths for other in paths
    )
    assert not any(path.is_relative_to("/usr") for path in paths)


def test_a_python_whose_link_lies_in_a_home_shows_no_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a link that leads there the link itself is shown, and what it leads to."""
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "python3"
    link.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(link))
    visible.cache_clear()
    try:
        paths = visible(network=False)
    finally:
        visible.cache_clear()

    assert link in paths
    assert tmp_path not in paths
    assert link.parent not in paths


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose programs are first on the PATH, and in which secrets lie."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "secret").touch()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def program(path: Path) -> None:
    """Put a program there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def shown() -> set[Path]:
    """What is shown of toolchains."""
    toolchains.cache_clear()
    try:
        return {piece for toolchain in toolchains() for piece in toolchain.pieces}
    finally:
        toolchains.cache_clear()


def test_a_toolchain_is_shown_from_its_root(home: Path) -> None:
    """Also when a link leads to it."""
    program(home / "go" / "bin" / "go")
    (home / "go" / "src" / "runtime").mkdir(parents=True)
    (home / "bin" / "go").symlink_to(home / "go" / "bin" / "go")

    assert home / "go" in {path.resolve() for path in shown()}


def test_a_program_that_lies_in_a_home_shows_no_home(home: Path) -> None:
    """What has no toolchain around it is not taken for one."""
    for name in ("go", "java", "rustc", "mvn"):
        program(home / "bin" / name)

    assert not any(path.is_relative_to(home) for path in shown())


def test_of_node_in_a_home_only_its_own_is_shown(home: Path) -> None:
    """Node may be installed right into a home, as ~/.local."""
    program(home / "bin" / "node")
    (home / "lib" / "node_modules").mkdir(parents=True)

    assert {path for path in shown() if path.is_relative_to(home)} == {
        home / "bin" / "node",
        home / "lib" / "node_modules",
    }


def test_rust_is_shown_without_its_package_manager(home: Path) -> None:
    """What rustup stands in for is asked where it is; ~/.cargo with its keys stays out."""
    sysroot = home / "rustup" / "toolchains" / "stable"
    program(sysroot / "bin" / "rustc")
    (sysroot / "lib" / "rustlib").mkdir(parents=True)
    cargo = home / "cargo" / "bin"
    program(cargo / "rustup")
    (cargo / "rustup").write_text(f"#!/bin/sh\necho {sysroot}\n")
    (cargo / "rustc").symlink_to("rustup")
    (home / "bin" / "rustc").symlink_to(cargo / "rustc")

    assert {path for path in shown() if path.is_relative_to(home)} == {sysroot}
