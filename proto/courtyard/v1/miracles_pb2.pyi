from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Neighbourhood(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NEIGHBOURHOOD_UNSPECIFIED: _ClassVar[Neighbourhood]
    NEIGHBOURHOOD_TAVERNE: _ClassVar[Neighbourhood]
    NEIGHBOURHOOD_LES_HALLES: _ClassVar[Neighbourhood]
    NEIGHBOURHOOD_LE_CHATELET: _ClassVar[Neighbourhood]
    NEIGHBOURHOOD_RUE_DE_L_EGYPTIENNE: _ClassVar[Neighbourhood]
    NEIGHBOURHOOD_GRANDE_COUR: _ClassVar[Neighbourhood]

class Rogue(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROGUE_UNSPECIFIED: _ClassVar[Rogue]
    ROGUE_HENCHMAN: _ClassVar[Rogue]
    ROGUE_BEGGAR: _ClassVar[Rogue]
    ROGUE_RIGHT_HAND: _ClassVar[Rogue]
    ROGUE_BRUTE: _ClassVar[Rogue]
    ROGUE_PICKPOCKET: _ClassVar[Rogue]
    ROGUE_DEFROCKED_PRIEST: _ClassVar[Rogue]
    ROGUE_SOOTHSAYER: _ClassVar[Rogue]
    ROGUE_SWORDSMAN: _ClassVar[Rogue]
    ROGUE_COURTESAN: _ClassVar[Rogue]

class PlotCard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLOT_CARD_UNSPECIFIED: _ClassVar[PlotCard]
    PLOT_CARD_STRENGTH: _ClassVar[PlotCard]
    PLOT_CARD_THE_EMPRESS: _ClassVar[PlotCard]
    PLOT_CARD_JUDGMENT: _ClassVar[PlotCard]
    PLOT_CARD_THE_SUN: _ClassVar[PlotCard]
    PLOT_CARD_WHEEL_OF_FORTUNE: _ClassVar[PlotCard]
    PLOT_CARD_THE_DEVIL: _ClassVar[PlotCard]
    PLOT_CARD_THE_HANGED_MAN: _ClassVar[PlotCard]
    PLOT_CARD_THE_CHARIOT: _ClassVar[PlotCard]
    PLOT_CARD_THE_TOWER: _ClassVar[PlotCard]
    PLOT_CARD_THE_HERMIT: _ClassVar[PlotCard]
    PLOT_CARD_THE_FOOL: _ClassVar[PlotCard]
    PLOT_CARD_THE_EMPEROR: _ClassVar[PlotCard]

class MiraclesDecision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIRACLES_DECISION_UNSPECIFIED: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_PLACE: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_ACT: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_SINK: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_DISCARD: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_WRATH: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_ORDER: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_SWORDSMAN: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_LONE: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_COURTESAN: _ClassVar[MiraclesDecision]
    MIRACLES_DECISION_EFFECT: _ClassVar[MiraclesDecision]

class MiraclesSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIRACLES_SOURCE_UNSPECIFIED: _ClassVar[MiraclesSource]
    MIRACLES_SOURCE_RULEBOOK: _ClassVar[MiraclesSource]
    MIRACLES_SOURCE_RECONSTRUCTION: _ClassVar[MiraclesSource]
    MIRACLES_SOURCE_PRINT: _ClassVar[MiraclesSource]

class MiraclesEffectKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIRACLES_EFFECT_KIND_UNSPECIFIED: _ClassVar[MiraclesEffectKind]
    MIRACLES_EFFECT_KIND_KING: _ClassVar[MiraclesEffectKind]
    MIRACLES_EFFECT_KIND_COIN: _ClassVar[MiraclesEffectKind]
    MIRACLES_EFFECT_KIND_PLOT: _ClassVar[MiraclesEffectKind]
    MIRACLES_EFFECT_KIND_RIGHT_HAND: _ClassVar[MiraclesEffectKind]

class MiraclesReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIRACLES_REASON_UNSPECIFIED: _ClassVar[MiraclesReason]
    MIRACLES_REASON_SPOT: _ClassVar[MiraclesReason]
    MIRACLES_REASON_INCOME: _ClassVar[MiraclesReason]
    MIRACLES_REASON_GRANDE_COUR: _ClassVar[MiraclesReason]
    MIRACLES_REASON_RENOWN: _ClassVar[MiraclesReason]
    MIRACLES_REASON_RENOWN_BONUS: _ClassVar[MiraclesReason]
    MIRACLES_REASON_BEGGAR: _ClassVar[MiraclesReason]
    MIRACLES_REASON_PICKPOCKET: _ClassVar[MiraclesReason]
    MIRACLES_REASON_SOOTHSAYER: _ClassVar[MiraclesReason]
    MIRACLES_REASON_SWORDSMAN: _ClassVar[MiraclesReason]
    MIRACLES_REASON_JUDGMENT: _ClassVar[MiraclesReason]
    MIRACLES_REASON_THE_SUN: _ClassVar[MiraclesReason]
    MIRACLES_REASON_THE_DEVIL: _ClassVar[MiraclesReason]

class MiraclesEnding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MIRACLES_ENDING_UNSPECIFIED: _ClassVar[MiraclesEnding]
    MIRACLES_ENDING_RENOWN: _ClassVar[MiraclesEnding]
    MIRACLES_ENDING_KING: _ClassVar[MiraclesEnding]
    MIRACLES_ENDING_ROUNDS: _ClassVar[MiraclesEnding]
NEIGHBOURHOOD_UNSPECIFIED: Neighbourhood
NEIGHBOURHOOD_TAVERNE: Neighbourhood
NEIGHBOURHOOD_LES_HALLES: Neighbourhood
NEIGHBOURHOOD_LE_CHATELET: Neighbourhood
NEIGHBOURHOOD_RUE_DE_L_EGYPTIENNE: Neighbourhood
NEIGHBOURHOOD_GRANDE_COUR: Neighbourhood
ROGUE_UNSPECIFIED: Rogue
ROGUE_HENCHMAN: Rogue
ROGUE_BEGGAR: Rogue
ROGUE_RIGHT_HAND: Rogue
ROGUE_BRUTE: Rogue
ROGUE_PICKPOCKET: Rogue
ROGUE_DEFROCKED_PRIEST: Rogue
ROGUE_SOOTHSAYER: Rogue
ROGUE_SWORDSMAN: Rogue
ROGUE_COURTESAN: Rogue
PLOT_CARD_UNSPECIFIED: PlotCard
PLOT_CARD_STRENGTH: PlotCard
PLOT_CARD_THE_EMPRESS: PlotCard
PLOT_CARD_JUDGMENT: PlotCard
PLOT_CARD_THE_SUN: PlotCard
PLOT_CARD_WHEEL_OF_FORTUNE: PlotCard
PLOT_CARD_THE_DEVIL: PlotCard
PLOT_CARD_THE_HANGED_MAN: PlotCard
PLOT_CARD_THE_CHARIOT: PlotCard
PLOT_CARD_THE_TOWER: PlotCard
PLOT_CARD_THE_HERMIT: PlotCard
PLOT_CARD_THE_FOOL: PlotCard
PLOT_CARD_THE_EMPEROR: PlotCard
MIRACLES_DECISION_UNSPECIFIED: MiraclesDecision
MIRACLES_DECISION_PLACE: MiraclesDecision
MIRACLES_DECISION_ACT: MiraclesDecision
MIRACLES_DECISION_SINK: MiraclesDecision
MIRACLES_DECISION_DISCARD: MiraclesDecision
MIRACLES_DECISION_WRATH: MiraclesDecision
MIRACLES_DECISION_ORDER: MiraclesDecision
MIRACLES_DECISION_SWORDSMAN: MiraclesDecision
MIRACLES_DECISION_LONE: MiraclesDecision
MIRACLES_DECISION_COURTESAN: MiraclesDecision
MIRACLES_DECISION_EFFECT: MiraclesDecision
MIRACLES_SOURCE_UNSPECIFIED: MiraclesSource
MIRACLES_SOURCE_RULEBOOK: MiraclesSource
MIRACLES_SOURCE_RECONSTRUCTION: MiraclesSource
MIRACLES_SOURCE_PRINT: MiraclesSource
MIRACLES_EFFECT_KIND_UNSPECIFIED: MiraclesEffectKind
MIRACLES_EFFECT_KIND_KING: MiraclesEffectKind
MIRACLES_EFFECT_KIND_COIN: MiraclesEffectKind
MIRACLES_EFFECT_KIND_PLOT: MiraclesEffectKind
MIRACLES_EFFECT_KIND_RIGHT_HAND: MiraclesEffectKind
MIRACLES_REASON_UNSPECIFIED: MiraclesReason
MIRACLES_REASON_SPOT: MiraclesReason
MIRACLES_REASON_INCOME: MiraclesReason
MIRACLES_REASON_GRANDE_COUR: MiraclesReason
MIRACLES_REASON_RENOWN: MiraclesReason
MIRACLES_REASON_RENOWN_BONUS: MiraclesReason
MIRACLES_REASON_BEGGAR: MiraclesReason
MIRACLES_REASON_PICKPOCKET: MiraclesReason
MIRACLES_REASON_SOOTHSAYER: MiraclesReason
MIRACLES_REASON_SWORDSMAN: MiraclesReason
MIRACLES_REASON_JUDGMENT: MiraclesReason
MIRACLES_REASON_THE_SUN: MiraclesReason
MIRACLES_REASON_THE_DEVIL: MiraclesReason
MIRACLES_ENDING_UNSPECIFIED: MiraclesEnding
MIRACLES_ENDING_RENOWN: MiraclesEnding
MIRACLES_ENDING_KING: MiraclesEnding
MIRACLES_ENDING_ROUNDS: MiraclesEnding

class MiraclesSpot(_message.Message):
    __slots__ = ("neighbourhood", "rank")
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    rank: int
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ..., rank: _Optional[int] = ...) -> None: ...

class MiraclesRenownPlace(_message.Message):
    __slots__ = ("neighbourhood", "line")
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    line: int
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ..., line: _Optional[int] = ...) -> None: ...

