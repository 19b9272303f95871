"""Who is ranked where, and against whom."""

from collections.abc import Sequence

import pytest

from ladder.models import Version
from ladder.ranking import Ranking
from ladder.rating.log import Log, Result
from ladder.rating.rater import rate
from ladder.settings import Aim
from tests.ladder.rating.simulation import World


def versions(count: int) -> list[Version]:
    """Return versions of bots that are called as they were submitted."""
    when = "2026-01-01"
    return [
        Version(i, f"bot{i:02}", 1, str(i), ("run",), active=True, submitted_at=when)
        for i in range(count)
    ]


def ranking(log: Log, listed: Sequence[int] | None = None) -> Ranking:
    """Rank what a log shows."""
    everybody = range(log.entrants)
    return Ranking(versions(log.entrants), everybody if listed is None else listed, rate(log))


@pytest.fixture
def log() -> Log:
    """Six hundred matches of twelve bots."""
    return World(pointed=True).rounds(600, duplicate=False)


@pytest.mark.parametrize("matches", [0, 3])
def test_a_stranger_moves_nobody(log: Log, matches: int) -> None:
    """Whoever enters stands below all who are known, and what is said of these stays as it was."""
    before = ranking(log)
    log.admit()
    for number in range(matches):
        group = (12, 3 * number, 3 * number + 1, 3 * number + 2)
        log.append(Result(9000 + number, group, range(4), (1, 2, 3, 4), points=(9, 4, 2, 1)))

    after = ranking(log)

    assert after.order() == [*before.order(), 12]
    chances = [(before.chance(aim), after.chance(aim)) for aim in Aim]
    assert all(old == pytest.approx(new, abs=0.02 * (1 + matches)) for old, new in chances)
    old, new = before.strengths(1), after.strengths(1)
    for i in range(12):
        assert new[i].logit == pytest.approx(old[i].logit, abs=1e-3 if not matches else 0.15)
        assert new[i].error == pytest.approx(old[i].error, rel=0.001 if not matches else 0.1)
        if not matches:
            assert new[i].ranks == old[i].ranks
    assert new[12].provisional
    assert new[12].error > 2 * new[0].error


def test_where_all_are_new_all_are_ranked(log: Log) -> None:
    """As long as nobody is known well, everybody is ranked and measured against everybody."""
    young = Log(12, [Result(0, (0, 1, 2, 3), range(4), (1, 2, 3, 4))])

    found = ranking(young)

    assert found.established == found.listed
    assert found.order()[0] == 0
    assert sum(strength.logit for strength in found.strengths(1).values()) == pytest.approx(0)
    assert ranking(log).established == list(range(12))


def test_who_plays_no_more_changes_no_rank_but_frees_it(log: Log) -> None:
    """Without one of them, the others keep their order and are ranked among each other."""
    found, without = ranking(log), ranking(log, [i for i in range(12) if i != 5])

    assert without.order() == [i for i in found.order() if i != 5]
    assert without.strengths(1)[5].ranks is None
