"""The strategies see what a player would see, in positions made by hand. They sit on seat 0."""

from collections.abc import Callable, Mapping
from types import ModuleType

import pytest
from courtyard_kit.courtisans import Action, Card, Family, Mission, Placement, Position, Role, Side

Make = Callable[..., Position]
Bots = Mapping[str, ModuleType]

THINKERS = ["greedy", "counter"]


@pytest.mark.parametrize("name", THINKERS)
def test_a_noble_of_an_esteemed_family_goes_to_the_own_domain(
    name: str, bots: Bots, position: Make
) -> None:
    """Two sure points are worth more than anything else that this hand can do."""
    here = position(
        "carp noble, plain toad, hare guard", table="3 carp above, 3 toad below, 3 hare below"
    )

    assert bots[name].choose(here).own_domain.card == Card(Family.CARP, Role.NOBLE)


@pytest.mark.parametrize("name", THINKERS)
def test_the_family_that_fills_the_own_domain_is_lifted(
    name: str, bots: Bots, position: Make
) -> None:
    """One card above the mat makes three stags in the own domain score."""
    here = position(
        "stag, toad guard, hare guard", table="carp above", domains=("3 stag", "hare", "toad", "")
    )

    action: Action = bots[name].choose(here)

    assert action.table.card.family is Family.STAG
    assert action.side is Side.ABOVE


@pytest.mark.parametrize("name", THINKERS)
def test_an_assassin_rids_the_own_domain_of_what_costs_most(
    name: str, bots: Bots, position: Make
) -> None:
    """Of three cards in the own domain the noble of the fallen family is eliminated."""
    here = position(
        "toad assassin, carp guard, carp guard",
        table="5 hare below, 3 carp above",
        domains=("carp, hare noble, hare", "", "", ""),
        missions=(Mission.FOUR_GUARDS, Mission.FALLEN_HARES),
    )

    action: Action = bots[name].choose(here)

    assert action.own_domain == Placement(Card(Family.TOAD, Role.ASSASSIN), eliminates=2)


@pytest.mark.parametrize("name", THINKERS)
def test_the_own_white_mission_is_worth_its_points(name: str, bots: Bots, position: Make) -> None:
    """A third noble is put into the own domain though its family is fallen: -2 + 3 points."""
    here = position(
        "hare noble, carp guard, toad guard",
        table="5 hare below",
        domains=("stag noble, butterfly noble", "", "", ""),
        missions=(Mission.THREE_NOBLES, Mission.FALLEN_HARES),
    )

    assert bots[name].choose(here).own_domain.card == Card(Family.HARE, Role.NOBLE)


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize("mission", [Mission.FALLEN_CARPS, Mission.FEW_ESTEEMED])
def test_the_own_blue_mission_is_worth_its_points(
    mission: Mission, name: str, bots: Bots, position: Make
) -> None:
    """The carps are disgraced though one must go to the own domain: -1 + 3 points."""
    here = position(
        "carp, carp, carp",
        table="toad above, hare above, stag above",
        missions=(Mission.FOUR_GUARDS, mission),
    )

    assert bots[name].choose(here).side is Side.BELOW


@pytest.mark.parametrize("name", THINKERS)
def test_a_hidden_spy_whose_family_can_be_counted_is_known(
    name: str, bots: Bots, position: Make
) -> None:
    """When only toad spies are unseen, the face-down spies above the mat are toads."""
    others = [family for family in Family if family is not Family.TOAD]
    here = position(
        "toad noble, carp guard, hare guard",
        table="2 spy above, hare below, 2 carp below",
        gone=", ".join(f"2 {family.name.lower()} spy below" for family in others),
    )

    assert bots[name].choose(here).own_domain.card == Card(Family.TOAD, Role.NOBLE)


def test_greedy_does_not_mind_its_rivals(bots: Bots, position: Make) -> None:
    """It counts its own points only: what a rival scores changes nothing."""
    cards, table = "stag noble, toad guard, hare guard", "stag above"
    poor, rich = (
        bots["greedy"].Forecast(position(cards, table=table, domains=("", domain, "", "")))
        for domain in ("stag", "3 stag noble")
    )

    assert all(poor.points(a) == rich.points(a) for a in poor.position.distinct_actions)


def test_counter_fells_the_family_of_its_rival(bots: Bots, position: Make) -> None:
    """On the last turn a noble below the mat takes a rival's seven points, and wins."""
    here = position(
        "stag noble, toad guard, hare guard",
        table="stag above, carp above",
        domains=("5 carp", "3 stag noble, stag", "", ""),
    )

    action: Action = bots["counter"].choose(here)

    assert action.table.card == Card(Family.STAG, Role.NOBLE)
    assert action.side is Side.BELOW