class MiraclesEffect(_message.Message):
    __slots__ = ("kind", "amount")
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    kind: MiraclesEffectKind
    amount: int
    def __init__(self, kind: _Optional[_Union[MiraclesEffectKind, str]] = ..., amount: _Optional[int] = ...) -> None: ...

class MiraclesNeighbourhoodData(_message.Message):
    __slots__ = ("source", "spots")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SPOTS_FIELD_NUMBER: _ClassVar[int]
    source: MiraclesSource
    spots: _containers.RepeatedCompositeFieldContainer[MiraclesEffect]
    def __init__(self, source: _Optional[_Union[MiraclesSource, str]] = ..., spots: _Optional[_Iterable[_Union[MiraclesEffect, _Mapping]]] = ...) -> None: ...

class MiraclesWrath(_message.Message):
    __slots__ = ("space", "neighbourhood")
    SPACE_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    space: int
    neighbourhood: Neighbourhood
    def __init__(self, space: _Optional[int] = ..., neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesKingData(_message.Message):
    __slots__ = ("source", "final_space", "wraths")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    FINAL_SPACE_FIELD_NUMBER: _ClassVar[int]
    WRATHS_FIELD_NUMBER: _ClassVar[int]
    source: MiraclesSource
    final_space: int
    wraths: _containers.RepeatedCompositeFieldContainer[MiraclesWrath]
    def __init__(self, source: _Optional[_Union[MiraclesSource, str]] = ..., final_space: _Optional[int] = ..., wraths: _Optional[_Iterable[_Union[MiraclesWrath, _Mapping]]] = ...) -> None: ...

class MiraclesLineData(_message.Message):
    __slots__ = ("source", "cost", "bonus")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    COST_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    source: MiraclesSource
    cost: int
    bonus: MiraclesEffect
    def __init__(self, source: _Optional[_Union[MiraclesSource, str]] = ..., cost: _Optional[int] = ..., bonus: _Optional[_Union[MiraclesEffect, _Mapping]] = ...) -> None: ...

class MiraclesRogueData(_message.Message):
    __slots__ = ("source", "bag", "strength", "coins", "plots", "price", "paid_strength", "bag_source", "strength_source")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    BAG_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    COINS_FIELD_NUMBER: _ClassVar[int]
    PLOTS_FIELD_NUMBER: _ClassVar[int]
    PRICE_FIELD_NUMBER: _ClassVar[int]
    PAID_STRENGTH_FIELD_NUMBER: _ClassVar[int]
    BAG_SOURCE_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: MiraclesSource
    bag: int
    strength: int
    coins: int
    plots: int
    price: int
    paid_strength: int
    bag_source: MiraclesSource
    strength_source: MiraclesSource
    def __init__(self, source: _Optional[_Union[MiraclesSource, str]] = ..., bag: _Optional[int] = ..., strength: _Optional[int] = ..., coins: _Optional[int] = ..., plots: _Optional[int] = ..., price: _Optional[int] = ..., paid_strength: _Optional[int] = ..., bag_source: _Optional[_Union[MiraclesSource, str]] = ..., strength_source: _Optional[_Union[MiraclesSource, str]] = ...) -> None: ...

class MiraclesPlotCardData(_message.Message):
    __slots__ = ("source", "copies", "amount", "copies_source")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    COPIES_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    COPIES_SOURCE_FIELD_NUMBER: _ClassVar[int]
    source: MiraclesSource
    copies: int
    amount: int
    copies_source: MiraclesSource
    def __init__(self, source: _Optional[_Union[MiraclesSource, str]] = ..., copies: _Optional[int] = ..., amount: _Optional[int] = ..., copies_source: _Optional[_Union[MiraclesSource, str]] = ...) -> None: ...

class MiraclesBoardData(_message.Message):
    __slots__ = ("name", "version", "neighbourhoods", "king", "lines", "rogues", "plot_cards")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOODS_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    ROGUES_FIELD_NUMBER: _ClassVar[int]
    PLOT_CARDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    neighbourhoods: _containers.RepeatedCompositeFieldContainer[MiraclesNeighbourhoodData]
    king: MiraclesKingData
    lines: _containers.RepeatedCompositeFieldContainer[MiraclesLineData]
    rogues: _containers.RepeatedCompositeFieldContainer[MiraclesRogueData]
    plot_cards: _containers.RepeatedCompositeFieldContainer[MiraclesPlotCardData]
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., neighbourhoods: _Optional[_Iterable[_Union[MiraclesNeighbourhoodData, _Mapping]]] = ..., king: _Optional[_Union[MiraclesKingData, _Mapping]] = ..., lines: _Optional[_Iterable[_Union[MiraclesLineData, _Mapping]]] = ..., rogues: _Optional[_Iterable[_Union[MiraclesRogueData, _Mapping]]] = ..., plot_cards: _Optional[_Iterable[_Union[MiraclesPlotCardData, _Mapping]]] = ...) -> None: ...

