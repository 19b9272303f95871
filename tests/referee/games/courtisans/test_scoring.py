"""What the table and the domains are worth."""

from collections.abc import Callable

from referee.games.courtisans.cards import Family
from referee.games.courtisans.missions import Mission
from referee.games.courtisans.observation import CardInPlay, Eliminated, public_form
from referee.games.courtisans.scoring import (
    FamilyPoints,
    FamilyResult,
    MissionResult,
    RevealedSpy,
    Status,
    domain_points,
    family_results,
    ranks,
    revealed_spies,
    seat_results,
    statuses,
)

Lying = Callable[..., tuple[CardInPlay, ...]]

EXAMPLE_TABLE = (
    "butterfly noble above, plain butterfly below, 2 toad noble above, nightingale noble above, "
    "nightingale noble below, nightingale spy below, hare spy above, hare noble below, "
    "hare guard below, stag noble above, stag guard above, stag spy below, "
    "carp noble above, 2 plain carp below"
)
EXAMPLE_DOMAIN = (
    "butterfly noble, butterfly spy, 3 plain toad, 2 stag noble, stag guard, "
    "nightingale noble, nightingale assassin, 2 plain carp"
)


def test_the_worked_example(lying: Lying) -> None:
    """The printed rulebook's example scores 8, and 11 with one mission."""
    table = lying(EXAMPLE_TABLE)
    missions = (Mission.THREE_SPIES, Mission.TWO_FALLEN)
    families = family_results(table)
    (seat, _) = seat_results([missions, missions], families, table, [lying(EXAMPLE_DOMAIN), ()], 2)

    assert families == (
        FamilyResult(Family.BUTTERFLY, 2, 1, Status.ESTEEMED),
        FamilyResult(Family.TOAD, 4, 0, Status.ESTEEMED),
        FamilyResult(Family.NIGHTINGALE, 2, 3, Status.FALLEN),
        FamilyResult(Family.HARE, 1, 3, Status.FALLEN),
        FamilyResult(Family.STAG, 3, 1, Status.ESTEEMED),
        FamilyResult(Family.CARP, 2, 2, Status.NEUTRAL),
    )
    assert seat.families == (
        FamilyPoints(Family.BUTTERFLY, 3, 3),
        FamilyPoints(Family.TOAD, 3, 3),
        FamilyPoints(Family.NIGHTINGALE, 3, -3),
        FamilyPoints(Family.STAG, 5, 5),
        FamilyPoints(Family.CARP, 2, 0),
    )
    assert seat.missions == (
        MissionResult(Mission.THREE_SPIES, fulfilled=False, points=0),
        MissionResult(Mission.TWO_FALLEN, fulfilled=True, points=3),
    )
    assert sum(part.points for part in seat.families) == 8
    assert seat.points == 11


def test_an_empty_table_leaves_every_family_neutral() -> None:
    """No card means no surplus."""
    assert {result.status for result in family_results(())} == {Status.NEUTRAL}


def test_cards_at_the_table_score_nothing_themselves(lying: Lying) -> None:
    """With empty domains no seat has points, whatever is esteemed."""
    missions = (Mission.THREE_SPIES, Mission.FIVE_BELOW)
    table = lying("4 carp noble above")
    results = seat_results([missions] * 2, family_results(table), table, [(), ()], 2)
    assert [result.points for result in results] == [0, 0]


def test_points_can_be_negative(lying: Lying) -> None:
    """A domain full of a fallen family costs its owner."""
    status = statuses(family_results(lying("plain hare below")))
    assert domain_points(lying("4 hare noble"), status) == (FamilyPoints(Family.HARE, 8, -8),)


def test_hidden_cards_count_for_no_family(lying: Lying) -> None:
    """A bot can score what it sees: cards whose family is hidden are left out."""
    spies = tuple(map(public_form, lying("carp spy above, toad spy below")))

    assert family_results(spies) == family_results(())
    assert domain_points(spies, statuses(family_results(()))) == ()
    assert revealed_spies(spies, [spies], []) == ()


def test_spies_are_listed_by_turn_and_place(lying: Lying) -> None:
    """By turn, then the table before the domains in seat order."""
    (table,) = lying("carp spy above")
    (first,) = lying("toad spy")
    second = first._replace(family=Family.HARE)
    late = first._replace(turn=9)
    gone = Eliminated(first._replace(turn=4, family=Family.STAG), None)

    spies = revealed_spies([table], [[late, first], [second]], [gone])

    assert spies == (
        RevealedSpy(1, None, Family.CARP, eliminated=False),
        RevealedSpy(1, 0, Family.TOAD, eliminated=False),
        RevealedSpy(1, 1, Family.HARE, eliminated=False),
        RevealedSpy(4, None, Family.STAG, eliminated=True),
        RevealedSpy(9, 0, Family.TOAD, eliminated=False),
    )


def test_equal_points_share_the_place() -> None:
    """Tied players share the victory, and the next place is left free."""
    assert ranks((7, 12, 12, -3, 7)) == (3, 1, 1, 5, 3)
    assert ranks((4, 4)) == (1, 1)
