"""Seats, pairs, table sizes and crashes, in simulated worlds."""

from collections.abc import Callable

import numpy as np
import pytest

from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.results.diagnostics.deal_variance import duplicates
from ladder.results.diagnostics.head_to_head import (
    SeatAdvantage,
    head_to_head,
    seat_advantages,
    table_size_stats,
)
from ladder.results.diagnostics.residuals import residuals
from tests.ladder.rating.sampling import share_slack
from tests.ladder.rating.simulation import LOGIT, World


def advantages(log: Log) -> dict[int, SeatAdvantage]:
    """Return the seat advantages of a log."""
    return seat_advantages(residuals(log, rate(log)))


def test_a_seat_biased_game_is_found() -> None:
    """Real seat advantages are estimated about right, and significant."""
    worth = [-1.5, 0.0, 0.0, 1.5]
    found = advantages(World(seat_worth=worth).rounds(800))[4]

    assert found.p_value < 1e-4
    assert [seat.seat for seat in found.seats] == [0, 1, 2, 3]
    assert found.seats[0].high < 0 < found.seats[3].low
    assert found.seats[0].ahead < 0.45
    assert found.seats[3].ahead > 0.55
    assert sum(seat.worth for seat in found.seats) == pytest.approx(0, abs=1e-12)
    for seat, value in zip(found.seats, worth, strict=True):
        assert seat.low - 0.05 < value * LOGIT < seat.high + 0.05


def test_a_fair_game_is_not_accused() -> None:
    """Equal seats are not called different."""
    fair = [advantages(World(seed=seed).rounds(240))[4].p_value for seed in range(10)]

    assert min(fair) > 0.001
    assert np.median(fair) > 0.15


@pytest.mark.proof
def test_seats_are_called_different_as_rarely_as_said(proof_cases: Callable[[int], int]) -> None:
    """In fair games the p-value of the seats is below 5 % in about 5 % of ladders."""
    cases = proof_cases(300)
    fair = [advantages(World(seed=s).rounds(480))[4].p_value for s in range(cases)]

    more = share_slack(cases, 300, 0.05)
    assert 0.015 - more <= np.mean(np.array(fair) < 0.05) <= 0.09 + more


def test_tables_of_each_size_have_seats_of_their_own() -> None:
    """Seats are reported for each table size."""
    log = World(entrants=4).rounds(80)
    for block in range(500, 520):
        log.append(MatchResult(block, (0, 1), (0, 1), (1, 2)))
        log.append(MatchResult(block, (1, 0), (0, 1), (1, 2)))

    found = advantages(log)

    assert sorted(found) == [2, 4]
    assert found[2].seats[0].worth > 0.5
    assert found[2].seats[0].ahead > 0.6


def test_head_to_head() -> None:
    """A pair with unexpected results stands out, the others do not."""
    log = World(entrants=8, deal_share=0.3).rounds(960)
    for block in range(1000, 1100):  # 0 is the weakest, but beats 7
        log.append(MatchResult(block, (0, 7), (block % 2, 1 - block % 2), (1, 2)))
    found = head_to_head(residuals(log, rate(log)))

    assert [(pair.i, pair.j) for pair in found] == [
        (i, j) for i in range(8) for j in range(i + 1, 8)
    ]
    odd = next(pair for pair in found if (pair.i, pair.j) == (0, 7))
    assert odd.z == max(pair.z for pair in found) > 3
    assert odd.observed > odd.expected + 0.1
    assert sum(pair.comparisons for pair in found) == 960 * 6 + 100


def test_observed_and_expected() -> None:
    """Observed shares count ties as halves; the fit expects about the same."""
    log = Log(2)
    for block, ranks in enumerate([(1, 2), (1, 1), (1, 2), (2, 1)] * 30):
        log.append(MatchResult(block, (0, 1), (block // 4 % 2, 1 - block // 4 % 2), ranks))

    (pair,) = head_to_head(residuals(log, rate(log)))

    assert pair.observed == (30 + 15 + 30) / 120
    assert pair.expected == pytest.approx(pair.observed, abs=0.03)
    assert abs(pair.z) < 1


@pytest.mark.parametrize("deal_share", [0.0, 0.6, 0.9])
def test_duplicates_remove_what_the_deal_decides(deal_share: float) -> None:
    """The gain grows with the deal's share of the luck, and is one without any."""
    log = World(deal_share=deal_share, entrants=8).rounds(2400)
    found = duplicates(residuals(log, rate(log)))[4]

    assert found.blocks == 600
    assert found.low < found.gain < found.high
    if deal_share:
        assert found.low > 1.3
        assert 0.6 * deal_share < found.deal_share < 1.1 * deal_share
    else:
        assert found.low < 1.03 < found.high + 0.06
        assert found.deal_share < 0.1


def test_independent_deals_show_nothing_of_the_luck() -> None:
    """A ladder without blocks of several matches reports no gain."""
    log = World(entrants=8).rounds(80, duplicate=False)

    assert duplicates(residuals(log, rate(log))) == {}


def test_tallies() -> None:
    """Matches, scores and crashes are counted by version and table size."""
    log = Log(4)
    log.append(MatchResult(0, (0, 1, 2), (0, 1, 2), (1, 1, 3)))
    log.append(MatchResult(1, (0, 1, 2), (0, 1, 2), (1, 2, 3), (True, False, False)))
    log.append(MatchResult(2, (0, 1), (0, 1), (2, 1)))

    found = {(t.version, t.table): t for t in table_size_stats(log)}

    assert list(found) == [(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert (found[0, 3].matches, found[0, 3].crashes) == (2, 1)
    assert found[0, 3].score == (0.5 + 1 + 0 + 0) / 4
    assert found[1, 2].score == 1
    assert found[0, 2].score == 0


def test_a_crash_rate_has_an_interval() -> None:
    """The crash rate's interval is exact: up to 17 % after 20 matches without a crash."""
    log = Log(2, [MatchResult(n, (0, 1), (0, 1), (1, 2), (False, n < 5)) for n in range(20)])

    never, often = (tally.crash_rate for tally in table_size_stats(log))

    assert never == pytest.approx((0, 0.1684), abs=1e-4)
    assert often == pytest.approx((0.0866, 0.4910), abs=1e-4)
