"""What holds for every file of the project."""

import re
from pathlib import Path

from tests.support.games import GAMES

MODULE_LINES = 600

MACHINE_PATH = re.compile(r"/(?:root|work|Users)/\w|/home/(?!user\b|you\b)\w")
HOST = re.compile(
    r"(?<![\w.@/-])(?:https?://)?((?:[a-z0-9-]+\.)+(?:com|dev|io|net|org))\b(?!\.\w|\()"
)
EXAMPLE = ".example.org"
"""Hosts that stand for anybody's own."""
LINKED_HOSTS = {
    "buf.build",
    "datapackage.org",
    "github.com",
    "grpc.io",
    "json-schema.org",
    "keepachangelog.com",
    "protobuf.dev",
    "semver.org",
    "www.w3.org",
}
"""The hosts that the documentation may name. Package registries are not among them: people have
their own, so every command names packages and leaves the rest to the package manager's settings.
"""

FROM_AN_INDEX = re.compile(r"""install\s[^\n]*?["' ]courtyard\b(?![-/])""")
"""A command that takes Courtyard from a package index."""

REGISTRIES = {
    "referee/games/registry.py",
    "referee/wire/__init__.py",
}
"""Where games are registered: what else names one stands in files called by its name."""


def modules(root: Path) -> list[Path]:
    """The modules of the two programs."""
    return [path for package in ("referee", "ladder") for path in (root / package).rglob("*.py")]


def test_no_module_is_too_long(root: Path) -> None:
    """A module that outgrows its limit holds more than one idea."""
    lengths = {path: len(path.read_text().splitlines()) for path in modules(root)}
    assert not {path: lines for path, lines in lengths.items() if lines > MODULE_LINES}


def test_names_differ_in_more_than_case(committed_texts: dict[str, str]) -> None:
    """The file systems of macOS and Windows hold only one of such files."""
    assert len({name.casefold() for name in committed_texts}) == len(committed_texts)


def test_no_file_knows_a_machine(committed_texts: dict[str, str]) -> None:
    """No committed file holds a path that exists on its author's machine only."""
    found = [
        f"{name}:{number}: {line.strip()}"
        for name, text in committed_texts.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert not found


def test_documents_name_no_registry(committed_texts: dict[str, str]) -> None:
    """Documents and build files name no hosts but those whose pages they cite."""
    read = [name for name in committed_texts if re.search(r"\.md$|^\.|^[^/]+$|^scripts/", name)]
    found = [
        f"{name}: {host}"
        for name in read
        for host in HOST.findall(committed_texts[name])
        if host not in LINKED_HOSTS and not host.endswith(EXAMPLE)
    ]
    assert "README.md" in read
    assert not found


def test_nothing_tells_to_install_courtyard_from_an_index(committed_texts: dict[str, str]) -> None:
    """No release is published: a stranger could take the name, and the command runs as root."""
    found = [
        f"{name}: {line.strip()}"
        for name, text in committed_texts.items()
        for line in text.splitlines()
        if FROM_AN_INDEX.search(line) and name != "tests/project/test_source_files.py"
    ]
    assert not found


def test_games_are_named_by_themselves_and_their_registries_alone(
    committed_texts: dict[str, str],
) -> None:
    """Nothing else in the two programs knows which games there are, so that one can be added."""
    foreign = [
        f"{name}: {game}"
        for name, text in committed_texts.items()
        if name.startswith(("ladder/", "referee/")) and name not in REGISTRIES
        for game in GAMES
        if game in text.lower()
        and not any(re.match(rf"{game}\b", part) for part in name.split("/"))
    ]
    assert not foreign
    assert committed_texts.keys() >= REGISTRIES
