from courtyard.v1 import game_pb2 as _game_pb2
from courtyard.v1 import plain_pb2 as _plain_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FaultKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAULT_KIND_UNSPECIFIED: _ClassVar[FaultKind]
    FAULT_KIND_FAILED_TO_START: _ClassVar[FaultKind]
    FAULT_KIND_TIMEOUT: _ClassVar[FaultKind]
    FAULT_KIND_DISCONNECTED: _ClassVar[FaultKind]
    FAULT_KIND_PROTOCOL_ERROR: _ClassVar[FaultKind]
    FAULT_KIND_ILLEGAL_ACTION: _ClassVar[FaultKind]
FAULT_KIND_UNSPECIFIED: FaultKind
FAULT_KIND_FAILED_TO_START: FaultKind
FAULT_KIND_TIMEOUT: FaultKind
FAULT_KIND_DISCONNECTED: FaultKind
FAULT_KIND_PROTOCOL_ERROR: FaultKind
FAULT_KIND_ILLEGAL_ACTION: FaultKind

class BotMessage(_message.Message):
    __slots__ = ("match_id", "hello", "decision")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    HELLO_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    hello: Hello
    decision: Decision
    def __init__(self, match_id: _Optional[str] = ..., hello: _Optional[_Union[Hello, _Mapping]] = ..., decision: _Optional[_Union[Decision, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("protocol_version", "name", "seat_token", "max_matches", "resumes", "plain")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MAX_MATCHES_FIELD_NUMBER: _ClassVar[int]
    RESUMES_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    name: str
    seat_token: str
    max_matches: int
    resumes: bool
    plain: bool
    def __init__(self, protocol_version: _Optional[int] = ..., name: _Optional[str] = ..., seat_token: _Optional[str] = ..., max_matches: _Optional[int] = ..., resumes: _Optional[bool] = ..., plain: _Optional[bool] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("number", "action", "choice", "stand_in")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    number: int
    action: _game_pb2.GameAction
    choice: int
    stand_in: bool
    def __init__(self, number: _Optional[int] = ..., action: _Optional[_Union[_game_pb2.GameAction, _Mapping]] = ..., choice: _Optional[int] = ..., stand_in: _Optional[bool] = ...) -> None: ...

class RefereeMessage(_message.Message):
    __slots__ = ("match_id", "welcome", "request", "fault", "end")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    welcome: Welcome
    request: DecisionRequest
    fault: Fault
    end: MatchEnd
    def __init__(self, match_id: _Optional[str] = ..., welcome: _Optional[_Union[Welcome, _Mapping]] = ..., request: _Optional[_Union[DecisionRequest, _Mapping]] = ..., fault: _Optional[_Union[Fault, _Mapping]] = ..., end: _Optional[_Union[MatchEnd, _Mapping]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol_version", "referee_version", "name", "replaced")
    PROTOCOL_VERSION_FIELD_NUMBER: _ClassVar[int]
    REFEREE_VERSION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    protocol_version: int
    referee_version: str
    name: str
    replaced: str
    def __init__(self, protocol_version: _Optional[int] = ..., referee_version: _Optional[str] = ..., name: _Optional[str] = ..., replaced: _Optional[str] = ...) -> None: ...

class ClockConfig(_message.Message):
    __slots__ = ("startup_ms", "decision_limit_ms", "bank_ms", "increment_ms")
    STARTUP_MS_FIELD_NUMBER: _ClassVar[int]
    DECISION_LIMIT_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    startup_ms: int
    decision_limit_ms: int
    bank_ms: int
    increment_ms: int
    def __init__(self, startup_ms: _Optional[int] = ..., decision_limit_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ...) -> None: ...

class MatchStart(_message.Message):
    __slots__ = ("game", "rules_version", "config", "seats", "seat", "clock", "deal_commitment")
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    DEAL_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    game: str
    rules_version: str
    config: _game_pb2.GameConfig
    seats: int
    seat: int
    clock: ClockConfig
    deal_commitment: bytes
    def __init__(self, game: _Optional[str] = ..., rules_version: _Optional[str] = ..., config: _Optional[_Union[_game_pb2.GameConfig, _Mapping]] = ..., seats: _Optional[int] = ..., seat: _Optional[int] = ..., clock: _Optional[_Union[ClockConfig, _Mapping]] = ..., deal_commitment: _Optional[bytes] = ...) -> None: ...

class DecisionRequest(_message.Message):
    __slots__ = ("number", "start", "events", "observation", "legal", "time_ms", "bank_ms", "plain")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OBSERVATION_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    number: int
    start: MatchStart
    events: _containers.RepeatedCompositeFieldContainer[MatchEvent]
    observation: _game_pb2.GameObservation
    legal: _game_pb2.GameLegal
    time_ms: int
    bank_ms: int
    plain: _plain_pb2.PlainPosition
    def __init__(self, number: _Optional[int] = ..., start: _Optional[_Union[MatchStart, _Mapping]] = ..., events: _Optional[_Iterable[_Union[MatchEvent, _Mapping]]] = ..., observation: _Optional[_Union[_game_pb2.GameObservation, _Mapping]] = ..., legal: _Optional[_Union[_game_pb2.GameLegal, _Mapping]] = ..., time_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ..., plain: _Optional[_Union[_plain_pb2.PlainPosition, _Mapping]] = ...) -> None: ...

class MatchEvent(_message.Message):
    __slots__ = ("game", "forfeit")
    GAME_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    game: _game_pb2.GameEvent
    forfeit: Forfeit
    def __init__(self, game: _Optional[_Union[_game_pb2.GameEvent, _Mapping]] = ..., forfeit: _Optional[_Union[Forfeit, _Mapping]] = ...) -> None: ...

class Forfeit(_message.Message):
    __slots__ = ("seat", "kind")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    seat: int
    kind: FaultKind
    def __init__(self, seat: _Optional[int] = ..., kind: _Optional[_Union[FaultKind, str]] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("kind", "reason", "overrun_ms", "exit_code", "signal", "received")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    OVERRUN_MS_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    kind: FaultKind
    reason: str
    overrun_ms: int
    exit_code: int
    signal: int
    received: bytes
    def __init__(self, kind: _Optional[_Union[FaultKind, str]] = ..., reason: _Optional[str] = ..., overrun_ms: _Optional[int] = ..., exit_code: _Optional[int] = ..., signal: _Optional[int] = ..., received: _Optional[bytes] = ...) -> None: ...

class SeatOutcome(_message.Message):
    __slots__ = ("rank", "points", "forfeit")
    RANK_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    FORFEIT_FIELD_NUMBER: _ClassVar[int]
    rank: int
    points: int
    forfeit: FaultKind
    def __init__(self, rank: _Optional[int] = ..., points: _Optional[int] = ..., forfeit: _Optional[_Union[FaultKind, str]] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("events", "seats", "result")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[MatchEvent]
    seats: _containers.RepeatedCompositeFieldContainer[SeatOutcome]
    result: _game_pb2.GameResult
    def __init__(self, events: _Optional[_Iterable[_Union[MatchEvent, _Mapping]]] = ..., seats: _Optional[_Iterable[_Union[SeatOutcome, _Mapping]]] = ..., result: _Optional[_Union[_game_pb2.GameResult, _Mapping]] = ...) -> None: ...
