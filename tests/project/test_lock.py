"""The locks pin all that is asked for, by hash, and name no place to get it from."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


@pytest.fixture(scope="module")
def lock(root: Path) -> str:
    """The text of both locks: what `make setup` installs, and what `make openspiel` adds."""
    return "".join((root / f"{name}.lock").read_text() for name in ("requirements", "openspiel"))


@pytest.fixture(scope="module")
def pins(lock: str) -> dict[str, Requirement]:
    """The pinned requirements of the lock by their name, without their hashes."""
    lines = re.findall(r"^[a-z].*$", lock, re.MULTILINE)
    requirements = [Requirement(line.removesuffix("\\")) for line in lines]
    return {canonicalize_name(requirement.name): requirement for requirement in requirements}


def asked_for(pyproject: dict[str, Any]) -> Iterator[Requirement]:
    """Every requirement of pyproject.toml: to run, to develop, to build, and of each extra."""
    project = pyproject["project"]
    groups = [
        project["dependencies"],
        pyproject["build-system"]["requires"],
        *project["optional-dependencies"].values(),
        *pyproject["dependency-groups"].values(),
    ]
    every = (Requirement(line) for group in groups for line in group)
    return (it for it in every if it.name != project["name"])  # one extra may ask for another


def test_every_package_has_hashes(lock: str) -> None:
    """Each package is pinned to one version and has at least one SHA-256."""
    blocks = re.split(r"^(?=[a-z])", lock, flags=re.MULTILINE)[1:]
    bad = [
        block.splitlines()[0]
        for block in blocks
        if not re.match(r"[a-z0-9-]+==\S+ (; [^\\]+)?\\\n    --hash=sha256:[0-9a-f]{64}\b", block)
    ]
    assert blocks
    assert not bad


def test_lock_names_no_place(lock: str) -> None:
    """No URL, no index, no folder: the user decides where packages come from."""
    assert "://" not in lock
    options = re.findall(r"^\s*(-\S*?)(?:[ =]|$)", lock, re.MULTILINE)
    assert set(options) == {"--hash"}


def test_lock_fits_pyproject(root: Path, pins: dict[str, Requirement]) -> None:
    """Whatever pyproject.toml asks for is pinned to a version that satisfies it."""
    pyproject = tomllib.loads((root / "pyproject.toml").read_text())
    unmet = []
    for wanted in asked_for(pyproject):
        pin = pins.get(canonicalize_name(wanted.name))
        version = str(pin.specifier).removeprefix("==") if pin else "nothing"
        if not pin or version not in wanted.specifier:
            unmet.append(f"{wanted} is asked for, the lock has {version}: run `make lock`")
    assert not unmet
