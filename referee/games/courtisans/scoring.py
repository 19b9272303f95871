"""Scores a position.

Every function takes cards as any seat sees them. A card of hidden family counts for no family, so
a bot can score its own observation; at the end every family is known.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from referee.games.base import Seat
from referee.games.courtisans.cards import Family, Role, Side
from referee.games.courtisans.missions import (
    MISSION_POINTS,
    Mission,
    MissionCounts,
    is_fulfilled,
)
from referee.games.courtisans.observation import CardInPlay, Eliminated

# Looking up an enum member takes longer than all other work on one card.
_FAMILIES = tuple(Family)
_NOBLE, _SPY = Role.NOBLE, Role.SPY
_ABOVE, _BELOW = Side.ABOVE, Side.BELOW


class Status(IntEnum):
    """A family's standing at the end; `sign` is its factor."""

    FALLEN = 1
    NEUTRAL = 2
    ESTEEMED = 3

    @property
    def sign(self) -> int:
        """Return -1, 0 or +1: the points per weight in a domain."""
        return self - _NEUTRAL


_NEUTRAL = Status.NEUTRAL


class FamilyResult(NamedTuple):
    """One family at the Queen's table."""

    family: Family
    above: int
    """Weight above the mat."""
    below: int
    """Weight below the mat."""
    status: Status


class FamilyPoints(NamedTuple):
    """Points from one family in one domain."""

    family: Family
    weight: int
    points: int
    """The weight times the sign of the family's status."""


class MissionResult(NamedTuple):
    """One mission at the end."""

    mission: Mission
    fulfilled: bool
    points: int


class SeatResult(NamedTuple):
    """One seat's points, broken down."""

    points: int
    families: tuple[FamilyPoints, ...]
    """In mat order, without families absent from the domain."""
    missions: tuple[MissionResult, ...]
    """White, then blue."""


class RevealedSpy(NamedTuple):
    """A spy turned up at the end."""

    turn: int
    domain: Seat | None
    """The domain's owner; None: the Queen's table."""
    family: Family
    eliminated: bool
    """Whether eliminated; the configuration decides whether to reveal such spies."""


class Result(NamedTuple):
    """How a game ended. Public by then."""

    families: tuple[FamilyResult, ...]
    """All six in mat order."""
    seats: tuple[SeatResult, ...]
    spies: tuple[RevealedSpy, ...]
    """By turn, then the table before the domains in seat order."""


def weights(cards: Iterable[CardInPlay], noble: int = 2) -> Counter[Family]:
    """Return each family's weight among the cards; a noble weighs `noble`."""
    result: Counter[Family] = Counter()
    for _, _, role, family, _ in cards:
        if family is not None:
            weight = noble if role is _NOBLE else 1
            result[family] = result.get(family, 0) + weight  # += takes three times as long
    return result


def family_results(table: Sequence[CardInPlay]) -> tuple[FamilyResult, ...]:
    """Return the standing of all six families by the cards at the Queen's table."""
    above = weights([card for card in table if card.side is _ABOVE])
    below = weights([card for card in table if card.side is _BELOW])
    return tuple(
        FamilyResult(family, above[family], below[family], _status(above[family] - below[family]))
        for family in _FAMILIES
    )


def _status(surplus: int) -> Status:
    if surplus > 0:
        return Status.ESTEEMED
    return Status.FALLEN if surplus < 0 else Status.NEUTRAL


def statuses(families: Iterable[FamilyResult]) -> dict[Family, Status]:
    """Return each family's status, by family."""
    return {result.family: result.status for result in families}


def domain_points(
    domain: Iterable[CardInPlay], status: Mapping[Family, Status]
) -> tuple[FamilyPoints, ...]:
    """Return each family's points in a domain, in mat order."""
    return tuple(
        FamilyPoints(family, weight, weight * status[family].sign)
        for family, weight in sorted(weights(domain).items())
    )


def mission_counts(
    table: Iterable[CardInPlay],
    domains: Sequence[Iterable[CardInPlay]],
    status: Mapping[Family, Status],
    noble: int,
) -> list[MissionCounts]:
    """Return each seat's mission counts; `noble` is the configured weight."""
    held = [weights(domain, noble) for domain in domains]
    below = weights([card for card in table if card.side is _BELOW], noble)
    esteemed = {family for family in _FAMILIES if status[family] is Status.ESTEEMED}
    fallen = {family for family in _FAMILIES if status[family] is Status.FALLEN}
    return [
        MissionCounts(
            own=held[seat],
            neighbour=held[(seat + 1) % len(domains)],
            roles=Counter([card.role for card in domain]),
            below=below,
            esteemed=esteemed,
            fallen=fallen,
        )
        for seat, domain in enumerate(domains)
    ]


def mission_results(
    missions: Iterable[Mission], counts: MissionCounts
) -> tuple[MissionResult, ...]:
    """Return each mission's result."""
    held = [(mission, is_fulfilled(mission, counts)) for mission in missions]
    return tuple(MissionResult(m, holds, MISSION_POINTS if holds else 0) for m, holds in held)


def seat_results(
    missions: Sequence[tuple[Mission, Mission]],
    families: Iterable[FamilyResult],
    table: Sequence[CardInPlay],
    domains: Sequence[Sequence[CardInPlay]],
    noble: int,
) -> tuple[SeatResult, ...]:
    """Return every seat's points, from its white and blue mission and the families' results."""
    status = statuses(families)
    counts = mission_counts(table, domains, status, noble)
    results = []
    for seat, domain in enumerate(domains):
        scored = domain_points(domain, status)
        held = mission_results(missions[seat], counts[seat])
        points = sum([part.points for part in scored]) + sum([part.points for part in held])
        results.append(SeatResult(points, scored, held))
    return tuple(results)


def revealed_spies(
    table: Iterable[CardInPlay],
    domains: Iterable[Iterable[CardInPlay]],
    eliminated: Iterable[Eliminated],
) -> tuple[RevealedSpy, ...]:
    """Return the spies of known family among these cards."""
    lying: list[tuple[CardInPlay, Seat | None, bool]] = [(card, None, False) for card in table]
    lying += [(card, seat, False) for seat, domain in enumerate(domains) for card in domain]
    lying += [(card, domain, True) for card, domain in eliminated]
    spies = [
        RevealedSpy(card.turn, domain, card.family, gone)
        for card, domain, gone in lying
        if card.role is _SPY and card.family is not None
    ]
    return tuple(
        sorted(spies, key=lambda spy: (spy.turn, -1 if spy.domain is None else spy.domain))
    )


def ranks(points: Sequence[int]) -> tuple[int, ...]:
    """Return each seat's rank from 1; equal points share a rank."""
    return tuple(1 + sum(other > own for other in points) for own in points)