class MiraclesConfig(_message.Message):
    __slots__ = ("data", "max_rounds", "king_ends_at_once", "move_may_stay", "income_without_action", "wrath_on_empty", "controller_places_again", "nearest_swordsman_first", "courtesan_frees_contested", "plots_at_any_time")
    DATA_FIELD_NUMBER: _ClassVar[int]
    MAX_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    KING_ENDS_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    MOVE_MAY_STAY_FIELD_NUMBER: _ClassVar[int]
    INCOME_WITHOUT_ACTION_FIELD_NUMBER: _ClassVar[int]
    WRATH_ON_EMPTY_FIELD_NUMBER: _ClassVar[int]
    CONTROLLER_PLACES_AGAIN_FIELD_NUMBER: _ClassVar[int]
    NEAREST_SWORDSMAN_FIRST_FIELD_NUMBER: _ClassVar[int]
    COURTESAN_FREES_CONTESTED_FIELD_NUMBER: _ClassVar[int]
    PLOTS_AT_ANY_TIME_FIELD_NUMBER: _ClassVar[int]
    data: MiraclesBoardData
    max_rounds: int
    king_ends_at_once: bool
    move_may_stay: bool
    income_without_action: bool
    wrath_on_empty: bool
    controller_places_again: bool
    nearest_swordsman_first: bool
    courtesan_frees_contested: bool
    plots_at_any_time: bool
    def __init__(self, data: _Optional[_Union[MiraclesBoardData, _Mapping]] = ..., max_rounds: _Optional[int] = ..., king_ends_at_once: _Optional[bool] = ..., move_may_stay: _Optional[bool] = ..., income_without_action: _Optional[bool] = ..., wrath_on_empty: _Optional[bool] = ..., controller_places_again: _Optional[bool] = ..., nearest_swordsman_first: _Optional[bool] = ..., courtesan_frees_contested: _Optional[bool] = ..., plots_at_any_time: _Optional[bool] = ...) -> None: ...

class MiraclesRogueInPlay(_message.Message):
    __slots__ = ("spot", "owner", "rogue", "revealed")
    SPOT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    spot: MiraclesSpot
    owner: int
    rogue: Rogue
    revealed: bool
    def __init__(self, spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., owner: _Optional[int] = ..., rogue: _Optional[_Union[Rogue, str]] = ..., revealed: _Optional[bool] = ...) -> None: ...

class MiraclesControl(_message.Message):
    __slots__ = ("seat", "tokens")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    tokens: int
    def __init__(self, seat: _Optional[int] = ..., tokens: _Optional[int] = ...) -> None: ...

class MiraclesPlayer(_message.Message):
    __slots__ = ("coins", "rogues_at_hand", "plot_cards", "lines", "renown", "right_hand_taken")
    COINS_FIELD_NUMBER: _ClassVar[int]
    ROGUES_AT_HAND_FIELD_NUMBER: _ClassVar[int]
    PLOT_CARDS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    RENOWN_FIELD_NUMBER: _ClassVar[int]
    RIGHT_HAND_TAKEN_FIELD_NUMBER: _ClassVar[int]
    coins: int
    rogues_at_hand: int
    plot_cards: int
    lines: _containers.RepeatedScalarFieldContainer[int]
    renown: int
    right_hand_taken: bool
    def __init__(self, coins: _Optional[int] = ..., rogues_at_hand: _Optional[int] = ..., plot_cards: _Optional[int] = ..., lines: _Optional[_Iterable[int]] = ..., renown: _Optional[int] = ..., right_hand_taken: _Optional[bool] = ...) -> None: ...

class MiraclesStandoff(_message.Message):
    __slots__ = ("neighbourhood", "paid", "winner", "asked_rank")
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    ASKED_RANK_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    paid: _containers.RepeatedScalarFieldContainer[int]
    winner: int
    asked_rank: int
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ..., paid: _Optional[_Iterable[int]] = ..., winner: _Optional[int] = ..., asked_rank: _Optional[int] = ...) -> None: ...

