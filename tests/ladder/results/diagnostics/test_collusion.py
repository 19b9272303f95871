"""Colluding pairs are found; honest fields are not accused."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ladder.rating.arrays import Floats
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.results.diagnostics.collusion import ALARM, Favour, alliances, favours
from ladder.results.diagnostics.residuals import residuals
from tests.ladder.rating.sampling import share_slack
from tests.ladder.rating.simulation import Helping, World


def both(group: Sequence[int]) -> Floats:
    """Let 2 and 5 spare each other: both gain when both are present."""
    return np.array([7.0 if v in {2, 5} and {2, 5} <= set(group) else 0.0 for v in group])


def kingmaker(group: Sequence[int]) -> Floats:
    """Let 2 sacrifice its game for 5."""
    gains = {2: -7.0, 5: 7.0} if {2, 5} <= set(group) else {}
    return np.array([gains.get(v, 0.0) for v in group])


def found_in(world: World, matches: int) -> list[Favour]:
    """Return the tests of a world's matches."""
    log = world.rounds(matches)
    return favours(residuals(log, rate(log)))


def test_a_colluding_pair_is_found() -> None:
    """Two bots that help each other against the others are suspected, and no one else is."""
    found = found_in(World(entrants=8, helping=both), 1200)

    assert (found[0].helper, found[0].helped, found[0].mutual) == (2, 5, True)
    assert found[0].gain > 0.08
    assert {(f.helper, f.helped) for f in found if f.suspect} <= {(2, 5), (5, 2)}
    assert found[0].suspect


@pytest.mark.parametrize("helping", [both, kingmaker])
def test_bots_of_one_author_are_tested_by_themselves(helping: Helping) -> None:
    """Tests by author share an alarm rate of their own, and honest authors are cleared."""
    authors = {0: "bob", 1: "bob", 2: "eve", 5: "eve", 7: "dan"}
    found = found_in(World(entrants=8, helping=helping), 800)

    bob, eve = alliances(found, authors)

    assert [(a.author, a.pairs, a.suspect) for a in (bob, eve)] == [
        ("bob", 1, False),
        ("eve", 1, True),
    ]
    assert eve.p_value < bob.p_value <= 1


def test_giving_way_is_named_and_no_suspicion() -> None:
    """Of a version that loses what another gains the report says so, as it may be prey."""
    found = found_in(World(entrants=8, helping=kingmaker), 1200)

    assert (found[0].helper, found[0].helped, found[0].mutual) == (2, 5, False)
    assert [(f.helper, f.helped) for f in found if f.gives_way] == [(2, 5)]
    assert not [f for f in found if f.suspect]


@pytest.mark.sweep
@pytest.mark.parametrize("matchup_sd", [0.0, 2.0])
def test_an_honest_field_is_not_accused(matchup_sd: float) -> None:
    """No bot is suspected in an honest field, even if some styles suit each other."""
    for seed in range(5):
        found = found_in(World(entrants=8, matchup_sd=matchup_sd, seed=seed), 480)
        assert len(found) == 3 * 28
        assert not [f for f in found if f.suspect]


def test_styles_that_suit_each_other_are_no_collusion() -> None:
    """If many bots' presence helps or hurts many, that is normal and no bot is suspected."""
    for seed in range(3):
        found = found_in(World(entrants=8, matchup_sd=7.0, seed=seed), 1600)
        assert not [f for f in found if f.suspect]


def test_results_against_each_other_are_no_favour() -> None:
    """Giving way to one bot at no third party's expense is not help."""
    honest = World(entrants=8).rounds(1200).matches()
    log = Log(8)
    for block, versions, ranks in zip(honest.block, honest.versions, honest.ranks, strict=True):
        places = dict(zip(versions.tolist(), ranks.tolist(), strict=True))
        order = sorted(places, key=lambda v: (places[v], v))
        if {2, 5} <= set(order) and order.index(2) == order.index(5) + 1:
            places[2], places[5] = places[5], places[2]  # no one is between them
        log.append(MatchResult(int(block), list(places), range(4), list(places.values())))

    found = favours(residuals(log, rate(log)))

    assert not [f for f in found if f.suspect]
    assert abs(next(f.z for f in found if (f.helper, f.helped) == (5, 2))) < 2.5


def test_a_duel_has_no_third_parties() -> None:
    """Tables for two are not tested, as there is no third bot to help."""
    assert found_in(World(entrants=4, seats=2), 200) == []


def test_pairs_that_hardly_met_are_not_tested() -> None:
    """A pair with few blocks is not tested."""
    world = World(entrants=8)
    for _ in range(40):
        world.play([0, 1, 2, 3])
        world.play([4, 5, 6, 7])
    for _ in range(9):
        world.play([0, 4, 1, 5])

    found = favours(residuals(world.log, rate(world.log)))

    assert (0, 4) not in {(f.helper, f.helped) for f in found}


@pytest.mark.proof
@pytest.mark.parametrize("helping", [both, kingmaker])
def test_most_that_collude_are_found(helping: Helping, proof_cases: Callable[[int], int]) -> None:
    """In nine of ten ladders the planted pair is named: suspected, or one as giving way."""
    cases = proof_cases(40)
    worlds = [World(entrants=8, helping=helping, seed=s, matchup_sd=1) for s in range(cases)]
    hits = [
        any(f.certain and {f.helper, f.helped} == {2, 5} for f in found_in(w, 1200)) for w in worlds
    ]

    assert np.mean(hits) >= 0.9 - share_slack(cases, 40, 0.9)


@pytest.mark.proof
@pytest.mark.parametrize("matchup_sd", [0.0, 1.0, 2.0])
def test_false_alarms_are_as_rare_as_named(
    matchup_sd: float, proof_cases: Callable[[int], int]
) -> None:
    """In 300 honest ladders there are hardly more alarms than the rate allows."""
    cases = proof_cases(300)
    worlds = [World(entrants=8, matchup_sd=matchup_sd, seed=s) for s in range(cases)]
    alarms = [any(f.suspect for f in found_in(world, 480)) for world in worlds]

    by_chance = 2 * (ALARM / 300) ** 0.5
    assert np.mean(alarms) <= ALARM + by_chance + share_slack(cases, 300, ALARM)
