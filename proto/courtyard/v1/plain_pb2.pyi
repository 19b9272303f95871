from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlainPosition(_message.Message):
    __slots__ = ("text", "facts", "features", "step", "prompt", "options")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    text: _containers.RepeatedScalarFieldContainer[str]
    facts: str
    features: _containers.RepeatedScalarFieldContainer[float]
    step: int
    prompt: str
    options: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, text: _Optional[_Iterable[str]] = ..., facts: _Optional[str] = ..., features: _Optional[_Iterable[float]] = ..., step: _Optional[int] = ..., prompt: _Optional[str] = ..., options: _Optional[_Iterable[str]] = ...) -> None: ...

class PlainConfig(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...

class PlainDeal(_message.Message):
    __slots__ = ("json",)
    JSON_FIELD_NUMBER: _ClassVar[int]
    json: str
    def __init__(self, json: _Optional[str] = ...) -> None: ...

class PlainObservation(_message.Message):
    __slots__ = ("text", "facts", "features")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    text: _containers.RepeatedScalarFieldContainer[str]
    facts: str
    features: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, text: _Optional[_Iterable[str]] = ..., facts: _Optional[str] = ..., features: _Optional[_Iterable[float]] = ...) -> None: ...

class PlainLegal(_message.Message):
    __slots__ = ("prompt", "options")
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    prompt: str
    options: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, prompt: _Optional[str] = ..., options: _Optional[_Iterable[str]] = ...) -> None: ...

class PlainAction(_message.Message):
    __slots__ = ("path", "labels")
    PATH_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    path: _containers.RepeatedScalarFieldContainer[int]
    labels: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, path: _Optional[_Iterable[int]] = ..., labels: _Optional[_Iterable[str]] = ...) -> None: ...

class PlainEvent(_message.Message):
    __slots__ = ("text", "told")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOLD_FIELD_NUMBER: _ClassVar[int]
    text: str
    told: _containers.RepeatedCompositeFieldContainer[PlainToldSeat]
    def __init__(self, text: _Optional[str] = ..., told: _Optional[_Iterable[_Union[PlainToldSeat, _Mapping]]] = ...) -> None: ...

class PlainToldSeat(_message.Message):
    __slots__ = ("seat", "text")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    text: str
    def __init__(self, seat: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class PlainResult(_message.Message):
    __slots__ = ("points", "text")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    text: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, points: _Optional[_Iterable[int]] = ..., text: _Optional[_Iterable[str]] = ...) -> None: ...
