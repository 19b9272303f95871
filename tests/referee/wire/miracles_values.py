"""Strategies for values of La Cour des Miracles, by the types of their fields.

The values need not make sense together: what is right of any is right of those of a game.
"""

from collections.abc import Mapping
from enum import IntEnum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from referee.games.miracles.pieces import LINES, Neighbourhood, RenownPlace

numbers = st.integers(0, 40) | st.integers(0, 2**32 - 1)
enums = st.integers(-1, 14) | st.integers(-(2**31), 2**31 - 1)
renown_places = st.builds(RenownPlace, st.sampled_from(Neighbourhood), st.just(0)) | st.builds(
    RenownPlace, st.none(), st.sampled_from(LINES)
)

_PLAIN: Mapping[Any, st.SearchStrategy[Any]] = {
    int: numbers,
    bool: st.booleans(),
    str: st.text(),
    NoneType: st.none(),
    RenownPlace: renown_places,
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of a type of the game."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if get_origin(kind) in (Union, UnionType):
        return st.one_of([values_of(one) for one in get_args(kind)])
    if get_origin(kind) is tuple:
        return st.lists(values_of(get_args(kind)[0]), max_size=6).map(tuple)
    if issubclass(kind, IntEnum):
        return st.sampled_from(kind)
    hints = get_type_hints(kind)
    return st.builds(kind, *[values_of(hints[name]) for name in kind._fields])


def messages_of(kind: type[Message]) -> st.SearchStrategy[Any]:
    """Any message of a type, whatever strangers may write into it; of a oneof any or none."""
    descriptor = kind.DESCRIPTOR
    ordinary = [field for field in descriptor.fields if field.containing_oneof is None]
    parts = st.fixed_dictionaries({}, optional={f.name: _contents_of(f) for f in ordinary})
    kinds = [field for oneof in descriptor.oneofs for field in oneof.fields]
    one_kind = [st.fixed_dictionaries({f.name: _contents_of(f)}) for f in kinds]
    return st.one_of([parts, *one_kind]).map(lambda content: kind(**content))


def _contents_of(field: Any) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        return messages_of(GetMessageClass(field.message_type))
    if field.enum_type is not None:
        return enums
    return st.booleans() if field.type == FieldDescriptor.TYPE_BOOL else numbers
