"""Write docs/facts: the JSON Schema of what a bot of the plain dialect gets as `facts`.

Usage: python scripts/facts.py [FOLDER]. They go to FOLDER, or to docs/facts/.

`facts` is an observation as JSON, so its types and the lines below its fields say all.
"""

import ast
import inspect
import json
import sys
import types
from collections.abc import Iterator, Mapping
from enum import IntEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from referee.games import game_named
from referee.games.courtisans.observation import Observation as CourtisansObservation
from referee.games.miracles.observation import Observation as MiraclesObservation

FOLDER = Path(__file__).parents[1] / "docs" / "facts"
OBSERVATIONS: Mapping[str, type] = {
    "courtisans": CourtisansObservation,
    "miracles": MiraclesObservation,
}
_SIMPLE = {int: "integer", bool: "boolean", types.NoneType: "null"}


def schema_of(game: str) -> dict[str, Any]:
    """Return the schema of a game's facts."""
    definitions: dict[str, Any] = {}
    whole = _object(OBSERVATIONS[game], definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Facts of {game_named(game).title}, rules version "
        f"{game_named(game).rules_version}",
        **whole,
        "$defs": dict(sorted(definitions.items())),
    }


def _object(kind: type, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a named tuple."""
    notes = dict(_notes(kind))
    properties = {
        name: _of_type(hint, definitions) | ({"description": notes[name]} if name in notes else {})
        for name, hint in get_type_hints(kind).items()
    }
    return {
        "description": _one_line(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _of_type(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _of_type(get_args(hint)[0], definitions)}
    if isinstance(hint, types.UnionType):
        return {"anyOf": [_of_type(one, definitions) for one in get_args(hint)]}
    if hint.__name__ not in definitions:
        definitions[hint.__name__] = {}
        definitions[hint.__name__] = (
            _enum(hint) if issubclass(hint, IntEnum) else _object(hint, definitions)
        )
    return {"$ref": f"#/$defs/{hint.__name__}"}


def _enum(kind: type[IntEnum]) -> dict[str, Any]:
    return {
        "description": _one_line(kind.__doc__ or ""),
        "enum": [one.name.lower() for one in kind],
    }


def _notes(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the fields of a class that a string below describes."""
    (body,) = ast.parse(inspect.getsource(kind)).body
    if not isinstance(body, ast.ClassDef):
        raise TypeError(f"{kind} is no class")
    for line, below in zip(body.body, body.body[1:], strict=False):
        match line, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(note))),
            ):
                yield name, _one_line(note)


def _one_line(text: str) -> str:
    return " ".join(text.replace("None", "null").split())


def write(folder: Path) -> None:
    """Write the schema of each game."""
    for game in OBSERVATIONS:
        text = json.dumps(schema_of(game), indent=1, ensure_ascii=False)
        (folder / f"{game}.schema.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
