"""The Makefile is what the documents say it is."""

import re
from pathlib import Path

import pytest

COMMAND = re.compile(r"(?:`|^\$ |^(?=make [a-z-]+(?: [A-Z]+=.*)?$))make ([a-z -]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def targets(root: Path) -> dict[str, str]:
    """What the Makefile says of each of its targets."""
    makefile = (root / "Makefile").read_text()
    return dict(re.findall(r"^([a-z-]+):(?:[^#\n]*## (.+))?", makefile, re.MULTILINE))


def test_every_target_says_what_it_does(targets: dict[str, str]) -> None:
    """`make help` leaves out none of the targets."""
    assert {"demo", "test"} <= targets.keys()
    assert [name for name, purpose in targets.items() if not purpose] == []


def test_old_tools_are_enough(root: Path) -> None:
    """The make of macOS is GNU make 3.81, its shell bash 3.2, and its tools are BSD's."""
    makefile = (root / "Makefile").read_text()
    newer = r"\.ONESHELL|\$\((?:file|guile|let|intcmp) |^undefine|!=|::="
    assert re.findall(newer, makefile, re.MULTILINE) == []
    # make 3.81 looks for a program of this name unless something needs a shell.
    assert re.findall(r"\$\(shell command -v [^)>]*\)", makefile) == []
    gnu = r"\b(?:timeout \d|sha256sum|nproc|readlink -f|xargs -r|sort -V|grep -P|sed -i|date -d)"
    for script in (makefile, (root / "scripts/setup.sh").read_text()):
        assert re.findall(gnu, script) == []


def test_documents_name_targets_that_exist(
    targets: dict[str, str], committed_texts: dict[str, str]
) -> None:
    """Whatever a document tells to run with make can be run with make."""
    named = {
        (name, target)
        for name, text in committed_texts.items()
        if name.endswith(".md")
        for command in COMMAND.findall(text)
        for target in command.split()
    }
    assert ("CONTRIBUTING.md", "demo") in named
    assert {(name, target) for name, target in named if target not in targets} == set()
