"""A log whose older results are condensed is rated like the whole log."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np
import pytest

from ladder.model.settings import RatedBy
from ladder.rating.condensed import Condensed, nothing
from ladder.rating.families import Lineage
from ladder.rating.fit import Fit
from ladder.rating.rater import condense, rate
from ladder.rating.results import Log, MatchResult
from tests.ladder.rating.simulation import World, ranked

BOTS = 20
LATE = 19
"""A bot that enters in the middle, as the next version of bot 3."""
LINEAGE = Lineage({LATE: 3})
BLOCKS = 2400
CHUNK = 1000
"""As many matches for each bot as among a hundred bots in a ladder's chunk."""


def matches(*, duplicate: bool, pointed: bool = True) -> Iterator[list[MatchResult]]:
    """Yield the blocks of a ladder with an occasional forfeit."""
    random, world = np.random.default_rng(5), World(entrants=BOTS)
    for block in range(BLOCKS):
        group = random.choice(BOTS if block > BLOCKS / 2 else LATE, 4, replace=False)
        deal = random.normal(size=4)
        found = []
        for turn in range(4 if duplicate else 1):
            seated = np.roll(group, turn)
            points = world.skills[seated] + 5 * (deal + random.normal(size=4))
            down = [bool(random.random() < 0.01) for _ in seated]
            shown = points.round().tolist() if pointed else ()
            ranks = ranked(points)
            found.append(MatchResult(block, seated.tolist(), range(4), ranks, down, points=shown))
        yield found


def in_parts(blocks: Sequence[list[MatchResult]], by: RatedBy) -> Fit:
    """Rate the blocks with all but the last ones condensed, a chunk at a time."""
    rest, past = iter(blocks), nothing(BOTS)
    condensed = 0
    while condensed + CHUNK < len(blocks):
        past = condense(log_of(islice(rest, CHUNK)), past, lineage=LINEAGE, by=by)
        condensed += CHUNK
    return rate(log_of(rest), past, lineage=LINEAGE, by=by)


def distance(found: Fit, whole: Fit) -> float:
    """Return how far a strength is from where it should be, at most, in standard errors."""
    moved = found.theta - whole.theta
    return float(np.max(np.abs(moved - moved.mean()) / np.sqrt(np.diag(whole.V))))


def log_of(blocks: Iterator[list[MatchResult]]) -> Log:
    """Return the log of some blocks."""
    return Log(BOTS, (match for block in blocks for match in block))


@pytest.mark.sweep
@pytest.mark.parametrize("by", RatedBy)
@pytest.mark.parametrize(
    "kind",
    [{"duplicate": False}, {"duplicate": True}, {"duplicate": False, "pointed": False}],
    ids=["independent", "duplicate", "without points"],
)
def test_it_is_rated_like_the_whole_log(kind: Mapping[str, bool], by: RatedBy) -> None:
    """No strength moves by more than a twentieth of its error, and the errors stay."""
    blocks = [*matches(**kind)]

    whole = rate(log_of(iter(blocks)), lineage=LINEAGE, by=by)
    found = in_parts(blocks, by)

    error = np.sqrt(np.diag(whole.V))
    assert distance(found, whole) < 0.05
    assert np.sqrt(np.diag(found.V)) == pytest.approx(error, rel=0.02)
    assert found.information == pytest.approx(whole.information, rel=0.02)
    assert found.blocks.tolist() == whole.blocks.tolist()
    assert found.phi == pytest.approx(whole.phi, rel=0.02)
    assert found.margin == pytest.approx(whole.margin, rel=0.01)
    assert (found.joint is None) == (whole.joint is None)
    if found.joint and whole.joint:
        assert found.joint.share == pytest.approx(whole.joint.share, abs=0.05)
        assert found.joint.gain == pytest.approx(whole.joint.gain, rel=0.02)


def test_all_may_be_condensed() -> None:
    """After the last result has been condensed, the rating is that of the whole log."""
    blocks = [*islice(matches(duplicate=False), CHUNK)]

    whole = rate(log_of(iter(blocks)))
    found = rate(Log(BOTS), condense(log_of(iter(blocks))))

    assert distance(found, whole) < 0.05
    assert found.blocks.tolist() == whole.blocks.tolist()


def test_nothing_condensed_changes_nothing() -> None:
    """Without older results the rating is the same to the last bit."""
    log = log_of(islice(matches(duplicate=True), 100))

    assert np.array_equal(rate(log).theta, rate(log, nothing(BOTS)).theta)
    assert np.array_equal(rate(log).V, rate(log, condense(Log(BOTS))).V)


def test_versions_may_be_added() -> None:
    """What is condensed of some versions is the same among more of them."""
    log = log_of(islice(matches(duplicate=False), 100))
    past: Condensed = condense(log).among(BOTS + 2, np.arange(BOTS))

    few, more = rate(Log(BOTS), condense(log)), rate(Log(BOTS + 2), past)

    assert np.array_equal(few.theta, more.theta[:BOTS])
    assert more.blocks[BOTS:].tolist() == [0, 0]
