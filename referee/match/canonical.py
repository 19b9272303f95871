"""Find where a JSON text departs from the canonical JSON form of its message.

Protobuf's JSON parser is generous: it reads `3`, `"3"`, `"+3"` and `3.0` as one number, ignores
junk in base64, and takes numbers for enums. Thus many texts decode to one message, and a record
could be tampered with unseen. This module therefore compares texts token by token. White space, key
order, and omitted defaults make no difference; anything else does.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from referee.core.errors import UsageError
from referee.core.plain import plain, shortened

Tree = str | list[Any] | dict[str, Any]
"""A JSON value; keys and scalars are spelled as in the text, strings with quotes and escapes."""

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]]|[^\s{}\[\]:,"]+')
_PLAIN_NAME = re.compile(r"\w+", re.ASCII)
_FIELD_OF_PARSER = re.compile(r"Failed to parse \w+ field: ")
_PLACE_OF_PARSER = re.compile(r'(.*) at "?Record\.?([\w.\[\]]*)"?')
_LONGEST_SHOWN = 60


def to_json(message: Message) -> str:
    """Return the canonical JSON of a message: proto3 JSON with the field names of the .proto.

    Includes fields without presence at their defaults.
    """
    return json_format.MessageToJson(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def from_json(text: str, message: Message) -> tuple[Tree, list[str]]:
    """Parse a JSON object into a message; return the text's tree and its problems.

    The problems are one line for each duplicate key and each value that the message cannot hold;
    the message is complete only if there are none. Raise `UsageError` if the text is not a JSON
    object.
    """
    if not text.lstrip().startswith("{"):
        raise UsageError("it is not a JSON object")
    try:
        value = json.loads(text)
        twice: list[str] = []
        tree = _tree(_tokens(text), "", twice)
        if twice:
            return tree, twice
        _parse(value, message)
    except json_format.ParseError as error:
        unreadable = list(_unreadable(value, message.DESCRIPTOR, ""))
        return tree, unreadable or [_placed(_problem(error))]
    except json.JSONDecodeError as error:
        raise UsageError(_problem(error)) from None
    except RecursionError:
        raise UsageError("its lists and objects are nested too deeply") from None
    except ValueError:  # the one other that `loads` raises
        raise UsageError("it has a number of too many digits") from None
    return tree, []


def departures(written: Tree, message: Message) -> Iterator[str]:
    """Yield a line for each field that the text writes in another than its canonical form."""
    yield from _departures(written, _tree(_tokens(to_json(message)), "", []), "")


def _parse(value: Any, message: Message) -> None:
    """Fill a message from a JSON object; raise `ParseError` for whatever it cannot hold.

    `ParseDict` raises half a dozen other errors as well, such as `OverflowError` for 1e999.
    """
    try:
        json_format.ParseDict(value, message)
    except json_format.ParseError:
        raise
    except Exception as error:
        raise json_format.ParseError(str(error)) from error


def _tokens(text: str) -> Iterator[str]:
    return (found.group() for found in _TOKEN.finditer(text))


def _tree(tokens: Iterator[str], path: str, twice: list[str]) -> Tree:
    """Return the next value of a valid JSON text; append duplicate keys to `twice`."""
    first = next(tokens)
    if first == "{":
        return _object(tokens, path, twice)
    if first == "[":
        return _array(tokens, path, twice)
    return first


def _object(tokens: Iterator[str], path: str, twice: list[str]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    seen: set[str] = set()
    while (key := next(tokens)) != "}":
        name = _field_name(key)
        inner = _below(path, name)
        if name in seen:
            twice.append(f"{inner}: duplicate key, the object has it already")
        seen.add(name)
        members[key] = _tree(tokens, inner, twice)
    return members


def _array(tokens: Iterator[str], path: str, twice: list[str]) -> list[Any]:
    items: list[Any] = []
    while (first := next(tokens)) != "]":
        inner = f"{path}[{len(items)}]"
        if first == "{":
            items.append(_object(tokens, inner, twice))
        elif first == "[":
            items.append(_array(tokens, inner, twice))
        else:
            items.append(first)
    return items


def _field_name(key: str) -> str:
    """Return the .proto name of a key, which may be in lowerCamelCase."""
    name: str = json.loads(key)
    return re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def _below(path: str, name: str) -> str:
    """Return the path of a field in the object at this path."""
    shown = name if _PLAIN_NAME.fullmatch(name) else _shown(json.dumps(name))
    return f"{path}.{shown}" if path else shown


def _departures(written: Tree, canonical: Tree, path: str) -> Iterator[str]:
    if isinstance(written, dict) and isinstance(canonical, dict):
        for key, value in written.items():
            name = _field_name(key)
            inner, known = _below(path, name), f'"{name}"'
            if known not in canonical:
                yield f"{inner}: it is {_shown(value)}, the canonical form has no such field"
                continue
            if known != key:
                yield f"{inner}: its name is {_shown(key)}, the canonical form is {known}"
            yield from _departures(value, canonical[known], inner)
    elif isinstance(written, list) and isinstance(canonical, list):
        for i, (one, other) in enumerate(zip(written, canonical, strict=True)):
            yield from _departures(one, other, f"{path}[{i}]")
    elif written != canonical:
        yield f"{path}: it is {_shown(written)}, the canonical form is {_shown(canonical)}"


def _shown(value: Tree) -> str:
    """Return a value as in the text, in ASCII and shortened."""
    if not isinstance(value, str):
        return "an object" if isinstance(value, dict) else "a list"
    ascii_only = value.encode("ascii", "backslashreplace").decode()
    return ascii_only if len(value) <= _LONGEST_SHOWN else f"{ascii_only[:_LONGEST_SHOWN]}…"


def _unreadable(value: Any, descriptor: Any, path: str) -> Iterator[str]:
    """Yield a line for each part of a JSON value that a message of this type cannot hold."""
    fields = {name: one for one in descriptor.fields for name in (one.name, one.json_name)}
    for key, inner in value.items():
        field = fields.get(key)
        at = _below(path, field.name if field else key)
        if field is None:
            yield f"{at}: no field named {_shown(json.dumps(key))}"
        elif field.is_repeated and isinstance(inner, list):
            for i, item in enumerate(inner):
                yield from _unreadable_part(item, [item], field, f"{at}[{i}]")
        else:
            yield from _unreadable_part(inner, inner, field, at)


def _unreadable_part(value: Any, whole: Any, field: Any, path: str) -> Iterator[str]:
    """Do the same for one item or field; `whole` is the value to parse as the field."""
    if field.message_type is not None and isinstance(value, dict):
        yield from _unreadable(value, field.message_type, path)
        return
    try:
        _parse({field.name: whole}, GetMessageClass(field.containing_type)())
    except json_format.ParseError as error:
        yield f"{path}: {_problem(error)}"


def _problem(error: Exception) -> str:
    """Return a parser's error in one short line, without its chain of field names."""
    return shortened(plain(_FIELD_OF_PARSER.sub("", " ".join(str(error).split())).rstrip(".")))


def _placed(problem: str) -> str:
    """Return a parser's error with its path in front."""
    found = _PLACE_OF_PARSER.fullmatch(problem)
    return f"{found[2]}: {found[1]}" if found and found[2] else problem
