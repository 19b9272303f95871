from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Family(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FAMILY_UNSPECIFIED: _ClassVar[Family]
    FAMILY_BUTTERFLY: _ClassVar[Family]
    FAMILY_TOAD: _ClassVar[Family]
    FAMILY_NIGHTINGALE: _ClassVar[Family]
    FAMILY_HARE: _ClassVar[Family]
    FAMILY_STAG: _ClassVar[Family]
    FAMILY_CARP: _ClassVar[Family]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_PLAIN: _ClassVar[Role]
    ROLE_NOBLE: _ClassVar[Role]
    ROLE_SPY: _ClassVar[Role]
    ROLE_ASSASSIN: _ClassVar[Role]
    ROLE_GUARD: _ClassVar[Role]

class Side(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIDE_UNSPECIFIED: _ClassVar[Side]
    SIDE_ABOVE: _ClassVar[Side]
    SIDE_BELOW: _ClassVar[Side]

class Mission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MISSION_UNSPECIFIED: _ClassVar[Mission]
    MISSION_FEWER_BUTTERFLIES: _ClassVar[Mission]
    MISSION_FEWER_TOADS: _ClassVar[Mission]
    MISSION_FEWER_NIGHTINGALES: _ClassVar[Mission]
    MISSION_FEWER_STAGS: _ClassVar[Mission]
    MISSION_FEWER_HARES: _ClassVar[Mission]
    MISSION_FEWER_CARPS: _ClassVar[Mission]
    MISSION_THREE_NOBLES: _ClassVar[Mission]
    MISSION_TWO_ASSASSINS: _ClassVar[Mission]
    MISSION_FOUR_GUARDS: _ClassVar[Mission]
    MISSION_THREE_SPIES: _ClassVar[Mission]
    MISSION_FALLEN_BUTTERFLIES: _ClassVar[Mission]
    MISSION_FALLEN_TOADS: _ClassVar[Mission]
    MISSION_FALLEN_NIGHTINGALES: _ClassVar[Mission]
    MISSION_FALLEN_STAGS: _ClassVar[Mission]
    MISSION_FALLEN_HARES: _ClassVar[Mission]
    MISSION_FALLEN_CARPS: _ClassVar[Mission]
    MISSION_ALL_BELOW: _ClassVar[Mission]
    MISSION_FIVE_BELOW: _ClassVar[Mission]
    MISSION_FEW_ESTEEMED: _ClassVar[Mission]
    MISSION_TWO_FALLEN: _ClassVar[Mission]

class Status(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STATUS_UNSPECIFIED: _ClassVar[Status]
    STATUS_FALLEN: _ClassVar[Status]
    STATUS_NEUTRAL: _ClassVar[Status]
    STATUS_ESTEEMED: _ClassVar[Status]
FAMILY_UNSPECIFIED: Family
FAMILY_BUTTERFLY: Family
FAMILY_TOAD: Family
FAMILY_NIGHTINGALE: Family
FAMILY_HARE: Family
FAMILY_STAG: Family
FAMILY_CARP: Family
ROLE_UNSPECIFIED: Role
ROLE_PLAIN: Role
ROLE_NOBLE: Role
ROLE_SPY: Role
ROLE_ASSASSIN: Role
ROLE_GUARD: Role
SIDE_UNSPECIFIED: Side
SIDE_ABOVE: Side
SIDE_BELOW: Side
MISSION_UNSPECIFIED: Mission
MISSION_FEWER_BUTTERFLIES: Mission
MISSION_FEWER_TOADS: Mission
MISSION_FEWER_NIGHTINGALES: Mission
MISSION_FEWER_STAGS: Mission
MISSION_FEWER_HARES: Mission
MISSION_FEWER_CARPS: Mission
MISSION_THREE_NOBLES: Mission
MISSION_TWO_ASSASSINS: Mission
MISSION_FOUR_GUARDS: Mission
MISSION_THREE_SPIES: Mission
MISSION_FALLEN_BUTTERFLIES: Mission
MISSION_FALLEN_TOADS: Mission
MISSION_FALLEN_NIGHTINGALES: Mission
MISSION_FALLEN_STAGS: Mission
MISSION_FALLEN_HARES: Mission
MISSION_FALLEN_CARPS: Mission
MISSION_ALL_BELOW: Mission
MISSION_FIVE_BELOW: Mission
MISSION_FEW_ESTEEMED: Mission
MISSION_TWO_FALLEN: Mission
STATUS_UNSPECIFIED: Status
STATUS_FALLEN: Status
STATUS_NEUTRAL: Status
STATUS_ESTEEMED: Status

class CourtisansCard(_message.Message):
    __slots__ = ("family", "role")
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    family: Family
    role: Role
    def __init__(self, family: _Optional[_Union[Family, str]] = ..., role: _Optional[_Union[Role, str]] = ...) -> None: ...

class CourtisansConfig(_message.Message):
    __slots__ = ("reveal_eliminated_spies", "noble_weight_in_missions")
    REVEAL_ELIMINATED_SPIES_FIELD_NUMBER: _ClassVar[int]
    NOBLE_WEIGHT_IN_MISSIONS_FIELD_NUMBER: _ClassVar[int]
    reveal_eliminated_spies: bool
    noble_weight_in_missions: int
    def __init__(self, reveal_eliminated_spies: _Optional[bool] = ..., noble_weight_in_missions: _Optional[int] = ...) -> None: ...

class CourtisansCardInPlay(_message.Message):
    __slots__ = ("turn", "played_by", "role", "family", "side")
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLAYED_BY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    turn: int
    played_by: int
    role: Role
    family: Family
    side: Side
    def __init__(self, turn: _Optional[int] = ..., played_by: _Optional[int] = ..., role: _Optional[_Union[Role, str]] = ..., family: _Optional[_Union[Family, str]] = ..., side: _Optional[_Union[Side, str]] = ...) -> None: ...

class CourtisansDomain(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[CourtisansCardInPlay]
    def __init__(self, cards: _Optional[_Iterable[_Union[CourtisansCardInPlay, _Mapping]]] = ...) -> None: ...

class CourtisansEliminated(_message.Message):
    __slots__ = ("card", "domain")
    CARD_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    card: CourtisansCardInPlay
    domain: int
    def __init__(self, card: _Optional[_Union[CourtisansCardInPlay, _Mapping]] = ..., domain: _Optional[int] = ...) -> None: ...

class CourtisansObservation(_message.Message):
    __slots__ = ("seat", "turn", "to_act", "deck_size", "turns_left", "hand", "white_mission", "blue_mission", "table", "domains", "eliminated")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    DECK_SIZE_FIELD_NUMBER: _ClassVar[int]
    TURNS_LEFT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    WHITE_MISSION_FIELD_NUMBER: _ClassVar[int]
    BLUE_MISSION_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    DOMAINS_FIELD_NUMBER: _ClassVar[int]
    ELIMINATED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    turn: int
    to_act: int
    deck_size: int
    turns_left: _containers.RepeatedScalarFieldContainer[int]
    hand: _containers.RepeatedCompositeFieldContainer[CourtisansCard]
    white_mission: Mission
    blue_mission: Mission
    table: _containers.RepeatedCompositeFieldContainer[CourtisansCardInPlay]
    domains: _containers.RepeatedCompositeFieldContainer[CourtisansDomain]
    eliminated: _containers.RepeatedCompositeFieldContainer[CourtisansEliminated]
    def __init__(self, seat: _Optional[int] = ..., turn: _Optional[int] = ..., to_act: _Optional[int] = ..., deck_size: _Optional[int] = ..., turns_left: _Optional[_Iterable[int]] = ..., hand: _Optional[_Iterable[_Union[CourtisansCard, _Mapping]]] = ..., white_mission: _Optional[_Union[Mission, str]] = ..., blue_mission: _Optional[_Union[Mission, str]] = ..., table: _Optional[_Iterable[_Union[CourtisansCardInPlay, _Mapping]]] = ..., domains: _Optional[_Iterable[_Union[CourtisansDomain, _Mapping]]] = ..., eliminated: _Optional[_Iterable[_Union[CourtisansEliminated, _Mapping]]] = ...) -> None: ...

class CourtisansTargets(_message.Message):
    __slots__ = ("turns",)
    TURNS_FIELD_NUMBER: _ClassVar[int]
    turns: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, turns: _Optional[_Iterable[int]] = ...) -> None: ...

class CourtisansLegal(_message.Message):
    __slots__ = ("opponents", "table_targets", "domain_targets")
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    TABLE_TARGETS_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_TARGETS_FIELD_NUMBER: _ClassVar[int]
    opponents: _containers.RepeatedScalarFieldContainer[int]
    table_targets: CourtisansTargets
    domain_targets: _containers.RepeatedCompositeFieldContainer[CourtisansTargets]
    def __init__(self, opponents: _Optional[_Iterable[int]] = ..., table_targets: _Optional[_Union[CourtisansTargets, _Mapping]] = ..., domain_targets: _Optional[_Iterable[_Union[CourtisansTargets, _Mapping]]] = ...) -> None: ...

class CourtisansPlacement(_message.Message):
    __slots__ = ("card", "eliminates")
    CARD_FIELD_NUMBER: _ClassVar[int]
    ELIMINATES_FIELD_NUMBER: _ClassVar[int]
    card: CourtisansCard
    eliminates: int
    def __init__(self, card: _Optional[_Union[CourtisansCard, _Mapping]] = ..., eliminates: _Optional[int] = ...) -> None: ...

class CourtisansAction(_message.Message):
    __slots__ = ("table", "side", "own_domain", "opponent_domain", "opponent")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    OWN_DOMAIN_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_DOMAIN_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    table: CourtisansPlacement
    side: Side
    own_domain: CourtisansPlacement
    opponent_domain: CourtisansPlacement
    opponent: int
    def __init__(self, table: _Optional[_Union[CourtisansPlacement, _Mapping]] = ..., side: _Optional[_Union[Side, str]] = ..., own_domain: _Optional[_Union[CourtisansPlacement, _Mapping]] = ..., opponent_domain: _Optional[_Union[CourtisansPlacement, _Mapping]] = ..., opponent: _Optional[int] = ...) -> None: ...

class CourtisansPlaced(_message.Message):
    __slots__ = ("card", "eliminated")
    CARD_FIELD_NUMBER: _ClassVar[int]
    ELIMINATED_FIELD_NUMBER: _ClassVar[int]
    card: CourtisansCardInPlay
    eliminated: int
    def __init__(self, card: _Optional[_Union[CourtisansCardInPlay, _Mapping]] = ..., eliminated: _Optional[int] = ...) -> None: ...

class CourtisansTurnPlayed(_message.Message):
    __slots__ = ("turn", "seat", "table", "own_domain", "opponent_domain", "opponent", "drawn")
    TURN_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    OWN_DOMAIN_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_DOMAIN_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    seat: int
    table: CourtisansPlaced
    own_domain: CourtisansPlaced
    opponent_domain: CourtisansPlaced
    opponent: int
    drawn: _containers.RepeatedCompositeFieldContainer[CourtisansCard]
    def __init__(self, turn: _Optional[int] = ..., seat: _Optional[int] = ..., table: _Optional[_Union[CourtisansPlaced, _Mapping]] = ..., own_domain: _Optional[_Union[CourtisansPlaced, _Mapping]] = ..., opponent_domain: _Optional[_Union[CourtisansPlaced, _Mapping]] = ..., opponent: _Optional[int] = ..., drawn: _Optional[_Iterable[_Union[CourtisansCard, _Mapping]]] = ...) -> None: ...

class CourtisansEvent(_message.Message):
    __slots__ = ("turn_played",)
    TURN_PLAYED_FIELD_NUMBER: _ClassVar[int]
    turn_played: CourtisansTurnPlayed
    def __init__(self, turn_played: _Optional[_Union[CourtisansTurnPlayed, _Mapping]] = ...) -> None: ...

class CourtisansFamilyResult(_message.Message):
    __slots__ = ("family", "above", "below", "status")
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    ABOVE_FIELD_NUMBER: _ClassVar[int]
    BELOW_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    family: Family
    above: int
    below: int
    status: Status
    def __init__(self, family: _Optional[_Union[Family, str]] = ..., above: _Optional[int] = ..., below: _Optional[int] = ..., status: _Optional[_Union[Status, str]] = ...) -> None: ...

class CourtisansFamilyPoints(_message.Message):
    __slots__ = ("family", "weight", "points")
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    WEIGHT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    family: Family
    weight: int
    points: int
    def __init__(self, family: _Optional[_Union[Family, str]] = ..., weight: _Optional[int] = ..., points: _Optional[int] = ...) -> None: ...

class CourtisansMissionResult(_message.Message):
    __slots__ = ("mission", "fulfilled", "points")
    MISSION_FIELD_NUMBER: _ClassVar[int]
    FULFILLED_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    mission: Mission
    fulfilled: bool
    points: int
    def __init__(self, mission: _Optional[_Union[Mission, str]] = ..., fulfilled: _Optional[bool] = ..., points: _Optional[int] = ...) -> None: ...

class CourtisansSeatResult(_message.Message):
    __slots__ = ("points", "families", "missions")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    MISSIONS_FIELD_NUMBER: _ClassVar[int]
    points: int
    families: _containers.RepeatedCompositeFieldContainer[CourtisansFamilyPoints]
    missions: _containers.RepeatedCompositeFieldContainer[CourtisansMissionResult]
    def __init__(self, points: _Optional[int] = ..., families: _Optional[_Iterable[_Union[CourtisansFamilyPoints, _Mapping]]] = ..., missions: _Optional[_Iterable[_Union[CourtisansMissionResult, _Mapping]]] = ...) -> None: ...

class CourtisansRevealedSpy(_message.Message):
    __slots__ = ("turn", "domain", "family", "eliminated")
    TURN_FIELD_NUMBER: _ClassVar[int]
    DOMAIN_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    ELIMINATED_FIELD_NUMBER: _ClassVar[int]
    turn: int
    domain: int
    family: Family
    eliminated: bool
    def __init__(self, turn: _Optional[int] = ..., domain: _Optional[int] = ..., family: _Optional[_Union[Family, str]] = ..., eliminated: _Optional[bool] = ...) -> None: ...

class CourtisansResult(_message.Message):
    __slots__ = ("families", "seats", "spies")
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    SPIES_FIELD_NUMBER: _ClassVar[int]
    families: _containers.RepeatedCompositeFieldContainer[CourtisansFamilyResult]
    seats: _containers.RepeatedCompositeFieldContainer[CourtisansSeatResult]
    spies: _containers.RepeatedCompositeFieldContainer[CourtisansRevealedSpy]
    def __init__(self, families: _Optional[_Iterable[_Union[CourtisansFamilyResult, _Mapping]]] = ..., seats: _Optional[_Iterable[_Union[CourtisansSeatResult, _Mapping]]] = ..., spies: _Optional[_Iterable[_Union[CourtisansRevealedSpy, _Mapping]]] = ...) -> None: ...

class CourtisansHand(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedCompositeFieldContainer[CourtisansCard]
    def __init__(self, cards: _Optional[_Iterable[_Union[CourtisansCard, _Mapping]]] = ...) -> None: ...

class CourtisansMissions(_message.Message):
    __slots__ = ("white", "blue")
    WHITE_FIELD_NUMBER: _ClassVar[int]
    BLUE_FIELD_NUMBER: _ClassVar[int]
    white: Mission
    blue: Mission
    def __init__(self, white: _Optional[_Union[Mission, str]] = ..., blue: _Optional[_Union[Mission, str]] = ...) -> None: ...

class CourtisansDeal(_message.Message):
    __slots__ = ("removed", "deck", "hands", "missions", "starting_seat")
    REMOVED_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    MISSIONS_FIELD_NUMBER: _ClassVar[int]
    STARTING_SEAT_FIELD_NUMBER: _ClassVar[int]
    removed: _containers.RepeatedCompositeFieldContainer[CourtisansCard]
    deck: _containers.RepeatedCompositeFieldContainer[CourtisansCard]
    hands: _containers.RepeatedCompositeFieldContainer[CourtisansHand]
    missions: _containers.RepeatedCompositeFieldContainer[CourtisansMissions]
    starting_seat: int
    def __init__(self, removed: _Optional[_Iterable[_Union[CourtisansCard, _Mapping]]] = ..., deck: _Optional[_Iterable[_Union[CourtisansCard, _Mapping]]] = ..., hands: _Optional[_Iterable[_Union[CourtisansHand, _Mapping]]] = ..., missions: _Optional[_Iterable[_Union[CourtisansMissions, _Mapping]]] = ..., starting_seat: _Optional[int] = ...) -> None: ...
