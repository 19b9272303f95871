"""Each mission, holding and not holding, judged from cards."""

from collections.abc import Callable

import pytest

from referee.games.courtisans.missions import BLUE, WHITE, Mission, MissionCounts, is_fulfilled
from referee.games.courtisans.observation import CardInPlay, public_form
from referee.games.courtisans.scoring import family_results, mission_counts, statuses

Lying = Callable[..., tuple[CardInPlay, ...]]


def counts(
    table: tuple[CardInPlay, ...], domains: list[tuple[CardInPlay, ...]], noble: int
) -> list[MissionCounts]:
    """What the missions of each seat depend on in this position."""
    return mission_counts(table, domains, statuses(family_results(table)), noble)


DOMAINS: list[tuple[Mission, int, bool, str, str]] = [
    # mission, noble weight, holds, own domain, left neighbour's domain
    (Mission.FEWER_BUTTERFLIES, 2, True, "", "plain butterfly"),
    (Mission.FEWER_BUTTERFLIES, 2, False, "butterfly guard", "butterfly spy"),
    (Mission.FEWER_TOADS, 2, True, "plain toad", "2 toad guard"),
    (Mission.FEWER_TOADS, 2, False, "", "3 plain carp"),
    (Mission.FEWER_NIGHTINGALES, 2, True, "nightingale spy", "nightingale noble"),
    (Mission.FEWER_NIGHTINGALES, 1, False, "nightingale spy", "nightingale noble"),
    (Mission.FEWER_STAGS, 2, True, "2 plain hare", "plain stag"),
    (Mission.FEWER_STAGS, 2, False, "plain stag", "2 plain hare"),
    (Mission.FEWER_HARES, 2, True, "2 plain stag", "plain hare"),
    (Mission.FEWER_HARES, 2, False, "hare noble", "plain hare"),
    (Mission.FEWER_HARES, 2, False, "hare noble", "2 plain hare"),
    (Mission.FEWER_HARES, 1, True, "hare noble", "2 plain hare"),
    (Mission.FEWER_CARPS, 2, True, "carp assassin", "carp spy, plain carp"),
    (Mission.FEWER_CARPS, 2, False, "2 carp spy", "carp guard"),
    (Mission.THREE_NOBLES, 2, True, "2 carp noble, toad noble", ""),
    (Mission.THREE_NOBLES, 2, False, "2 carp noble, plain toad", "3 stag noble"),
    (Mission.THREE_NOBLES, 1, True, "2 carp noble, toad noble", ""),
    (Mission.TWO_ASSASSINS, 2, True, "carp assassin, toad assassin", ""),
    (Mission.TWO_ASSASSINS, 2, False, "carp assassin", "2 toad assassin"),
    (Mission.FOUR_GUARDS, 2, True, "3 carp guard, hare guard", ""),
    (Mission.FOUR_GUARDS, 2, False, "3 carp guard, hare noble", ""),
    (Mission.THREE_SPIES, 2, True, "2 carp spy, hare spy", ""),
    (Mission.THREE_SPIES, 2, False, "2 carp spy, plain hare", ""),
]

FIVE_FAMILIES_BELOW = (
    "plain butterfly below, toad spy below, hare noble below, nightingale guard below, "
    "stag assassin below"
)

