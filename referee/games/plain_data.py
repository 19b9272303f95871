"""Plain data and its one JSON form."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from referee.games.base import ConfigError


def to_json(value: Any) -> str:
    """Return plain data as JSON, the same text for equal data; raise `ValueError` for others."""
    try:
        return json.dumps(
            value,
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
            sort_keys=True,
            default=_as_dict,
        )
    except (TypeError, RecursionError) as error:
        raise ValueError(f"it is no plain data: {error}") from None


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} {value!r:.60}")


def facts_of(value: Any) -> Any:
    """Return a game's value as plain data: named fields as a mapping, enums by name."""
    kind = type(value)
    make = _FACTS.get(kind) or _FACTS.setdefault(kind, _facts_of(kind))
    return make(value)


_FACTS: dict[type[Any], Callable[[Any], Any]] = {}
"""Functions that make facts, by type of the value: a position has hundreds of a few types."""


def _facts_of(kind: type[Any]) -> Callable[[Any], Any]:
    if issubclass(kind, Enum):
        return {member: member.name.lower() for member in kind}.__getitem__
    if issubclass(kind, tuple) and (names := getattr(kind, "_fields", ())):
        return lambda value: {n: facts_of(inner) for n, inner in zip(names, value, strict=True)}
    if is_dataclass(kind):
        names = tuple(one.name for one in fields(kind))
        return lambda value: {name: facts_of(getattr(value, name)) for name in names}
    if issubclass(kind, Mapping):
        return lambda value: {str(facts_of(key)): facts_of(v) for key, v in value.items()}
    if issubclass(kind, tuple | list | frozenset):
        return lambda value: [facts_of(inner) for inner in value]
    return lambda value: value


def from_json(text: str) -> Any:
    """Return the data of a JSON text, with tuples for lists; raise `ConfigError` if it is none."""
    try:
        return frozen(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"no plain data: {error}") from None


def frozen(value: Any) -> Any:
    """Return plain data with tuples for lists."""
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, Mapping):
        return {key: frozen(inner) for key, inner in value.items()}
    return value


def config_from(defaults: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration with these fields set; raise `ConfigError` on a bad one."""
    for name, value in wanted.items():
        if name not in defaults:
            known = f"known: {', '.join(defaults)}" if defaults else "it has no settings"
            raise ConfigError(f"unknown setting {name!r}; {known}")
        if not _is_like(defaults[name], value):
            kind = type(defaults[name]).__name__
            raise ConfigError(f"{name} is {value!r}: it must be of the type {kind}")
    return {name: frozen(wanted.get(name, default)) for name, default in defaults.items()}


def _is_like(default: Any, value: Any) -> bool:
    """Whether a value has the type of a default; a whole number is also a float."""
    if isinstance(default, float):
        return type(value) in {int, float}
    if isinstance(default, list | tuple):
        return isinstance(value, list | tuple)
    return type(value) is type(default)
