"""Print the part of requirements.lock that running Courtyard needs, or building its wheel.

    python3 scripts/locked.py run      all extras but data, dev, openspiel and train
    python3 scripts/locked.py build    the group that builds the wheel

It follows the comments that uv leaves in the lock: which package asks for which. Needs no package
itself, as the image of containers begins with it.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_PROJECT = "courtyard"
_NOT_IN_THE_IMAGE = ("data", "dev", "openspiel", "train")


def blocks(lock: str) -> dict[str, str]:
    """Return the lines of each package, its hashes and comments included, by its name.

    A package has several versions if its newest is not for every Python.
    """
    found = dict[str, str]()
    for block in re.findall(r"^[a-z0-9].*\n(?: .*\n)*", lock, re.MULTILINE):
        found[_name(block)] = found.get(_name(block), "") + block
    return found


def asked_by(block: str) -> set[str]:
    """Return the names of the packages that ask for one."""
    comments = re.findall(r"^ +# +(?:via +)?(\S+)", block, re.MULTILINE)
    return {_name(word) for word in comments} - {"via"}


def wanted(project: dict[str, Any], what: str) -> set[str]:
    """Return the names of the packages that the project itself asks for."""
    if what == "build":
        return {_name(each) for each in project["dependency-groups"]["build"]}
    extras = project["project"]["optional-dependencies"]
    kept = (extras[name] for name in extras if name not in _NOT_IN_THE_IMAGE)
    asked = [*project["project"]["dependencies"], *(each for extra in kept for each in extra)]
    return {_name(each) for each in asked} - {_PROJECT}


def needed(lock: str, roots: set[str]) -> Iterator[str]:
    """Yield the lines of these packages, and of all that they ask for; raise `KeyError`."""
    known, found = blocks(lock), set[str]()
    new = {root for root in roots if known[root]}
    while new:
        found |= new
        new = {name for name, block in known.items() if asked_by(block) & new} - found
    for name in sorted(found):
        yield known[name]


def _name(text: str) -> str:
    """Return a package's name as the lock spells it."""
    found = _NAME.match(text)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


if __name__ == "__main__":
    if sys.argv[1:] not in (["run"], ["build"]):
        sys.exit(str(__doc__))
    with (ROOT / "pyproject.toml").open("rb") as file:
        roots = wanted(tomllib.load(file), sys.argv[1])
    sys.stdout.writelines(needed((ROOT / "requirements.lock").read_text(), roots))
