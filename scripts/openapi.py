"""Write docs/openapi.json, which describes the author API, unless a change would break clients."""

import json
import subprocess
import sys
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from ladder.server.api.routes import make_api

FILE = Path(__file__).parents[1] / "docs" / "openapi.json"
_LAST = 2
METHODS = ("get", "head", "put", "post", "patch", "delete")


def generated() -> dict[str, Any]:
    """Return the description that the code generates."""
    return make_api().openapi()


def text_of(described: dict[str, Any]) -> str:
    """Return a description as it is stored."""
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def promised() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what earlier commits promised, by commit, the newest first.

    These are the branch to which changes go, the last two commits that changed the file, and of
    each version of the API the last one. Without git, or in a clone without history, none is known.
    """
    where = f"docs/{FILE.name}"
    told = set[str]()
    for number, commit in enumerate(["origin/main", *_git("log", "--format=%h", where).split()]):
        if text := _git("show", f"{commit}:{where}"):
            described = json.loads(text)
            version = described["info"]["version"]
            if number <= _LAST or version not in told:
                yield commit, described
            told.add(version)


def _git(*words: str) -> str:
    """Return what a git command prints; nothing if it fails."""
    try:
        done = subprocess.run(
            ["git", *words], cwd=FILE.parents[1], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def breaks(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return what clients of one description miss in another, a line each."""
    found: list[str] = []
    for path, was in old["paths"].items():
        for method in METHODS:
            if method in was:
                now = new["paths"].get(path, {}).get(method)
                found += _route_breaks(f"{method.upper()} {path}", was[method], now)
    schemas = new["components"]["schemas"]
    for name, schema in old["components"]["schemas"].items():
        found += _schema_breaks(name, schema, schemas.get(name, {}))
    return found


def _route_breaks(name: str, was: dict[str, Any], now: dict[str, Any] | None) -> list[str]:
    if now is None:
        return [f"{name} is gone"]
    before = {each["name"]: each for each in was.get("parameters", ())}
    after = {each["name"]: each for each in now.get("parameters", ())}
    gone = [
        f"{name} no longer answers with {each}"
        for each in was["responses"]
        if each not in now["responses"]
    ]
    if not gone and not _answer(was) <= _answer(now):
        gone = [f"{name} answers something else"]
    gone += [f"{name}: the parameter {each} is gone" for each in before if each not in after]
    for each in before.keys() & after.keys():
        narrower = _is_narrower(before[each]["schema"], after[each]["schema"])
        gone += [f"{name}: the parameter {each} takes less"] if narrower else []
    return gone + [
        f"{name}: the parameter {each} is required"
        for each, given in after.items()
        if given.get("required") and not before.get(each, {}).get("required")
    ]


def _answer(route: dict[str, Any]) -> set[tuple[str, str, str]]:
    """Return what types a route answers with, by status and kind of content."""
    return {
        (status, kind, str(_kind(content.get("schema", {}))))
        for status, answer in route["responses"].items()
        for kind, content in answer.get("content", {}).items()
    }


def _schema_breaks(name: str, was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    fields = now.get("properties", {})
    found = [f"{name}.{each} is gone" for each in was.get("properties", {}) if each not in fields]
    for each, field in was.get("properties", {}).items():
        if each in fields and _kind(field) != _kind(fields[each]):
            found.append(f"{name}.{each} has another type")
    is_sent = now.get("additionalProperties") is False
    if is_sent:
        found += [
            f"{name}.{each} takes less"
            for each, field in was.get("properties", {}).items()
            if each in fields and _is_narrower(field, fields[each])
        ]
    else:
        found += [
            f"{name}.{each} may be absent"
            for each in was.get("required", ())
            if each in fields and each not in now.get("required", ())
        ]
    found += [
        f"{name}.{each} is required"
        for each in now.get("required", ())
        if is_sent and each not in was.get("required", ())
    ]
    found += [
        f"{name} no longer has the value {each}"
        for each in was.get("enum", ())
        if each not in now.get("enum", ())
    ]
    return found


def _is_narrower(was: dict[str, Any], now: dict[str, Any]) -> bool:
    """Return whether something to be sent must now fit other types, or tighter limits."""
    most = (now.get(each, inf) < was.get(each, inf) for each in ("maximum", "maxLength"))
    least = (now.get(each, -inf) > was.get(each, -inf) for each in ("minimum", "minLength"))
    as_written = now.get("pattern") not in (None, was.get("pattern"))
    return _kind(was) != _kind(now) or as_written or any(most) or any(least)


def _kind(field: dict[str, Any]) -> Any:
    """Return what type a field has, without words and limits."""
    kept = ("type", "$ref", "format", "const", "items", "additionalProperties")
    found = {key: field[key] for key in kept if key in field}
    if "anyOf" in field:
        found["anyOf"] = sorted((_kind(each) for each in field["anyOf"]), key=str)
    return found


def main() -> None:
    """Write the file."""
    described = generated()
    for commit, old in promised():
        if broken := breaks(old, described):
            sys.exit(f"clients of {commit} would break:\n" + "\n".join(broken))
    FILE.write_text(text_of(described))


if __name__ == "__main__":
    main()