class MiraclesObservation(_message.Message):
    __slots__ = ("seat", "round", "turn", "active", "to_act", "decision", "placed", "visited", "acted", "plot_played", "emperor", "king", "king_stopped", "players", "controls", "in_play", "rogues", "drawn", "plots", "playing", "discards", "pile_size", "bag_size", "seine_size", "sunk", "standoff", "pending")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    PLACED_FIELD_NUMBER: _ClassVar[int]
    VISITED_FIELD_NUMBER: _ClassVar[int]
    ACTED_FIELD_NUMBER: _ClassVar[int]
    PLOT_PLAYED_FIELD_NUMBER: _ClassVar[int]
    EMPEROR_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    KING_STOPPED_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    CONTROLS_FIELD_NUMBER: _ClassVar[int]
    IN_PLAY_FIELD_NUMBER: _ClassVar[int]
    ROGUES_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    PLOTS_FIELD_NUMBER: _ClassVar[int]
    PLAYING_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    PILE_SIZE_FIELD_NUMBER: _ClassVar[int]
    BAG_SIZE_FIELD_NUMBER: _ClassVar[int]
    SEINE_SIZE_FIELD_NUMBER: _ClassVar[int]
    SUNK_FIELD_NUMBER: _ClassVar[int]
    STANDOFF_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    seat: int
    round: int
    turn: int
    active: int
    to_act: int
    decision: MiraclesDecision
    placed: MiraclesSpot
    visited: Neighbourhood
    acted: bool
    plot_played: bool
    emperor: bool
    king: int
    king_stopped: bool
    players: _containers.RepeatedCompositeFieldContainer[MiraclesPlayer]
    controls: _containers.RepeatedCompositeFieldContainer[MiraclesControl]
    in_play: _containers.RepeatedCompositeFieldContainer[MiraclesRogueInPlay]
    rogues: _containers.RepeatedScalarFieldContainer[Rogue]
    drawn: Rogue
    plots: _containers.RepeatedScalarFieldContainer[PlotCard]
    playing: PlotCard
    discards: _containers.RepeatedScalarFieldContainer[PlotCard]
    pile_size: int
    bag_size: int
    seine_size: int
    sunk: _containers.RepeatedScalarFieldContainer[Rogue]
    standoff: MiraclesStandoff
    pending: _containers.RepeatedScalarFieldContainer[Neighbourhood]
    def __init__(self, seat: _Optional[int] = ..., round: _Optional[int] = ..., turn: _Optional[int] = ..., active: _Optional[int] = ..., to_act: _Optional[int] = ..., decision: _Optional[_Union[MiraclesDecision, str]] = ..., placed: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., visited: _Optional[_Union[Neighbourhood, str]] = ..., acted: _Optional[bool] = ..., plot_played: _Optional[bool] = ..., emperor: _Optional[bool] = ..., king: _Optional[int] = ..., king_stopped: _Optional[bool] = ..., players: _Optional[_Iterable[_Union[MiraclesPlayer, _Mapping]]] = ..., controls: _Optional[_Iterable[_Union[MiraclesControl, _Mapping]]] = ..., in_play: _Optional[_Iterable[_Union[MiraclesRogueInPlay, _Mapping]]] = ..., rogues: _Optional[_Iterable[_Union[Rogue, str]]] = ..., drawn: _Optional[_Union[Rogue, str]] = ..., plots: _Optional[_Iterable[_Union[PlotCard, str]]] = ..., playing: _Optional[_Union[PlotCard, str]] = ..., discards: _Optional[_Iterable[_Union[PlotCard, str]]] = ..., pile_size: _Optional[int] = ..., bag_size: _Optional[int] = ..., seine_size: _Optional[int] = ..., sunk: _Optional[_Iterable[_Union[Rogue, str]]] = ..., standoff: _Optional[_Union[MiraclesStandoff, _Mapping]] = ..., pending: _Optional[_Iterable[_Union[Neighbourhood, str]]] = ...) -> None: ...

class MiraclesLegal(_message.Message):
    __slots__ = ("decision", "rogues", "origins", "targets", "may_stay", "perform", "lines", "end_turn", "cards", "neighbourhoods", "empress_tokens", "empress_targets", "devil_opponents", "hanged_man_spots", "chariot_origins", "tower_spots", "hermit_spots", "fool_spaces", "plot_first", "playable")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    ROGUES_FIELD_NUMBER: _ClassVar[int]
    ORIGINS_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    MAY_STAY_FIELD_NUMBER: _ClassVar[int]
    PERFORM_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    END_TURN_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOODS_FIELD_NUMBER: _ClassVar[int]
    EMPRESS_TOKENS_FIELD_NUMBER: _ClassVar[int]
    EMPRESS_TARGETS_FIELD_NUMBER: _ClassVar[int]
    DEVIL_OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    HANGED_MAN_SPOTS_FIELD_NUMBER: _ClassVar[int]
    CHARIOT_ORIGINS_FIELD_NUMBER: _ClassVar[int]
    TOWER_SPOTS_FIELD_NUMBER: _ClassVar[int]
    HERMIT_SPOTS_FIELD_NUMBER: _ClassVar[int]
    FOOL_SPACES_FIELD_NUMBER: _ClassVar[int]
    PLOT_FIRST_FIELD_NUMBER: _ClassVar[int]
    PLAYABLE_FIELD_NUMBER: _ClassVar[int]
    decision: MiraclesDecision
    rogues: _containers.RepeatedScalarFieldContainer[Rogue]
    origins: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    targets: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    may_stay: bool
    perform: bool
    lines: _containers.RepeatedScalarFieldContainer[int]
    end_turn: bool
    cards: _containers.RepeatedScalarFieldContainer[PlotCard]
    neighbourhoods: _containers.RepeatedScalarFieldContainer[Neighbourhood]
    empress_tokens: _containers.RepeatedCompositeFieldContainer[MiraclesRenownPlace]
    empress_targets: _containers.RepeatedScalarFieldContainer[Neighbourhood]
    devil_opponents: _containers.RepeatedScalarFieldContainer[int]
    hanged_man_spots: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    chariot_origins: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    tower_spots: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    hermit_spots: _containers.RepeatedCompositeFieldContainer[MiraclesSpot]
    fool_spaces: int
    plot_first: bool
    playable: _containers.RepeatedScalarFieldContainer[PlotCard]
    def __init__(self, decision: _Optional[_Union[MiraclesDecision, str]] = ..., rogues: _Optional[_Iterable[_Union[Rogue, str]]] = ..., origins: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., targets: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., may_stay: _Optional[bool] = ..., perform: _Optional[bool] = ..., lines: _Optional[_Iterable[int]] = ..., end_turn: _Optional[bool] = ..., cards: _Optional[_Iterable[_Union[PlotCard, str]]] = ..., neighbourhoods: _Optional[_Iterable[_Union[Neighbourhood, str]]] = ..., empress_tokens: _Optional[_Iterable[_Union[MiraclesRenownPlace, _Mapping]]] = ..., empress_targets: _Optional[_Iterable[_Union[Neighbourhood, str]]] = ..., devil_opponents: _Optional[_Iterable[int]] = ..., hanged_man_spots: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., chariot_origins: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., tower_spots: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., hermit_spots: _Optional[_Iterable[_Union[MiraclesSpot, _Mapping]]] = ..., fool_spaces: _Optional[int] = ..., plot_first: _Optional[bool] = ..., playable: _Optional[_Iterable[_Union[PlotCard, str]]] = ...) -> None: ...

