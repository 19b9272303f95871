from courtyard.v1 import game_pb2 as _game_pb2
from courtyard.v1 import referee_pb2 as _referee_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Record(_message.Message):
    __slots__ = ("format", "match_id", "game", "rules_version", "referee_version", "config", "clock", "seats", "master_seed", "deal", "deal_nonce", "deal_commitment", "decisions", "events", "result", "outcomes", "seals", "sandbox", "pauses_us", "game_distribution", "game_version")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    REFEREE_VERSION_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    MASTER_SEED_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DEAL_NONCE_FIELD_NUMBER: _ClassVar[int]
    DEAL_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    SEALS_FIELD_NUMBER: _ClassVar[int]
    SANDBOX_FIELD_NUMBER: _ClassVar[int]
    PAUSES_US_FIELD_NUMBER: _ClassVar[int]
    GAME_DISTRIBUTION_FIELD_NUMBER: _ClassVar[int]
    GAME_VERSION_FIELD_NUMBER: _ClassVar[int]
    format: int
    match_id: str
    game: str
    rules_version: str
    referee_version: str
    config: _game_pb2.GameConfig
    clock: _referee_pb2.ClockConfig
    seats: _containers.RepeatedCompositeFieldContainer[RecordSeat]
    master_seed: str
    deal: _game_pb2.GameDeal
    deal_nonce: bytes
    deal_commitment: bytes
    decisions: _containers.RepeatedCompositeFieldContainer[RecordDecision]
    events: _containers.RepeatedCompositeFieldContainer[_referee_pb2.MatchEvent]
    result: _game_pb2.GameResult
    outcomes: _containers.RepeatedCompositeFieldContainer[_referee_pb2.SeatOutcome]
    seals: _containers.RepeatedScalarFieldContainer[bytes]
    sandbox: str
    pauses_us: _containers.RepeatedScalarFieldContainer[int]
    game_distribution: str
    game_version: str
    def __init__(self, format: _Optional[int] = ..., match_id: _Optional[str] = ..., game: _Optional[str] = ..., rules_version: _Optional[str] = ..., referee_version: _Optional[str] = ..., config: _Optional[_Union[_game_pb2.GameConfig, _Mapping]] = ..., clock: _Optional[_Union[_referee_pb2.ClockConfig, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[RecordSeat, _Mapping]]] = ..., master_seed: _Optional[str] = ..., deal: _Optional[_Union[_game_pb2.GameDeal, _Mapping]] = ..., deal_nonce: _Optional[bytes] = ..., deal_commitment: _Optional[bytes] = ..., decisions: _Optional[_Iterable[_Union[RecordDecision, _Mapping]]] = ..., events: _Optional[_Iterable[_Union[_referee_pb2.MatchEvent, _Mapping]]] = ..., result: _Optional[_Union[_game_pb2.GameResult, _Mapping]] = ..., outcomes: _Optional[_Iterable[_Union[_referee_pb2.SeatOutcome, _Mapping]]] = ..., seals: _Optional[_Iterable[bytes]] = ..., sandbox: _Optional[str] = ..., pauses_us: _Optional[_Iterable[int]] = ..., game_distribution: _Optional[str] = ..., game_version: _Optional[str] = ...) -> None: ...

class RecordSeat(_message.Message):
    __slots__ = ("name", "version", "digest", "stand_in", "plain")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    PLAIN_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    digest: str
    stand_in: bool
    plain: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., digest: _Optional[str] = ..., stand_in: _Optional[bool] = ..., plain: _Optional[bool] = ...) -> None: ...

class RecordDecision(_message.Message):
    __slots__ = ("seat", "action", "elapsed_us", "bank_left_us", "fault", "stand_in", "wall_us", "cpu_us", "delay_us", "steps", "own_stand_in")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_US_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_US_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    STAND_IN_FIELD_NUMBER: _ClassVar[int]
    WALL_US_FIELD_NUMBER: _ClassVar[int]
    CPU_US_FIELD_NUMBER: _ClassVar[int]
    DELAY_US_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    OWN_STAND_IN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: _game_pb2.GameAction
    elapsed_us: int
    bank_left_us: int
    fault: _referee_pb2.Fault
    stand_in: bool
    wall_us: int
    cpu_us: int
    delay_us: int
    steps: _containers.RepeatedScalarFieldContainer[int]
    own_stand_in: bool
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[_Union[_game_pb2.GameAction, _Mapping]] = ..., elapsed_us: _Optional[int] = ..., bank_left_us: _Optional[int] = ..., fault: _Optional[_Union[_referee_pb2.Fault, _Mapping]] = ..., stand_in: _Optional[bool] = ..., wall_us: _Optional[int] = ..., cpu_us: _Optional[int] = ..., delay_us: _Optional[int] = ..., steps: _Optional[_Iterable[int]] = ..., own_stand_in: _Optional[bool] = ...) -> None: ...
