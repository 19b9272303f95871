"""docs/architecture.md shows the rooms as they are, and walks that pass through them in order."""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from tests.support.page_names import code_of, defined, missing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()


def layers() -> Mapping[str, Sequence[str]]:
    """Return the rooms of each package from the top down, as the contracts say."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {
        contract["containers"][0]: contract["layers"]
        for contract in contracts["contracts"]
        if contract["type"] == "layers"
    }


def order() -> Sequence[str]:
    """Return all rooms from the top down: those of the ladder, which imports the referee, first."""
    found = layers()
    return [f"{package}.{room}" for package in ("ladder", "referee") for room in found[package]]


def section(title: str) -> str:
    """Return the text below a heading."""
    [found] = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


def parts() -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the parts of the walks: title, and the name of each step."""
    walks = re.split(r"^### ", section("Three walks"), flags=re.MULTILINE)[1:]
    for walk in walks:
        for part in re.split(r"^(?=[A-Z][a-z ]+:$)", walk, flags=re.MULTILINE)[1:]:
            head = part.partition("\n")[0]
            steps = re.findall(r"^\d+\. `([\w.]+)`", part, flags=re.MULTILINE)
            yield f"{walk.partition(chr(10))[0]}: {head}", steps


def room_of(step: str) -> str:
    """Return the room that a name is in."""
    return ".".join(step.split(".")[:2])


@pytest.mark.parametrize("package", ["ladder", "referee"])
def test_rooms_are_those_of_the_contract(package: str) -> None:
    """Picture and table show all rooms, in the order in which they may import each other."""
    rooms = section("The rooms")
    table = rooms.partition(f"| room of `{package}/` |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", table, flags=re.MULTILINE) == layers()[package]
    drawn = rooms.partition(f"subgraph {package}\n")[2].partition("end\n")[0]
    arrows = next(line for line in drawn.splitlines() if "-->" in line)
    shown = [re.sub(r".*\[(\w+)\]", r"\1", each.strip()) for each in arrows.split("-->")]
    assert shown == layers()[package]


def test_names_exist(root: Path) -> None:
    """Modules, classes and functions that the page names are there, those of each step too."""
    assert {code: gone for code in code_of(PAGE) if (gone := missing(root, code))} == {}
    steps = [step for _, steps in parts() for step in steps]
    assert len(steps) > 20
    assert [step for step in steps if not defined(root, step)] == []


@pytest.mark.parametrize("steps", [pytest.param(steps, id=title) for title, steps in parts()])
def test_walks_go_down(steps: Sequence[str]) -> None:
    """The steps of a part go through the rooms from the top down."""
    places = [order().index(room_of(step)) for step in steps]
    assert len(set(places)) > 1
    assert places == sorted(places)
