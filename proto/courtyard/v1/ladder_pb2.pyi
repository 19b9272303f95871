import datetime

from courtyard.v1 import record_pb2 as _record_pb2
from courtyard.v1 import referee_pb2 as _referee_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outlook(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTLOOK_UNSPECIFIED: _ClassVar[Outlook]
    OUTLOOK_NEW: _ClassVar[Outlook]
    OUTLOOK_UNCHANGED: _ClassVar[Outlook]
    OUTLOOK_RETURNED: _ClassVar[Outlook]
    OUTLOOK_REJECTED: _ClassVar[Outlook]

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_PLANNED: _ClassVar[MatchState]
    MATCH_STATE_RUNNING: _ClassVar[MatchState]
    MATCH_STATE_DONE: _ClassVar[MatchState]
    MATCH_STATE_VOID: _ClassVar[MatchState]
    MATCH_STATE_DROPPED: _ClassVar[MatchState]

class IncidentKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    INCIDENT_KIND_UNSPECIFIED: _ClassVar[IncidentKind]
    INCIDENT_KIND_INTERRUPTED: _ClassVar[IncidentKind]
    INCIDENT_KIND_PAUSED: _ClassVar[IncidentKind]
    INCIDENT_KIND_RETRIED: _ClassVar[IncidentKind]
    INCIDENT_KIND_GIVEN_UP: _ClassVar[IncidentKind]
    INCIDENT_KIND_VOID: _ClassVar[IncidentKind]
    INCIDENT_KIND_ANNULLED: _ClassVar[IncidentKind]
    INCIDENT_KIND_RETRACTED: _ClassVar[IncidentKind]
OUTLOOK_UNSPECIFIED: Outlook
OUTLOOK_NEW: Outlook
OUTLOOK_UNCHANGED: Outlook
OUTLOOK_RETURNED: Outlook
OUTLOOK_REJECTED: Outlook
MATCH_STATE_UNSPECIFIED: MatchState
MATCH_STATE_PLANNED: MatchState
MATCH_STATE_RUNNING: MatchState
MATCH_STATE_DONE: MatchState
MATCH_STATE_VOID: MatchState
MATCH_STATE_DROPPED: MatchState
INCIDENT_KIND_UNSPECIFIED: IncidentKind
INCIDENT_KIND_INTERRUPTED: IncidentKind
INCIDENT_KIND_PAUSED: IncidentKind
INCIDENT_KIND_RETRIED: IncidentKind
INCIDENT_KIND_GIVEN_UP: IncidentKind
INCIDENT_KIND_VOID: IncidentKind
INCIDENT_KIND_ANNULLED: IncidentKind
INCIDENT_KIND_RETRACTED: IncidentKind

class GetLadderRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetLadderResponse(_message.Message):
    __slots__ = ("ladder_id", "game", "seats", "clock", "author", "largest_archive_bytes", "largest_bundle_bytes", "most_files", "title")
    LADDER_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    LARGEST_ARCHIVE_BYTES_FIELD_NUMBER: _ClassVar[int]
    LARGEST_BUNDLE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MOST_FILES_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    ladder_id: str
    game: str
    seats: int
    clock: _referee_pb2.ClockConfig
    author: str
    largest_archive_bytes: int
    largest_bundle_bytes: int
    most_files: int
    title: str
    def __init__(self, ladder_id: _Optional[str] = ..., game: _Optional[str] = ..., seats: _Optional[int] = ..., clock: _Optional[_Union[_referee_pb2.ClockConfig, _Mapping]] = ..., author: _Optional[str] = ..., largest_archive_bytes: _Optional[int] = ..., largest_bundle_bytes: _Optional[int] = ..., most_files: _Optional[int] = ..., title: _Optional[str] = ...) -> None: ...

class SubmitRequest(_message.Message):
    __slots__ = ("open", "chunk")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    open: OpenUpload
    chunk: bytes
    def __init__(self, open: _Optional[_Union[OpenUpload, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class OpenUpload(_message.Message):
    __slots__ = ("sha256", "size_bytes")
    SHA256_FIELD_NUMBER: _ClassVar[int]
    SIZE_BYTES_FIELD_NUMBER: _ClassVar[int]
    sha256: bytes
    size_bytes: int
    def __init__(self, sha256: _Optional[bytes] = ..., size_bytes: _Optional[int] = ...) -> None: ...

class SubmitResponse(_message.Message):
    __slots__ = ("offset_bytes", "progress", "submission")
    OFFSET_BYTES_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    offset_bytes: int
    progress: str
    submission: Submission
    def __init__(self, offset_bytes: _Optional[int] = ..., progress: _Optional[str] = ..., submission: _Optional[_Union[Submission, _Mapping]] = ...) -> None: ...

class Submission(_message.Message):
    __slots__ = ("version", "outlook", "replaced", "was_retired")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OUTLOOK_FIELD_NUMBER: _ClassVar[int]
    REPLACED_FIELD_NUMBER: _ClassVar[int]
    WAS_RETIRED_FIELD_NUMBER: _ClassVar[int]
    version: Version
    outlook: Outlook
    replaced: int
    was_retired: bool
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ..., outlook: _Optional[_Union[Outlook, str]] = ..., replaced: _Optional[int] = ..., was_retired: _Optional[bool] = ...) -> None: ...

class Version(_message.Message):
    __slots__ = ("bot", "number", "active", "submitted_at", "language", "description", "own", "digest", "rejected")
    BOT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_AT_FIELD_NUMBER: _ClassVar[int]
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    bot: str
    number: int
    active: bool
    submitted_at: _timestamp_pb2.Timestamp
    language: str
    description: str
    own: bool
    digest: str
    rejected: str
    def __init__(self, bot: _Optional[str] = ..., number: _Optional[int] = ..., active: _Optional[bool] = ..., submitted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., language: _Optional[str] = ..., description: _Optional[str] = ..., own: _Optional[bool] = ..., digest: _Optional[str] = ..., rejected: _Optional[str] = ...) -> None: ...

class ListVersionsRequest(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    def __init__(self, bot: _Optional[str] = ...) -> None: ...

class ListVersionsResponse(_message.Message):
    __slots__ = ("versions",)
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[Version]
    def __init__(self, versions: _Optional[_Iterable[_Union[Version, _Mapping]]] = ...) -> None: ...

class ListStandingsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListStandingsResponse(_message.Message):
    __slots__ = ("standings", "rules")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    standings: _containers.RepeatedCompositeFieldContainer[Standing]
    rules: _containers.RepeatedCompositeFieldContainer[RulesPlayed]
    def __init__(self, standings: _Optional[_Iterable[_Union[Standing, _Mapping]]] = ..., rules: _Optional[_Iterable[_Union[RulesPlayed, _Mapping]]] = ...) -> None: ...

class RulesPlayed(_message.Message):
    __slots__ = ("version", "matches", "dropped")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    version: str
    matches: int
    dropped: bool
    def __init__(self, version: _Optional[str] = ..., matches: _Optional[int] = ..., dropped: _Optional[bool] = ...) -> None: ...

class Interval(_message.Message):
    __slots__ = ("low", "high")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class Standing(_message.Message):
    __slots__ = ("rank", "bot", "version", "mu", "sigma", "matches", "win_share", "average_points", "fault_rate", "rank_interval", "better_than_next", "matches_to_separate", "blocks", "provisional")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    WIN_SHARE_FIELD_NUMBER: _ClassVar[int]
    AVERAGE_POINTS_FIELD_NUMBER: _ClassVar[int]
    FAULT_RATE_FIELD_NUMBER: _ClassVar[int]
    RANK_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    BETTER_THAN_NEXT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TO_SEPARATE_FIELD_NUMBER: _ClassVar[int]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    PROVISIONAL_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    version: int
    mu: float
    sigma: float
    matches: int
    win_share: float
    average_points: float
    fault_rate: float
    rank_interval: Interval
    better_than_next: float
    matches_to_separate: int
    blocks: int
    provisional: bool
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., matches: _Optional[int] = ..., win_share: _Optional[float] = ..., average_points: _Optional[float] = ..., fault_rate: _Optional[float] = ..., rank_interval: _Optional[_Union[Interval, _Mapping]] = ..., better_than_next: _Optional[float] = ..., matches_to_separate: _Optional[int] = ..., blocks: _Optional[int] = ..., provisional: _Optional[bool] = ...) -> None: ...

class Match(_message.Message):
    __slots__ = ("match_id", "round", "index", "state", "public", "seats", "decisions", "finished_at")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    round: int
    index: int
    state: MatchState
    public: bool
    seats: _containers.RepeatedCompositeFieldContainer[MatchSeat]
    decisions: int
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, match_id: _Optional[str] = ..., round: _Optional[int] = ..., index: _Optional[int] = ..., state: _Optional[_Union[MatchState, str]] = ..., public: _Optional[bool] = ..., seats: _Optional[_Iterable[_Union[MatchSeat, _Mapping]]] = ..., decisions: _Optional[int] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchSeat(_message.Message):
    __slots__ = ("bot", "version", "own", "outcome")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    own: bool
    outcome: _referee_pb2.SeatOutcome
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., own: _Optional[bool] = ..., outcome: _Optional[_Union[_referee_pb2.SeatOutcome, _Mapping]] = ...) -> None: ...

class ListMatchesRequest(_message.Message):
    __slots__ = ("bot", "limit")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    limit: int
    def __init__(self, bot: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[Match]
    def __init__(self, matches: _Optional[_Iterable[_Union[Match, _Mapping]]] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("match",)
    MATCH_FIELD_NUMBER: _ClassVar[int]
    match: Match
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...

class GetRecordRequest(_message.Message):
    __slots__ = ("match_id",)
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    def __init__(self, match_id: _Optional[str] = ...) -> None: ...

class GetRecordResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: _record_pb2.Record
    def __init__(self, record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ...) -> None: ...

class GetReplayRequest(_message.Message):
    __slots__ = ("match_id", "seat")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    seat: int
    def __init__(self, match_id: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class GetReplayResponse(_message.Message):
    __slots__ = ("frames",)
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    frames: bytes
    def __init__(self, frames: _Optional[bytes] = ...) -> None: ...

class Thought(_message.Message):
    __slots__ = ("number", "charged", "wall", "cpu", "delay", "bank_left")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CHARGED_FIELD_NUMBER: _ClassVar[int]
    WALL_FIELD_NUMBER: _ClassVar[int]
    CPU_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    BANK_LEFT_FIELD_NUMBER: _ClassVar[int]
    number: int
    charged: _duration_pb2.Duration
    wall: _duration_pb2.Duration
    cpu: _duration_pb2.Duration
    delay: _duration_pb2.Duration
    bank_left: _duration_pb2.Duration
    def __init__(self, number: _Optional[int] = ..., charged: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., wall: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., cpu: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., bank_left: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class Log(_message.Message):
    __slots__ = ("match", "seat", "thoughts", "fault", "has_printed", "printed")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    THOUGHTS_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    HAS_PRINTED_FIELD_NUMBER: _ClassVar[int]
    PRINTED_FIELD_NUMBER: _ClassVar[int]
    match: Match
    seat: int
    thoughts: _containers.RepeatedCompositeFieldContainer[Thought]
    fault: _referee_pb2.Fault
    has_printed: bool
    printed: str
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., seat: _Optional[int] = ..., thoughts: _Optional[_Iterable[_Union[Thought, _Mapping]]] = ..., fault: _Optional[_Union[_referee_pb2.Fault, _Mapping]] = ..., has_printed: _Optional[bool] = ..., printed: _Optional[str] = ...) -> None: ...

class Incident(_message.Message):
    __slots__ = ("kind", "why", "happened_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    HAPPENED_AT_FIELD_NUMBER: _ClassVar[int]
    kind: IncidentKind
    why: str
    happened_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[IncidentKind, str]] = ..., why: _Optional[str] = ..., happened_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class MatchIncidents(_message.Message):
    __slots__ = ("match", "incidents")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    INCIDENTS_FIELD_NUMBER: _ClassVar[int]
    match: Match
    incidents: _containers.RepeatedCompositeFieldContainer[Incident]
    def __init__(self, match: _Optional[_Union[Match, _Mapping]] = ..., incidents: _Optional[_Iterable[_Union[Incident, _Mapping]]] = ...) -> None: ...

class ListLogsRequest(_message.Message):
    __slots__ = ("bot", "limit")
    BOT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    limit: int
    def __init__(self, bot: _Optional[str] = ..., limit: _Optional[int] = ...) -> None: ...

class ListLogsResponse(_message.Message):
    __slots__ = ("logs", "incidents")
    LOGS_FIELD_NUMBER: _ClassVar[int]
    INCIDENTS_FIELD_NUMBER: _ClassVar[int]
    logs: _containers.RepeatedCompositeFieldContainer[Log]
    incidents: _containers.RepeatedCompositeFieldContainer[MatchIncidents]
    def __init__(self, logs: _Optional[_Iterable[_Union[Log, _Mapping]]] = ..., incidents: _Optional[_Iterable[_Union[MatchIncidents, _Mapping]]] = ...) -> None: ...

class GetLogRequest(_message.Message):
    __slots__ = ("bot", "match_id")
    BOT_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    bot: str
    match_id: str
    def __init__(self, bot: _Optional[str] = ..., match_id: _Optional[str] = ...) -> None: ...

class GetLogResponse(_message.Message):
    __slots__ = ("log", "incidents")
    LOG_FIELD_NUMBER: _ClassVar[int]
    INCIDENTS_FIELD_NUMBER: _ClassVar[int]
    log: Log
    incidents: MatchIncidents
    def __init__(self, log: _Optional[_Union[Log, _Mapping]] = ..., incidents: _Optional[_Union[MatchIncidents, _Mapping]] = ...) -> None: ...

class GetTrialRequest(_message.Message):
    __slots__ = ("bot", "version")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class GetTrialResponse(_message.Message):
    __slots__ = ("version", "tried_at", "build_log", "printed", "record")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TRIED_AT_FIELD_NUMBER: _ClassVar[int]
    BUILD_LOG_FIELD_NUMBER: _ClassVar[int]
    PRINTED_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    version: Version
    tried_at: _timestamp_pb2.Timestamp
    build_log: str
    printed: str
    record: _record_pb2.Record
    def __init__(self, version: _Optional[_Union[Version, _Mapping]] = ..., tried_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., build_log: _Optional[str] = ..., printed: _Optional[str] = ..., record: _Optional[_Union[_record_pb2.Record, _Mapping]] = ...) -> None: ...

class WatchRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchResponse(_message.Message):
    __slots__ = ("standings", "match")
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    standings: ListStandingsResponse
    match: Match
    def __init__(self, standings: _Optional[_Union[ListStandingsResponse, _Mapping]] = ..., match: _Optional[_Union[Match, _Mapping]] = ...) -> None: ...
