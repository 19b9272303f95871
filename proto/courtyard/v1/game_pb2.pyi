from courtyard.v1 import courtisans_pb2 as _courtisans_pb2
from courtyard.v1 import miracles_pb2 as _miracles_pb2
from courtyard.v1 import plain_pb2 as _plain_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GameConfig(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansConfig
    miracles: _miracles_pb2.MiraclesConfig
    plain: _plain_pb2.PlainConfig
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansConfig, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesConfig, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainConfig, _Mapping]] = ...) -> None: ...

class GameObservation(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansObservation
    miracles: _miracles_pb2.MiraclesObservation
    plain: _plain_pb2.PlainObservation
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansObservation, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesObservation, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainObservation, _Mapping]] = ...) -> None: ...

class GameLegal(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansLegal
    miracles: _miracles_pb2.MiraclesLegal
    plain: _plain_pb2.PlainLegal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansLegal, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesLegal, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainLegal, _Mapping]] = ...) -> None: ...

class GameAction(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansAction
    miracles: _miracles_pb2.MiraclesAction
    plain: _plain_pb2.PlainAction
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansAction, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesAction, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainAction, _Mapping]] = ...) -> None: ...

class GameEvent(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansEvent
    miracles: _miracles_pb2.MiraclesEvent
    plain: _plain_pb2.PlainEvent
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansEvent, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesEvent, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainEvent, _Mapping]] = ...) -> None: ...

class GameDeal(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansDeal
    miracles: _miracles_pb2.MiraclesDeal
    plain: _plain_pb2.PlainDeal
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansDeal, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesDeal, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainDeal, _Mapping]] = ...) -> None: ...

class GameResult(_message.Message):
    __slots__ = ("courtisans", "miracles", "plain")
    COURTISANS_FIELD_NUMBER: _ClassVar[int]
    MIRACLES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    courtisans: _courtisans_pb2.CourtisansResult
    miracles: _miracles_pb2.MiraclesResult
    plain: _plain_pb2.PlainResult
    def __init__(self, courtisans: _Optional[_Union[_courtisans_pb2.CourtisansResult, _Mapping]] = ..., miracles: _Optional[_Union[_miracles_pb2.MiraclesResult, _Mapping]] = ..., plain: _Optional[_Union[_plain_pb2.PlainResult, _Mapping]] = ...) -> None: ...
