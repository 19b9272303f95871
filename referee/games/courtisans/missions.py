"""The twenty secret missions: ten white ones about domains, ten blue ones about the table."""

from collections.abc import Callable, Collection, Mapping
from enum import IntEnum
from typing import NamedTuple

from referee.games.courtisans.cards import Family, Role

_FAMILIES = tuple(Family)  # an enum takes ten times as long to iterate
MISSION_POINTS = 3
"""Points for a fulfilled mission."""


class Mission(IntEnum):
    """A secret mission; 1 to 10 are white, 11 to 20 blue."""

    FEWER_BUTTERFLIES = 1
    FEWER_TOADS = 2
    FEWER_NIGHTINGALES = 3
    FEWER_STAGS = 4
    FEWER_HARES = 5
    FEWER_CARPS = 6
    THREE_NOBLES = 7
    TWO_ASSASSINS = 8
    FOUR_GUARDS = 9
    THREE_SPIES = 10
    FALLEN_BUTTERFLIES = 11
    FALLEN_TOADS = 12
    FALLEN_NIGHTINGALES = 13
    FALLEN_STAGS = 14
    FALLEN_HARES = 15
    FALLEN_CARPS = 16
    ALL_BELOW = 17
    FIVE_BELOW = 18
    FEW_ESTEEMED = 19
    TWO_FALLEN = 20


WHITE: tuple[Mission, ...] = tuple(Mission)[:10]
BLUE: tuple[Mission, ...] = tuple(Mission)[10:]

FEWER: Mapping[Mission, Family] = {
    Mission.FEWER_BUTTERFLIES: Family.BUTTERFLY,
    Mission.FEWER_TOADS: Family.TOAD,
    Mission.FEWER_NIGHTINGALES: Family.NIGHTINGALE,
    Mission.FEWER_STAGS: Family.STAG,
    Mission.FEWER_HARES: Family.HARE,
    Mission.FEWER_CARPS: Family.CARP,
}
"""The family the holder must have fewer cards of than the left neighbour."""

FALLEN: Mapping[Mission, Family] = {
    Mission.FALLEN_BUTTERFLIES: Family.BUTTERFLY,
    Mission.FALLEN_TOADS: Family.TOAD,
    Mission.FALLEN_NIGHTINGALES: Family.NIGHTINGALE,
    Mission.FALLEN_STAGS: Family.STAG,
    Mission.FALLEN_HARES: Family.HARE,
    Mission.FALLEN_CARPS: Family.CARP,
}
"""The family that must be fallen."""

ROLES: Mapping[Mission, tuple[int, Role]] = {
    Mission.THREE_NOBLES: (3, Role.NOBLE),
    Mission.TWO_ASSASSINS: (2, Role.ASSASSIN),
    Mission.FOUR_GUARDS: (4, Role.GUARD),
    Mission.THREE_SPIES: (3, Role.SPY),
}
"""How many cards of which role the holder's domain must have at least."""


class MissionCounts(NamedTuple):
    """All that a mission's condition can depend on, for the holder of one domain.

    A mapping may omit families and roles without a card only if it returns 0 for a missing key, as
    `collections.Counter` does.
    """

    own: Mapping[Family, int]
    """Cards by family in the holder's domain; a noble counts as configured."""
    neighbour: Mapping[Family, int]
    """The same for the domain of the left neighbour, the next seat clockwise."""
    roles: Mapping[Role, int]
    """Cards by role in the holder's domain, each counted once."""
    below: Mapping[Family, int]
    """Cards by family below the mat; a noble counts as configured."""
    esteemed: Collection[Family]
    """The families with more weight above the mat than below."""
    fallen: Collection[Family]
    """The families with more weight below the mat than above."""


Condition = Callable[[MissionCounts], bool]


def _fewer(family: Family) -> Condition:
    return lambda counts: counts.own[family] < counts.neighbour[family]


def _at_least(number: int, role: Role) -> Condition:
    return lambda counts: counts.roles[role] >= number


def _fallen(family: Family) -> Condition:
    return lambda counts: family in counts.fallen


def _all_below(counts: MissionCounts) -> bool:
    return all(counts.below[family] >= 1 for family in _FAMILIES)


def _some_below(number: int) -> Condition:
    return lambda counts: any(counts.below[family] >= number for family in _FAMILIES)


def _esteemed_at_most(number: int) -> Condition:
    return lambda counts: len(counts.esteemed) <= number


def _fallen_at_least(number: int) -> Condition:
    return lambda counts: len(counts.fallen) >= number


_CONDITIONS: Mapping[Mission, Condition] = {
    **{mission: _fewer(family) for mission, family in FEWER.items()},
    **{mission: _at_least(*needed) for mission, needed in ROLES.items()},
    **{mission: _fallen(family) for mission, family in FALLEN.items()},
    Mission.ALL_BELOW: _all_below,
    Mission.FIVE_BELOW: _some_below(5),
    Mission.FEW_ESTEEMED: _esteemed_at_most(3),
    Mission.TWO_FALLEN: _fallen_at_least(2),
}


def is_fulfilled(mission: Mission, counts: MissionCounts) -> bool:
    """Return whether the mission's condition holds."""
    return _CONDITIONS[mission](counts)
