"""What the .proto files say of messages: which fields they have, and their canonical bytes."""

import base64
import re
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]


class Field(NamedTuple):
    """A field of a message."""

    label: str
    """`repeated`, `optional`, `oneof` or nothing."""
    type: str
    name: str
    number: int


class Messages:
    """All messages and enums of a folder of .proto files."""

    def __init__(self, folder: Path) -> None:
        self.fields: dict[str, list[Field]] = {}
        self.enums: dict[str, list[str]] = {}
        for path in folder.glob("*.proto"):
            text = re.sub("//.*", "", path.read_text(encoding="utf-8"))
            block = r"\b(enum|message)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
            for kind, name, body in re.findall(block, text):
                if kind == "enum":
                    self.enums[name] = re.findall(r"(\w+)\s*=", body)
                else:
                    self.fields[name] = fields_of(body)

    def filled(self, name: str, value: Json) -> Json:
        """A message in JSON with all defaults that it leaves out."""
        fields = self.fields[name]
        if unknown := value.keys() - {field.name for field in fields}:
            raise ValueError(f"{name} has no {', '.join(unknown)}")
        return {
            field.name: self._filled(field, value.get(field.name))
            for field in fields
            if field.name in value or not self.has_presence(field)
        }

    def has_presence(self, field: Field) -> bool:
        """Whether a field can be absent, and not only at its default."""
        return field.label in ("optional", "oneof") or (
            field.label != "repeated" and field.type in self.fields
        )

    def _filled(self, field: Field, value: Any) -> Any:
        if field.label == "repeated":
            return [self._filled(field._replace(label=""), item) for item in value or []]
        if field.type in self.fields:
            return self.filled(field.type, value)
        return self._default(field.type) if value is None else value

    def _default(self, kind: str) -> Any:
        zeros = {"bool": False, "string": "", "bytes": "", "uint64": "0"}
        return self.enums[kind][0] if kind in self.enums else zeros.get(kind, 0)

    def encoded(self, name: str, value: Json) -> bytes:
        """The canonical serialisation of a message in JSON."""
        out = b""
        for field in sorted(self.fields[name], key=lambda field: field.number):
            if field.name in value:
                out += self._encoded(field, value[field.name])
        return out

    def _encoded(self, field: Field, value: Any) -> bytes:
        in_bytes = field.type in self.fields or field.type in ("string", "bytes")
        if field.label != "repeated":
            if value == self._default(field.type) and not self.has_presence(field):
                return b""
            return tag(field, in_bytes) + self._content(field.type, value)
        if in_bytes:
            return b"".join(tag(field, in_bytes) + self._content(field.type, one) for one in value)
        packed = b"".join(self._content(field.type, one) for one in value)
        return tag(field, in_bytes=True) + varint(len(packed)) + packed if packed else b""

    def _content(self, kind: str, value: Any) -> bytes:
        if kind in self.enums:
            return varint(self.enums[kind].index(value))
        if kind in self.fields:
            data = self.encoded(kind, value)
        elif kind == "string":
            data = value.encode()
        elif kind == "bytes":
            data = base64.b64decode(value)
        else:
            number = int(value)
            return varint(2 * abs(number) - (number < 0) if kind == "sint32" else number % 2**64)
        return varint(len(data)) + data


def fields_of(body: str) -> list[Field]:
    """The fields in the body of a message."""
    found = []
    for part in re.findall(r"oneof\s+\w+\s*\{[^{}]*\}|[^;{}]*;", body):
        in_oneof = part.startswith("oneof")
        for label, kind, name, number in re.findall(
            r"(?:(optional|repeated)\s+)?(\w+)\s+(\w+)\s*=\s*(\d+)", part
        ):
            found.append(Field("oneof" if in_oneof else label, kind, name, int(number)))
    return found


def tag(field: Field, in_bytes: bool) -> bytes:  # noqa: FBT001
    """What stands before a field."""
    return varint(field.number << 3 | (2 if in_bytes else 0))


def varint(number: int) -> bytes:
    """A number in base 128, the least significant group first."""
    out = b""
    while number > 127:
        out += bytes([number % 128 + 128])
        number //= 128
    return out + bytes([number])
