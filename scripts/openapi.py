"""Write docs/openapi.json, which describes the author API, unless a change would break clients."""

import json
import sys
from pathlib import Path
from typing import Any

from ladder.server.api.routes import make_api

FILE = Path(__file__).parents[1] / "docs" / "openapi.json"
METHODS = ("get", "head", "put", "post", "patch", "delete")


def generated() -> dict[str, Any]:
    """Return the description that the code generates."""
    return make_api().openapi()


def text_of(described: dict[str, Any]) -> str:
    """Return a description as it is stored."""
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


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
    gone = [] if _answer(was) == _answer(now) else [f"{name} answers something else"]
    gone += [f"{name}: the parameter {each} is gone" for each in before if each not in after]
    return gone + [
        f"{name}: the parameter {each} is required"
        for each, given in after.items()
        if given.get("required") and not before.get(each, {}).get("required")
    ]


def _answer(route: dict[str, Any]) -> list[Any]:
    """Return what types a route answers with."""
    return [
        (status, kind, _kind(content.get("schema", {})))
        for status, answer in sorted(route["responses"].items())
        for kind, content in answer.get("content", {}).items()
    ]


def _schema_breaks(name: str, was: dict[str, Any], now: dict[str, Any]) -> list[str]:
    fields = now.get("properties", {})
    found = [f"{name}.{each} is gone" for each in was.get("properties", {}) if each not in fields]
    for each, field in was.get("properties", {}).items():
        if each in fields and _kind(field) != _kind(fields[each]):
            found.append(f"{name}.{each} has another type")
    is_sent = now.get("additionalProperties") is False
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
    if FILE.exists() and (broken := breaks(json.loads(FILE.read_text()), described)):
        sys.exit("clients would break:\n" + "\n".join(broken))
    FILE.write_text(text_of(described))


if __name__ == "__main__":
    main()
