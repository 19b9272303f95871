"""Protobuf's JSON form of the messages to a bot: what the library writes, but sooner.

The library looks at the description of every field each time, which takes two to three times as
long; here that is done once for each. Only the kinds of fields that the protocol has are known.
"""

import json
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def json_form(message: Message) -> str:
    """Return a message as JSON on one line, in ASCII, without what has its default."""
    return _encode(_fields(message))


def _fields(message: Message) -> dict[str, Any]:
    """Return the fields that are set, as values for JSON."""
    form = {}
    for field, value in message.ListFields():
        known = _KNOWN.get(field)
        if known is None:
            known = _KNOWN[field] = field.json_name, _writer(field)
        name, write = known
        form[name] = write(value) if write else value
    return form


_KNOWN: dict[Any, tuple[str, Callable[[Any], Any] | None]] = {}
"""The name of each field and what turns its value into one for JSON, if it is none already."""


def _writer(field: Any) -> Callable[[Any], Any] | None:
    write = _item_writer(field)
    if not field.is_repeated:
        return write
    return list if write is None else lambda items: [write(item) for item in items]


def _item_writer(field: Any) -> Callable[[Any], Any] | None:
    if field.type in {field.TYPE_STRING, field.TYPE_BOOL}:
        return None
    if field.type in {field.TYPE_UINT32, field.TYPE_INT32, field.TYPE_SINT32}:
        return None
    if field.type == field.TYPE_MESSAGE:
        return _fields
    if field.type == field.TYPE_ENUM:
        names = {value.number: value.name for value in field.enum_type.values}
        return lambda number: names.get(number, number)
    if field.type == field.TYPE_BYTES:
        return lambda data: b64encode(data).decode()
    raise TypeError(f"no message to a bot has a field such as {field.full_name}")
