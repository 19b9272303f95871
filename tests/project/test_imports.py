"""Who may import whom, as docs/architecture.md says it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def imported(path: Path) -> Iterator[str]:
    """The absolute names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not used here"
            yield node.module or ""


def test_contracts_hold(root: Path) -> None:
    """import-linter finds every contract of pyproject.toml kept."""
    linter = Path(sys.executable).with_name("lint-imports").as_posix()
    command = [linter, "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_rules_need_only_the_standard_library(root: Path) -> None:
    """`referee.games` imports itself and the standard library, so that any program can hold it."""
    allowed = {*sys.stdlib_module_names, "referee.games"}
    foreign = [
        f"{path.relative_to(root)} imports {name}"
        for path in sorted((root / "referee" / "games").rglob("*.py"))
        for name in imported(path)
        if not {name.split(".")[0], ".".join(name.split(".")[:2])} & allowed
    ]
    assert not foreign