class MiraclesPlaceRogue(_message.Message):
    __slots__ = ("rogue", "spot", "plot_first")
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    PLOT_FIRST_FIELD_NUMBER: _ClassVar[int]
    rogue: Rogue
    spot: MiraclesSpot
    plot_first: bool
    def __init__(self, rogue: _Optional[_Union[Rogue, str]] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., plot_first: _Optional[bool] = ...) -> None: ...

class MiraclesMoveRogue(_message.Message):
    __slots__ = ("origin", "target", "plot_first")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    PLOT_FIRST_FIELD_NUMBER: _ClassVar[int]
    origin: MiraclesSpot
    target: MiraclesSpot
    plot_first: bool
    def __init__(self, origin: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., target: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., plot_first: _Optional[bool] = ...) -> None: ...

class MiraclesPerformAction(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MiraclesBuyRenown(_message.Message):
    __slots__ = ("line",)
    LINE_FIELD_NUMBER: _ClassVar[int]
    line: int
    def __init__(self, line: _Optional[int] = ...) -> None: ...

class MiraclesMoveOther(_message.Message):
    __slots__ = ("origin", "target")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    origin: MiraclesSpot
    target: MiraclesSpot
    def __init__(self, origin: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., target: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesEndTurn(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MiraclesPlayCard(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: PlotCard
    def __init__(self, card: _Optional[_Union[PlotCard, str]] = ...) -> None: ...

class MiraclesPlayEmpress(_message.Message):
    __slots__ = ("token", "target")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    token: MiraclesRenownPlace
    target: Neighbourhood
    def __init__(self, token: _Optional[_Union[MiraclesRenownPlace, _Mapping]] = ..., target: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesPlayDevil(_message.Message):
    __slots__ = ("opponent",)
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    opponent: int
    def __init__(self, opponent: _Optional[int] = ...) -> None: ...

class MiraclesPlayHangedMan(_message.Message):
    __slots__ = ("spot",)
    SPOT_FIELD_NUMBER: _ClassVar[int]
    spot: MiraclesSpot
    def __init__(self, spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesPlayChariot(_message.Message):
    __slots__ = ("origin", "target")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    origin: MiraclesSpot
    target: MiraclesSpot
    def __init__(self, origin: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., target: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesPlayTower(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: MiraclesSpot
    second: MiraclesSpot
    def __init__(self, first: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., second: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesPlayHermit(_message.Message):
    __slots__ = ("spot",)
    SPOT_FIELD_NUMBER: _ClassVar[int]
    spot: MiraclesSpot
    def __init__(self, spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesPlayFool(_message.Message):
    __slots__ = ("spaces",)
    SPACES_FIELD_NUMBER: _ClassVar[int]
    spaces: int
    def __init__(self, spaces: _Optional[int] = ...) -> None: ...

class MiraclesSinkRogue(_message.Message):
    __slots__ = ("rogue",)
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    rogue: Rogue
    def __init__(self, rogue: _Optional[_Union[Rogue, str]] = ...) -> None: ...

class MiraclesDiscardPlot(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: PlotCard
    def __init__(self, card: _Optional[_Union[PlotCard, str]] = ...) -> None: ...

class MiraclesChooseWrath(_message.Message):
    __slots__ = ("neighbourhood",)
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesSettleNext(_message.Message):
    __slots__ = ("neighbourhood",)
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesPaySwordsman(_message.Message):
    __slots__ = ("pays",)
    PAYS_FIELD_NUMBER: _ClassVar[int]
    pays: bool
    def __init__(self, pays: _Optional[bool] = ...) -> None: ...

class MiraclesRevealLone(_message.Message):
    __slots__ = ("reveals",)
    REVEALS_FIELD_NUMBER: _ClassVar[int]
    reveals: bool
    def __init__(self, reveals: _Optional[bool] = ...) -> None: ...

class MiraclesUseCourtesan(_message.Message):
    __slots__ = ("neighbourhood",)
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesTakeEffect(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class MiraclesAction(_message.Message):
    __slots__ = ("place_rogue", "move_rogue", "perform_action", "buy_renown", "move_other", "end_turn", "play_card", "play_empress", "play_devil", "play_hanged_man", "play_chariot", "play_tower", "play_hermit", "play_fool", "sink_rogue", "discard_plot", "choose_wrath", "settle_next", "pay_swordsman", "reveal_lone", "use_courtesan", "take_effect")
    PLACE_ROGUE_FIELD_NUMBER: _ClassVar[int]
    MOVE_ROGUE_FIELD_NUMBER: _ClassVar[int]
    PERFORM_ACTION_FIELD_NUMBER: _ClassVar[int]
    BUY_RENOWN_FIELD_NUMBER: _ClassVar[int]
    MOVE_OTHER_FIELD_NUMBER: _ClassVar[int]
    END_TURN_FIELD_NUMBER: _ClassVar[int]
    PLAY_CARD_FIELD_NUMBER: _ClassVar[int]
    PLAY_EMPRESS_FIELD_NUMBER: _ClassVar[int]
    PLAY_DEVIL_FIELD_NUMBER: _ClassVar[int]
    PLAY_HANGED_MAN_FIELD_NUMBER: _ClassVar[int]
    PLAY_CHARIOT_FIELD_NUMBER: _ClassVar[int]
    PLAY_TOWER_FIELD_NUMBER: _ClassVar[int]
    PLAY_HERMIT_FIELD_NUMBER: _ClassVar[int]
    PLAY_FOOL_FIELD_NUMBER: _ClassVar[int]
    SINK_ROGUE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_PLOT_FIELD_NUMBER: _ClassVar[int]
    CHOOSE_WRATH_FIELD_NUMBER: _ClassVar[int]
    SETTLE_NEXT_FIELD_NUMBER: _ClassVar[int]
    PAY_SWORDSMAN_FIELD_NUMBER: _ClassVar[int]
    REVEAL_LONE_FIELD_NUMBER: _ClassVar[int]
    USE_COURTESAN_FIELD_NUMBER: _ClassVar[int]
    TAKE_EFFECT_FIELD_NUMBER: _ClassVar[int]
    place_rogue: MiraclesPlaceRogue
    move_rogue: MiraclesMoveRogue
    perform_action: MiraclesPerformAction
    buy_renown: MiraclesBuyRenown
    move_other: MiraclesMoveOther
    end_turn: MiraclesEndTurn
    play_card: MiraclesPlayCard
    play_empress: MiraclesPlayEmpress
    play_devil: MiraclesPlayDevil
    play_hanged_man: MiraclesPlayHangedMan
    play_chariot: MiraclesPlayChariot
    play_tower: MiraclesPlayTower
    play_hermit: MiraclesPlayHermit
    play_fool: MiraclesPlayFool
    sink_rogue: MiraclesSinkRogue
    discard_plot: MiraclesDiscardPlot
    choose_wrath: MiraclesChooseWrath
    settle_next: MiraclesSettleNext
    pay_swordsman: MiraclesPaySwordsman
    reveal_lone: MiraclesRevealLone
    use_courtesan: MiraclesUseCourtesan
    take_effect: MiraclesTakeEffect
    def __init__(self, place_rogue: _Optional[_Union[MiraclesPlaceRogue, _Mapping]] = ..., move_rogue: _Optional[_Union[MiraclesMoveRogue, _Mapping]] = ..., perform_action: _Optional[_Union[MiraclesPerformAction, _Mapping]] = ..., buy_renown: _Optional[_Union[MiraclesBuyRenown, _Mapping]] = ..., move_other: _Optional[_Union[MiraclesMoveOther, _Mapping]] = ..., end_turn: _Optional[_Union[MiraclesEndTurn, _Mapping]] = ..., play_card: _Optional[_Union[MiraclesPlayCard, _Mapping]] = ..., play_empress: _Optional[_Union[MiraclesPlayEmpress, _Mapping]] = ..., play_devil: _Optional[_Union[MiraclesPlayDevil, _Mapping]] = ..., play_hanged_man: _Optional[_Union[MiraclesPlayHangedMan, _Mapping]] = ..., play_chariot: _Optional[_Union[MiraclesPlayChariot, _Mapping]] = ..., play_tower: _Optional[_Union[MiraclesPlayTower, _Mapping]] = ..., play_hermit: _Optional[_Union[MiraclesPlayHermit, _Mapping]] = ..., play_fool: _Optional[_Union[MiraclesPlayFool, _Mapping]] = ..., sink_rogue: _Optional[_Union[MiraclesSinkRogue, _Mapping]] = ..., discard_plot: _Optional[_Union[MiraclesDiscardPlot, _Mapping]] = ..., choose_wrath: _Optional[_Union[MiraclesChooseWrath, _Mapping]] = ..., settle_next: _Optional[_Union[MiraclesSettleNext, _Mapping]] = ..., pay_swordsman: _Optional[_Union[MiraclesPaySwordsman, _Mapping]] = ..., reveal_lone: _Optional[_Union[MiraclesRevealLone, _Mapping]] = ..., use_courtesan: _Optional[_Union[MiraclesUseCourtesan, _Mapping]] = ..., take_effect: _Optional[_Union[MiraclesTakeEffect, _Mapping]] = ...) -> None: ...

class MiraclesTurnStarted(_message.Message):
    __slots__ = ("turn", "round", "seat")
    TURN_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    turn: int
    round: int
    seat: int
    def __init__(self, turn: _Optional[int] = ..., round: _Optional[int] = ..., seat: _Optional[int] = ...) -> None: ...

class MiraclesRoguePlaced(_message.Message):
    __slots__ = ("seat", "spot", "rogue")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    spot: MiraclesSpot
    rogue: Rogue
    def __init__(self, seat: _Optional[int] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., rogue: _Optional[_Union[Rogue, str]] = ...) -> None: ...

class MiraclesRogueMoved(_message.Message):
    __slots__ = ("seat", "owner", "origin", "target")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    origin: MiraclesSpot
    target: MiraclesSpot
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., origin: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., target: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesRoguesSwapped(_message.Message):
    __slots__ = ("seat", "first", "second")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    seat: int
    first: MiraclesSpot
    second: MiraclesSpot
    def __init__(self, seat: _Optional[int] = ..., first: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., second: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesRogueReturned(_message.Message):
    __slots__ = ("seat", "owner", "spot")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    owner: int
    spot: MiraclesSpot
    def __init__(self, seat: _Optional[int] = ..., owner: _Optional[int] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesRogueSeen(_message.Message):
    __slots__ = ("seat", "spot", "owner", "rogue")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    spot: MiraclesSpot
    owner: int
    rogue: Rogue
    def __init__(self, seat: _Optional[int] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., owner: _Optional[int] = ..., rogue: _Optional[_Union[Rogue, str]] = ...) -> None: ...

class MiraclesRogueDrawn(_message.Message):
    __slots__ = ("seat", "rogue")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    rogue: Rogue
    def __init__(self, seat: _Optional[int] = ..., rogue: _Optional[_Union[Rogue, str]] = ...) -> None: ...

class MiraclesRogueSunk(_message.Message):
    __slots__ = ("seat", "rogue", "drawn")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ROGUE_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    rogue: Rogue
    drawn: bool
    def __init__(self, seat: _Optional[int] = ..., rogue: _Optional[_Union[Rogue, str]] = ..., drawn: _Optional[bool] = ...) -> None: ...

class MiraclesActionPerformed(_message.Message):
    __slots__ = ("seat", "neighbourhood")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    neighbourhood: Neighbourhood
    def __init__(self, seat: _Optional[int] = ..., neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesCoinsMoved(_message.Message):
    __slots__ = ("payer", "receiver", "amount", "reason")
    PAYER_FIELD_NUMBER: _ClassVar[int]
    RECEIVER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    payer: int
    receiver: int
    amount: int
    reason: MiraclesReason
    def __init__(self, payer: _Optional[int] = ..., receiver: _Optional[int] = ..., amount: _Optional[int] = ..., reason: _Optional[_Union[MiraclesReason, str]] = ...) -> None: ...

class MiraclesKingMoved(_message.Message):
    __slots__ = ("origin", "target", "stopped")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    STOPPED_FIELD_NUMBER: _ClassVar[int]
    origin: int
    target: int
    stopped: bool
    def __init__(self, origin: _Optional[int] = ..., target: _Optional[int] = ..., stopped: _Optional[bool] = ...) -> None: ...

class MiraclesPlotsDrawn(_message.Message):
    __slots__ = ("seat", "number", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    number: int
    cards: _containers.RepeatedScalarFieldContainer[PlotCard]
    def __init__(self, seat: _Optional[int] = ..., number: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[PlotCard, str]]] = ...) -> None: ...

class MiraclesPlotDiscarded(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: PlotCard
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[PlotCard, str]] = ...) -> None: ...

class MiraclesPlotPlayed(_message.Message):
    __slots__ = ("seat", "card")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    card: PlotCard
    def __init__(self, seat: _Optional[int] = ..., card: _Optional[_Union[PlotCard, str]] = ...) -> None: ...

class MiraclesPileReshuffled(_message.Message):
    __slots__ = ("size",)
    SIZE_FIELD_NUMBER: _ClassVar[int]
    size: int
    def __init__(self, size: _Optional[int] = ...) -> None: ...

class MiraclesRenownPlaced(_message.Message):
    __slots__ = ("seat", "place", "renown")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    RENOWN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    place: MiraclesRenownPlace
    renown: int
    def __init__(self, seat: _Optional[int] = ..., place: _Optional[_Union[MiraclesRenownPlace, _Mapping]] = ..., renown: _Optional[int] = ...) -> None: ...

class MiraclesRenownMoved(_message.Message):
    __slots__ = ("seat", "origin", "target")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    seat: int
    origin: MiraclesRenownPlace
    target: Neighbourhood
    def __init__(self, seat: _Optional[int] = ..., origin: _Optional[_Union[MiraclesRenownPlace, _Mapping]] = ..., target: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesRenownReturned(_message.Message):
    __slots__ = ("seat", "neighbourhood", "tokens")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    neighbourhood: Neighbourhood
    tokens: int
    def __init__(self, seat: _Optional[int] = ..., neighbourhood: _Optional[_Union[Neighbourhood, str]] = ..., tokens: _Optional[int] = ...) -> None: ...

class MiraclesRightHandTaken(_message.Message):
    __slots__ = ("seat",)
    SEAT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    def __init__(self, seat: _Optional[int] = ...) -> None: ...

class MiraclesWrathChosen(_message.Message):
    __slots__ = ("seat", "neighbourhood")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    neighbourhood: Neighbourhood
    def __init__(self, seat: _Optional[int] = ..., neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesStandoffStarted(_message.Message):
    __slots__ = ("neighbourhood",)
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesRoguesRevealed(_message.Message):
    __slots__ = ("rogues",)
    ROGUES_FIELD_NUMBER: _ClassVar[int]
    rogues: _containers.RepeatedCompositeFieldContainer[MiraclesRogueInPlay]
    def __init__(self, rogues: _Optional[_Iterable[_Union[MiraclesRogueInPlay, _Mapping]]] = ...) -> None: ...

class MiraclesLoneKept(_message.Message):
    __slots__ = ("seat", "spot")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    spot: MiraclesSpot
    def __init__(self, seat: _Optional[int] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ...) -> None: ...

class MiraclesSwordsmanAnswered(_message.Message):
    __slots__ = ("seat", "spot", "pays")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SPOT_FIELD_NUMBER: _ClassVar[int]
    PAYS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    spot: MiraclesSpot
    pays: bool
    def __init__(self, seat: _Optional[int] = ..., spot: _Optional[_Union[MiraclesSpot, _Mapping]] = ..., pays: _Optional[bool] = ...) -> None: ...

class MiraclesTotal(_message.Message):
    __slots__ = ("seat", "strength")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    seat: int
    strength: int
    def __init__(self, seat: _Optional[int] = ..., strength: _Optional[int] = ...) -> None: ...

class MiraclesStandoffWon(_message.Message):
    __slots__ = ("neighbourhood", "winner", "totals")
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    winner: int
    totals: _containers.RepeatedCompositeFieldContainer[MiraclesTotal]
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ..., winner: _Optional[int] = ..., totals: _Optional[_Iterable[_Union[MiraclesTotal, _Mapping]]] = ...) -> None: ...

class MiraclesStandoffEnded(_message.Message):
    __slots__ = ("neighbourhood",)
    NEIGHBOURHOOD_FIELD_NUMBER: _ClassVar[int]
    neighbourhood: Neighbourhood
    def __init__(self, neighbourhood: _Optional[_Union[Neighbourhood, str]] = ...) -> None: ...

class MiraclesGameEnded(_message.Message):
    __slots__ = ("turn",)
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: int
    def __init__(self, turn: _Optional[int] = ...) -> None: ...

class MiraclesEvent(_message.Message):
    __slots__ = ("turn_started", "rogue_placed", "rogue_moved", "rogues_swapped", "rogue_returned", "rogue_seen", "rogue_drawn", "rogue_sunk", "action_performed", "coins_moved", "king_moved", "plots_drawn", "plot_discarded", "plot_played", "pile_reshuffled", "renown_placed", "renown_moved", "renown_returned", "right_hand_taken", "wrath_chosen", "standoff_started", "rogues_revealed", "lone_kept", "swordsman_answered", "standoff_won", "standoff_ended", "game_ended")
    TURN_STARTED_FIELD_NUMBER: _ClassVar[int]
    ROGUE_PLACED_FIELD_NUMBER: _ClassVar[int]
    ROGUE_MOVED_FIELD_NUMBER: _ClassVar[int]
    ROGUES_SWAPPED_FIELD_NUMBER: _ClassVar[int]
    ROGUE_RETURNED_FIELD_NUMBER: _ClassVar[int]
    ROGUE_SEEN_FIELD_NUMBER: _ClassVar[int]
    ROGUE_DRAWN_FIELD_NUMBER: _ClassVar[int]
    ROGUE_SUNK_FIELD_NUMBER: _ClassVar[int]
    ACTION_PERFORMED_FIELD_NUMBER: _ClassVar[int]
    COINS_MOVED_FIELD_NUMBER: _ClassVar[int]
    KING_MOVED_FIELD_NUMBER: _ClassVar[int]
    PLOTS_DRAWN_FIELD_NUMBER: _ClassVar[int]
    PLOT_DISCARDED_FIELD_NUMBER: _ClassVar[int]
    PLOT_PLAYED_FIELD_NUMBER: _ClassVar[int]
    PILE_RESHUFFLED_FIELD_NUMBER: _ClassVar[int]
    RENOWN_PLACED_FIELD_NUMBER: _ClassVar[int]
    RENOWN_MOVED_FIELD_NUMBER: _ClassVar[int]
    RENOWN_RETURNED_FIELD_NUMBER: _ClassVar[int]
    RIGHT_HAND_TAKEN_FIELD_NUMBER: _ClassVar[int]
    WRATH_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    STANDOFF_STARTED_FIELD_NUMBER: _ClassVar[int]
    ROGUES_REVEALED_FIELD_NUMBER: _ClassVar[int]
    LONE_KEPT_FIELD_NUMBER: _ClassVar[int]
    SWORDSMAN_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    STANDOFF_WON_FIELD_NUMBER: _ClassVar[int]
    STANDOFF_ENDED_FIELD_NUMBER: _ClassVar[int]
    GAME_ENDED_FIELD_NUMBER: _ClassVar[int]
    turn_started: MiraclesTurnStarted
    rogue_placed: MiraclesRoguePlaced
    rogue_moved: MiraclesRogueMoved
    rogues_swapped: MiraclesRoguesSwapped
    rogue_returned: MiraclesRogueReturned
    rogue_seen: MiraclesRogueSeen
    rogue_drawn: MiraclesRogueDrawn
    rogue_sunk: MiraclesRogueSunk
    action_performed: MiraclesActionPerformed
    coins_moved: MiraclesCoinsMoved
    king_moved: MiraclesKingMoved
    plots_drawn: MiraclesPlotsDrawn
    plot_discarded: MiraclesPlotDiscarded
    plot_played: MiraclesPlotPlayed
    pile_reshuffled: MiraclesPileReshuffled
    renown_placed: MiraclesRenownPlaced
    renown_moved: MiraclesRenownMoved
    renown_returned: MiraclesRenownReturned
    right_hand_taken: MiraclesRightHandTaken
    wrath_chosen: MiraclesWrathChosen
    standoff_started: MiraclesStandoffStarted
    rogues_revealed: MiraclesRoguesRevealed
    lone_kept: MiraclesLoneKept
    swordsman_answered: MiraclesSwordsmanAnswered
    standoff_won: MiraclesStandoffWon
    standoff_ended: MiraclesStandoffEnded
    game_ended: MiraclesGameEnded
    def __init__(self, turn_started: _Optional[_Union[MiraclesTurnStarted, _Mapping]] = ..., rogue_placed: _Optional[_Union[MiraclesRoguePlaced, _Mapping]] = ..., rogue_moved: _Optional[_Union[MiraclesRogueMoved, _Mapping]] = ..., rogues_swapped: _Optional[_Union[MiraclesRoguesSwapped, _Mapping]] = ..., rogue_returned: _Optional[_Union[MiraclesRogueReturned, _Mapping]] = ..., rogue_seen: _Optional[_Union[MiraclesRogueSeen, _Mapping]] = ..., rogue_drawn: _Optional[_Union[MiraclesRogueDrawn, _Mapping]] = ..., rogue_sunk: _Optional[_Union[MiraclesRogueSunk, _Mapping]] = ..., action_performed: _Optional[_Union[MiraclesActionPerformed, _Mapping]] = ..., coins_moved: _Optional[_Union[MiraclesCoinsMoved, _Mapping]] = ..., king_moved: _Optional[_Union[MiraclesKingMoved, _Mapping]] = ..., plots_drawn: _Optional[_Union[MiraclesPlotsDrawn, _Mapping]] = ..., plot_discarded: _Optional[_Union[MiraclesPlotDiscarded, _Mapping]] = ..., plot_played: _Optional[_Union[MiraclesPlotPlayed, _Mapping]] = ..., pile_reshuffled: _Optional[_Union[MiraclesPileReshuffled, _Mapping]] = ..., renown_placed: _Optional[_Union[MiraclesRenownPlaced, _Mapping]] = ..., renown_moved: _Optional[_Union[MiraclesRenownMoved, _Mapping]] = ..., renown_returned: _Optional[_Union[MiraclesRenownReturned, _Mapping]] = ..., right_hand_taken: _Optional[_Union[MiraclesRightHandTaken, _Mapping]] = ..., wrath_chosen: _Optional[_Union[MiraclesWrathChosen, _Mapping]] = ..., standoff_started: _Optional[_Union[MiraclesStandoffStarted, _Mapping]] = ..., rogues_revealed: _Optional[_Union[MiraclesRoguesRevealed, _Mapping]] = ..., lone_kept: _Optional[_Union[MiraclesLoneKept, _Mapping]] = ..., swordsman_answered: _Optional[_Union[MiraclesSwordsmanAnswered, _Mapping]] = ..., standoff_won: _Optional[_Union[MiraclesStandoffWon, _Mapping]] = ..., standoff_ended: _Optional[_Union[MiraclesStandoffEnded, _Mapping]] = ..., game_ended: _Optional[_Union[MiraclesGameEnded, _Mapping]] = ...) -> None: ...

class MiraclesSeatResult(_message.Message):
    __slots__ = ("rank", "renown", "neighbourhoods", "lines", "coins")
    RANK_FIELD_NUMBER: _ClassVar[int]
    RENOWN_FIELD_NUMBER: _ClassVar[int]
    NEIGHBOURHOODS_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    COINS_FIELD_NUMBER: _ClassVar[int]
    rank: int
    renown: int
    neighbourhoods: int
    lines: _containers.RepeatedScalarFieldContainer[int]
    coins: int
    def __init__(self, rank: _Optional[int] = ..., renown: _Optional[int] = ..., neighbourhoods: _Optional[int] = ..., lines: _Optional[_Iterable[int]] = ..., coins: _Optional[int] = ...) -> None: ...

class MiraclesResult(_message.Message):
    __slots__ = ("data", "ending", "turn", "round", "king", "seats")
    DATA_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    KING_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    data: str
    ending: MiraclesEnding
    turn: int
    round: int
    king: int
    seats: _containers.RepeatedCompositeFieldContainer[MiraclesSeatResult]
    def __init__(self, data: _Optional[str] = ..., ending: _Optional[_Union[MiraclesEnding, str]] = ..., turn: _Optional[int] = ..., round: _Optional[int] = ..., king: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[MiraclesSeatResult, _Mapping]]] = ...) -> None: ...

class MiraclesDeal(_message.Message):
    __slots__ = ("data", "starting_seat", "hands", "pile", "bag", "reshuffle_seed")
    DATA_FIELD_NUMBER: _ClassVar[int]
    STARTING_SEAT_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    PILE_FIELD_NUMBER: _ClassVar[int]
    BAG_FIELD_NUMBER: _ClassVar[int]
    RESHUFFLE_SEED_FIELD_NUMBER: _ClassVar[int]
    data: str
    starting_seat: int
    hands: _containers.RepeatedScalarFieldContainer[PlotCard]
    pile: _containers.RepeatedScalarFieldContainer[PlotCard]
    bag: _containers.RepeatedScalarFieldContainer[Rogue]
    reshuffle_seed: str
    def __init__(self, data: _Optional[str] = ..., starting_seat: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[PlotCard, str]]] = ..., pile: _Optional[_Iterable[_Union[PlotCard, str]]] = ..., bag: _Optional[_Iterable[_Union[Rogue, str]]] = ..., reshuffle_seed: _Optional[str] = ...) -> None: ...