TABLES: list[tuple[Mission, int, bool, str]] = [
    # mission, noble weight, holds, the Queen's table
    (Mission.FALLEN_BUTTERFLIES, 2, True, "plain butterfly below"),
    (Mission.FALLEN_BUTTERFLIES, 2, False, "plain butterfly above"),
    (Mission.FALLEN_TOADS, 2, True, "toad noble below, plain toad above"),
    (Mission.FALLEN_TOADS, 1, True, "toad noble below, plain toad above"),
    (Mission.FALLEN_TOADS, 2, False, "plain toad below, plain toad above"),
    (Mission.FALLEN_NIGHTINGALES, 2, True, "nightingale spy below"),
    (Mission.FALLEN_NIGHTINGALES, 2, False, "plain carp below"),
    (Mission.FALLEN_STAGS, 2, True, "stag guard below, plain hare above"),
    (Mission.FALLEN_STAGS, 2, False, "plain hare below, plain stag above"),
    (Mission.FALLEN_HARES, 2, True, "hare guard below, plain stag above"),
    (Mission.FALLEN_HARES, 2, False, "plain stag below, plain hare above"),
    (Mission.FALLEN_CARPS, 2, True, "2 carp guard below, plain carp above"),
    (Mission.FALLEN_CARPS, 1, False, "2 carp guard below, carp noble above"),
    (
        Mission.ALL_BELOW,
        2,
        True,
        f"{FIVE_FAMILIES_BELOW}, carp noble below, 4 carp noble above",
    ),
    (
        Mission.ALL_BELOW,
        2,
        False,
        f"{FIVE_FAMILIES_BELOW}, carp noble above",
    ),
    (Mission.FIVE_BELOW, 2, True, "2 hare noble below, plain hare below"),
    (Mission.FIVE_BELOW, 1, False, "2 hare noble below, plain hare below"),
    (Mission.FIVE_BELOW, 1, True, "4 hare noble below, plain hare below, 4 plain hare above"),
    (Mission.FIVE_BELOW, 2, False, "2 hare noble below, 2 toad noble below, plain hare above"),
    (Mission.FEW_ESTEEMED, 2, True, "plain hare above, plain toad above, plain carp above"),
    (Mission.FEW_ESTEEMED, 2, True, ""),
    (
        Mission.FEW_ESTEEMED,
        2,
        False,
        "plain hare above, plain toad above, plain carp above, stag noble above, plain stag below",
    ),
    (Mission.TWO_FALLEN, 2, True, "plain hare below, toad spy below"),
    (Mission.TWO_FALLEN, 2, False, "5 plain hare below, toad noble above, 2 plain toad below"),
]


@pytest.mark.parametrize(("mission", "noble", "holds", "own", "neighbour"), DOMAINS)
def test_white_missions(
    *, mission: Mission, noble: int, holds: bool, own: str, neighbour: str, lying: Lying
) -> None:
    """A white mission looks at the own domain, and some at the left neighbour's."""
    elsewhere = lying("4 plain carp, 4 plain stag, 4 plain hare")
    domains = [elsewhere, elsewhere, lying(own), lying(neighbour)]
    assert is_fulfilled(mission, counts((), domains, noble)[2]) is holds


def test_the_last_seat_has_the_first_as_left_neighbour(lying: Lying) -> None:
    """The left neighbour is the next seat clockwise, round the table."""
    domains = [lying("plain hare"), lying(""), lying("")]
    held = [is_fulfilled(Mission.FEWER_HARES, of_seat) for of_seat in counts((), domains, 2)]
    assert held == [False, False, True]


@pytest.mark.parametrize(("mission", "noble", "holds", "table"), TABLES)
def test_blue_missions(
    *, mission: Mission, noble: int, holds: bool, table: str, lying: Lying
) -> None:
    """A blue mission looks at the Queen's table alone."""
    domains = [lying("4 plain carp, 4 plain stag, 4 plain hare"), ()]
    assert is_fulfilled(mission, counts(lying(table), domains, noble)[0]) is holds


def test_a_face_down_card_counts_as_a_spy(lying: Lying) -> None:
    """Its family need not be known for it, so a bot can judge the mission during the game."""
    hidden = tuple(map(public_form, lying("2 carp spy, hare spy")))
    held, _ = counts((), [hidden, ()], 2)

    assert is_fulfilled(Mission.THREE_SPIES, held)
    assert not held.own


def test_every_mission_is_seen_holding_and_not_holding() -> None:
    """The cases above leave out no mission."""
    cases = {(mission, holds) for mission, _, holds, *_ in (*DOMAINS, *TABLES)}
    assert cases == {(mission, holds) for mission in (*WHITE, *BLUE) for holds in (True, False)}
    assert (len(WHITE), len(BLUE)) == (10, 10)
