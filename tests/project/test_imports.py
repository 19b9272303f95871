"""Who may import whom, as docs/architecture.md says it."""

import ast
import re
import sys
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp


def imported(path: Path) -> Iterator[str]:
    """The absolute names of the modules that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports are not used here"
            yield node.module or ""


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


def circle(imports: Mapping[str, Collection[str]]) -> list[str]:
    """Return modules of which each imports the one before it, and the first the last; or none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    """Nowhere does a module need one that needs it, not even by an import within a function."""
    graph = grimp.build_graph(
        "referee",
        "ladder",
        "courtyard_kit",
        cache_dir=None,
        exclude_type_checking_imports=True,
    )
    assert len(graph.modules) > 300
    assert not circle({one: graph.find_modules_directly_imported_by(one) for one in graph.modules})


def test_the_typescript_kit_has_no_circle(root: Path) -> None:
    """The same of the modules of the kit in TypeScript, their types included."""
    paths = sorted((root / "sample_bots/typescript/src").glob("*.ts"))
    assert len(paths) > 2
    assert not circle(
        {p.stem: re.findall(r'(?m)^import .* from "\./(\w+)"', p.read_text()) for p in paths}
    )
