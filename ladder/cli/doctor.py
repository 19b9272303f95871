"""Finds what this machine offers to Courtyard, and how to install what it lacks."""

import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ladder.model.cores import cores
from ladder.runner.memory_need import shortage
from ladder.storage.db.database import SQLITE_VERSION
from referee.core.safe_path import ask
from referee.sandbox.freeze.watchdog import size
from referee.sandbox.levels import offered, survey, unwatched
from referee.sandbox.memory_usage import available

_LEAST_FREE_GIB = 2
_GIB = 1024**3
_MOST_SEATS = 4
"""As many bots play most matches."""
_NONE_HERE = "as above: Linux reports and holds that"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_VERSION = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Tool:
    """A program or library of a toolchain."""

    name: str
    ask: tuple[str, ...]
    """The command that prints its version."""
    remedy: str
    """How to install it."""
    least: tuple[int, ...] = ()
    """The oldest sufficient version."""

    def version(self) -> str:
        """Return the installed version; empty if none."""
        if shutil.which(self.ask[0]) is None:
            return ""
        if (output := ask(self.ask)) is None:
            return ""
        found = _VERSION.search(_COLOURS.sub("", output.stdout + output.stderr))
        return found[0] if found else ""

    def is_old(self, version: str) -> bool:
        """Return whether a version is too old."""
        return tuple(map(int, version.split("."))) < self.least


_PROTOC = Tool("protoc", ("protoc", "--version"), "apt-get install protobuf-compiler")
_MAKE = Tool("make", ("make", "--version"), "apt-get install make")

NEEDED: Mapping[str, Sequence[Tool]] = {
    "python": (),
    "go": (
        Tool("Go", ("go", "version"), "install Go from https://go.dev/dl", least=(1, 24)),
        _MAKE,
        _PROTOC,
    ),
    "rust": (
        Tool("Rust", ("cargo", "--version"), "install Rust from https://rustup.rs", least=(1, 85)),
        Tool("gcc", ("gcc", "--version"), "apt-get install gcc"),
    ),
    "cpp": (
        Tool("g++", ("g++", "--version"), "apt-get install g++"),
        _MAKE,
        _PROTOC,
        Tool(
            "libprotobuf",
            ("pkg-config", "--modversion", "protobuf"),
            "apt-get install pkg-config libprotobuf-dev",
        ),
    ),
    "java": (
        Tool("Java", ("javac", "-version"), "apt-get install default-jdk-headless", least=(17,)),
        Tool("Maven", ("mvn", "--version"), "apt-get install maven"),
    ),
    "typescript": (
        Tool("Node", ("node", "--version"), "apt-get install nodejs", least=(18,)),
        Tool("npm", ("npm", "--version"), "apt-get install npm"),
    ),
    "shell": (Tool("jq", ("jq", "--version"), "apt-get install jq", least=(1, 6)),),
}
"""The tools of each language, as named in `ladder.submission.starter_kits`; Python needs none."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    what: str
    good: bool
    found: str
    """The parts that the machine has or lacks."""
    remedy: str = ""
    """How to get what the machine lacks."""


def findings(folder: Path) -> Iterator[Finding]:
    """Yield the findings; the disk checked is the one with this folder."""
    yield from _containment()
    yield from _machine(folder)
    for language in NEEDED:
        yield _language(language)


def _containment() -> Iterator[Finding]:
    levels = ", ".join(offered())
    yield Finding("sandbox levels", good=True, found=f"{levels}; the first is used")
    for check in survey():
        found = check.gives if check.ok else f"{check.lacking} ({check.gives})"
        yield Finding(check.name, check.ok, found, check.advice)
    for shortcoming in unwatched():
        yield Finding("level trusted", good=False, found=shortcoming, remedy=_NONE_HERE)


def _machine(folder: Path) -> Iterator[Finding]:
    number = cores()
    enough = number > 1
    remedy = "" if enough else "matches share the core with everything else; add a core"
    yield Finding("cores", enough, f"{number}; one match at a time on each", remedy)
    version = sys.version_info
    yield Finding("Python", good=True, found=f"{version.major}.{version.minor}.{version.micro}")
    yield Finding("SQLite", good=True, found=SQLITE_VERSION)
    free = shutil.disk_usage(folder).free / _GIB
    roomy = free >= _LEAST_FREE_GIB
    remedy = "" if roomy else f"free some space: a build may need {_LEAST_FREE_GIB} GiB"
    short = shortage(number, _MOST_SEATS)
    has, all_of_it = available() or (0, 0)
    memory = f"{size(has)} of {size(all_of_it)} available" if all_of_it else "unknown"
    yield Finding("memory", not short, memory, short)
    yield Finding("disk", roomy, f"{free:.1f} GiB free here", remedy)


def _language(language: str) -> Finding:
    """Check whether the machine can build and run bots in a language."""
    found, lacking, remedies = list[str](), list[str](), list[str]()
    for tool in NEEDED[language]:
        version = tool.version()
        if version and not tool.is_old(version):
            found.append(f"{tool.name} {version}")
            continue
        least = ".".join(map(str, tool.least))
        wrong = f"{version} is older than {least}" if version else "is missing"
        lacking.append(f"{tool.name} {wrong}")
        remedies.append(tool.remedy)
    return Finding(
        f"bots in {language}",
        good=not lacking,
        found=", ".join(lacking or found) or "the Python that runs Courtyard",
        remedy="; ".join(remedies),
    )
