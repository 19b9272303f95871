from courtyard.v1 import courtisans_pb2 as _courtisans_pb2
from courtyard.v1 import miracles_pb2 as _miracles_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GameConfig(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansConfig
    miracles: _miracles_pb2.MiraclesConfig
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansConfig, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesConfig, _Mapping]] = ...) -> None: ...

class GameObservation(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansObservation
    miracles: _miracles_pb2.MiraclesObservation
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansObservation, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesObservation, _Mapping]] = ...) -> None: ...

class GameLegal(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansLegal
    miracles: _miracles_pb2.MiraclesLegal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansLegal, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesLegal, _Mapping]] = ...) -> None: ...

class GameAction(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansAction
    miracles: _miracles_pb2.MiraclesAction
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansAction, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesAction, _Mapping]] = ...) -> None: ...

class GameEvent(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansEvent
    miracles: _miracles_pb2.MiraclesEvent
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansEvent, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesEvent, _Mapping]] = ...) -> None: ...

class GameDeal(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansDeal
    miracles: _miracles_pb2.MiraclesDeal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansDeal, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesDeal, _Mapping]] = ...) -> None: ...

class GameResult(_message.Message):
    __slots__ = ("courtisans", "miracles")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansResult
    miracles: _miracles_pb2.MiraclesResult
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansResult, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesResult, _Mapping]] = ...) -> None: ...