def test_counter_harms_the_rival_that_stands_best(bots: Bots, position: Make) -> None:
    """The card of a fallen family goes to the leader, not to one who is far behind."""
    here = position(
        "hare noble, toad guard, carp guard",
        table="6 hare below, 6 carp above",
        domains=("4 carp", "carp", "5 carp", "2 hare"),
        turns_left=(2, 1, 1, 1),
    )

    action: Action = bots["counter"].choose(here)

    assert action.opponent_domain.card == Card(Family.HARE, Role.NOBLE)
    assert action.opponent == 2


def test_counter_knows_that_a_family_is_settled_when_all_its_cards_are_seen(
    bots: Bots, position: Make
) -> None:
    """With turns to play, one weight more above is certain only for a family with no card left."""
    here = position(
        "toad, hare, stag",
        table="carp above, toad above",
        gone="3 carp, 4 carp noble, 2 carp spy, 2 carp assassin, 3 carp guard",
        turns_left=(4, 3, 3, 3),
    )

    outlook = bots["counter"].Forecast(here).outlook(here.table)

    assert outlook.esteemed[Family.CARP] == 1
    assert 0 < outlook.fallen[Family.TOAD] < outlook.esteemed[Family.TOAD] < 1


def test_counter_is_surer_the_less_is_to_come(bots: Bots, position: Make) -> None:
    """That a family stays fallen is likely on the first turns and certain on the last."""
    chances = []
    for left in ((7, 7, 7, 7), (3, 2, 2, 2), (1, 0, 0, 0)):
        here = position("toad, hare, stag", table="3 carp below", turns_left=left)
        chances.append(bots["counter"].Forecast(here).outlook(here.table).fallen[Family.CARP])

    assert chances == sorted(chances)
    assert chances[0] < chances[-1] == 1


def test_counter_shares_one_point_among_its_rivals(bots: Bots, position: Make) -> None:
    """Rivals' points count against it, the leader's most, and together as much as its own."""
    here = position("toad, hare, stag", table="5 carp above", domains=("", "carp", "3 carp", ""))

    stakes = bots["counter"].Forecast(here).stakes

    assert stakes[0] == 1
    assert sum(stakes.values()) == pytest.approx(0)
    assert stakes[2] < stakes[1] < stakes[3] < 0


@pytest.mark.parametrize(
    ("mission", "with_it", "without"),
    [
        (Mission.FEWER_TOADS, ("", "toad"), ("toad", "toad")),
        (Mission.THREE_NOBLES, ("3 toad noble", ""), ("2 toad noble", "toad noble")),
        (Mission.TWO_ASSASSINS, ("2 toad assassin", ""), ("toad assassin, toad", "")),
        (Mission.FOUR_GUARDS, ("3 toad guard, hare guard", ""), ("3 toad guard, hare", "")),
        (Mission.THREE_SPIES, ("2 toad spy, spy", ""), ("2 toad spy, toad", "")),
    ],
)
def test_counter_knows_its_white_mission_at_the_end(
    mission: Mission,
    with_it: tuple[str, str],
    without: tuple[str, str],
    bots: Bots,
    position: Make,
) -> None:
    """On the last turn the three points are either certain or out of reach."""
    points = []
    for own, neighbour in (with_it, without):
        here = position(
            "toad, hare, stag",
            domains=(own, neighbour, "", ""),
            missions=(mission, Mission.FIVE_BELOW),
        )
        points.append(bots["counter"].Forecast(here).white_points(here.domains))

    assert points == [3, 0]


@pytest.mark.parametrize(
    ("mission", "with_it", "without"),
    [
        (Mission.FALLEN_HARES, "2 hare below, hare above", "hare below, hare above"),
        (
            Mission.ALL_BELOW,
            "butterfly below, toad below, nightingale below, hare below, stag below, carp below",
            "butterfly below, toad below, nightingale below, hare below, 2 stag below, carp above",
        ),
        (Mission.FIVE_BELOW, "2 carp noble below, carp below", "2 carp noble below, toad below"),
        (
            Mission.FEW_ESTEEMED,
            "butterfly above, toad above, stag above, carp below",
            "butterfly above, toad above, stag above, carp above",
        ),
        (Mission.TWO_FALLEN, "toad below, stag below", "toad below, stag above"),
    ],
)
def test_counter_knows_its_blue_mission_at_the_end(
    mission: Mission, with_it: str, without: str, bots: Bots, position: Make
) -> None:
    """If no card is to come the three points are either certain or out of reach."""
    points = []
    for table in (with_it, without):
        here = position("toad, hare, stag", table=table, missions=(Mission.FOUR_GUARDS, mission))
        forecast = bots["counter"].Forecast(here)
        points.append(forecast.blue_points(forecast.outlook(here.table)))

    assert points == [3, 0]
