"""The tools that each starter kit needs, and a check whether they are installed."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.core.safe_path import ask

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
        if (said := ask(self.ask)) is None:
            return ""
        found = _VERSION.search(_COLOURS.sub("", said.stdout + said.stderr))
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
        _PROTOC,
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
