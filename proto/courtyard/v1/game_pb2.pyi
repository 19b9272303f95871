from courtyard.v1 import courtisans_pb2 as _courtisans_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GameConfig(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansConfig
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansConfig, _Mapping]] = ...) -> None: ...

class GameObservation(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansObservation
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansObservation, _Mapping]] = ...) -> None: ...

class GameLegal(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansLegal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansLegal, _Mapping]] = ...) -> None: ...

class GameAction(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansAction
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansAction, _Mapping]] = ...) -> None: ...

class GameEvent(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansEvent
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansEvent, _Mapping]] = ...) -> None: ...

class GameDeal(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansDeal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansDeal, _Mapping]] = ...) -> None: ...

class GameResult(_message.Message):
    __slots__ = ("courtisans",)
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansResult
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansResult, _Mapping]] = ...) -> None: ...
