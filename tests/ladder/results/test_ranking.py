"""Ranks, and their reference."""

from collections.abc import Sequence

import pytest

from ladder.model.bots import Version
from ladder.model.ratings import MU, Strength
from ladder.model.settings import Aim
from ladder.rating.rater import rate
from ladder.rating.results import Log, MatchResult
from ladder.results.ranking import Ranking
from tests.ladder.rating.simulation import World, with_newcomers


def versions(count: int) -> list[Version]:
    """Return versions of bots named in order of submission."""
    when = "2026-01-01"
    return [
        Version(i, f"bot{i:02}", 1, str(i), ("run",), active=True, submitted_at=when)
        for i in range(count)
    ]


def ranking(
    log: Log, listed: Sequence[int] | None = None, founders: Sequence[int] = range(12)
) -> Ranking:
    """Rate a log."""
    everybody = range(log.entrants)
    listed = everybody if listed is None else listed
    return Ranking(versions(log.entrants), listed, rate(log), founders)


def of_those(strengths: dict[int, Strength], chosen: Sequence[int]) -> list[Strength]:
    """Return their strengths."""
    return [strengths[i] for i in chosen]


@pytest.fixture
def log() -> Log:
    """Six hundred matches of twelve bots."""
    return World(pointed=True).rounds(600, duplicate=False)


def test_who_enters_changes_nothing(log: Log) -> None:
    """A bot without a match ranks behind the others, and changes none of their numbers.

    Nor does it when it leaves again.
    """
    before = ranking(log)
    log = with_newcomers(log)
    after = ranking(log)

    assert after.order() == [*before.order(), 12]
    assert [before.chance(aim) for aim in Aim] == [after.chance(aim) for aim in Aim]
    assert of_those(after.strengths(1), range(12)) == of_those(before.strengths(1), range(12))
    assert after.strengths(1)[12].sigma > 2 * after.strengths(1)[0].sigma
    assert of_those(ranking(log, range(12)).strengths(1), range(12)) == of_those(
        before.strengths(1), range(12)
    )


def test_groups_in_order(log: Log) -> None:
    """Groups divide the ranked bots in their order; a provisional one is in none."""
    found = ranking(with_newcomers(log))
    strengths = found.strengths(1)

    assert [i for group in found.groups() for i in group] == found.order()[:12]
    assert 1 < len(found.groups()) < 12
    assert [strengths[i].group for i in found.groups()[1]] == [2] * len(found.groups()[1])
    assert strengths[12].group is None
    assert f"12 bots in {len(found.groups())} groups" in found.settled(Aim.RANKING)
    assert "groups" not in found.settled(Aim.TOP)


def test_a_stranger_hardly_moves_the_others(log: Log) -> None:
    """A bot's first matches hardly move the others' ratings."""
    before = ranking(log)
    log = with_newcomers(log)
    for number in range(3):
        group = (12, 3 * number, 3 * number + 1, 3 * number + 2)
        log.append(MatchResult(9000 + number, group, range(4), (1, 2, 3, 4), points=(9, 4, 2, 1)))

    after = ranking(log)

    assert after.order() == [*before.order(), 12]
    for aim in Aim:
        assert before.chance(aim) == pytest.approx(after.chance(aim), abs=0.08)
    old, new = before.strengths(1), after.strengths(1)
    for i in range(12):
        assert new[i].mu == pytest.approx(old[i].mu, abs=old[i].sigma / 2)
        assert new[i].sigma == pytest.approx(old[i].sigma, rel=0.1)
    assert new[12].provisional
    assert old[before.order()[-1]].better_than_next is None
    assert new[before.order()[-1]].better_than_next is None


def test_the_scale_stays() -> None:
    """25 is the mean of the first round's bots, even beside four much stronger ones."""
    world = World(entrants=16)
    for block in range(60):
        world.play([(block + step) % 12 for step in (0, 3, 7, 8)], duplicate=False)
    before = ranking(world.log).strengths(1)
    for block in range(120):
        world.play([12 + block % 4, *((block + step) % 12 for step in (0, 3, 7))], duplicate=False)

    after = ranking(world.log).strengths(1)

    for found in (before, after):
        assert sum(found[i].mu for i in range(12)) / 12 == pytest.approx(MU)
    assert all(abs(after[i].mu - before[i].mu) < 2 * before[i].sigma for i in range(12))
    assert min(after[i].mu for i in range(12, 16)) > MU + 3
    assert all(after[i].sigma < before[i].sigma for i in range(12))


def test_who_retires_keeps_the_scale(log: Log) -> None:
    """Retiring a bot moves no rating; the others are ranked among each other."""
    found, without = ranking(log), ranking(log, [i for i in range(12) if i != 5])

    assert without.order() == [i for i in found.order() if i != 5]
    old, new = found.strengths(1), without.strengths(1)
    assert [(s.mu, s.sigma) for s in new.values()] == [(s.mu, s.sigma) for s in old.values()]
    assert new[5].ranks is None
    first, *_, last = without.order()
    assert new[first].ranks == old[first].ranks
    ranks = new[last].ranks
    assert ranks is not None
    assert ranks[1] == 11


def test_founders_count_as_soon_as_they_are_known(log: Log) -> None:
    """A first-round bot that hardly played is no part of the reference, unless all are."""
    log = with_newcomers(log)
    log.append(MatchResult(9000, (0, 12), range(2), (1, 2)))

    assert ranking(log, founders=(0, 1, 12)).reference == [0, 1]
    assert ranking(log, founders=(12,)).reference == [12]
    assert ranking(Log(3), founders=(0, 1, 2)).reference == []


def test_where_all_are_new_all_are_ranked(log: Log) -> None:
    """While no bot is well known, all are ranked and measured against all."""
    young = Log(12, [MatchResult(0, (0, 1, 2, 3), range(4), (1, 2, 3, 4))])

    found = ranking(young)

    assert found.established == found.listed
    assert found.order()[0] == 0
    assert sum(found.strengths(1)[i].mu for i in range(4)) == pytest.approx(4 * MU)
    assert ranking(log).established == list(range(12))
