"""The match log: contents and validation."""

import pytest

from ladder.rating.results import ABSENT, Log, MatchResult


def test_matches_of_all_sizes_are_kept() -> None:
    """A log returns its matches in order, whatever their sizes and times of adding."""
    log = Log(5, [MatchResult(7, (0, 1), (0, 1), (1, 2))])
    log.matches()
    log.append(MatchResult(9, (4, 2, 3), (3, 0, 1), (1, 1, 3), (False, False, True), table=4))

    matches = log.matches()

    assert len(log) == 2
    assert matches.block.tolist() == [7, 9]
    assert matches.table.tolist() == [2, 4]
    assert matches.versions.tolist() == [[0, 1, ABSENT], [4, 2, 3]]
    assert matches.seats[1].tolist() == [3, 0, 1]
    assert matches.ranks[1].tolist() == [1, 1, 3]
    assert matches.crashed.tolist() == [[False, False, False], [False, False, True]]


def test_an_empty_log() -> None:
    """An empty log has no matches."""
    assert len(Log(3)) == 0
    assert Log(3).matches().versions.shape[0] == 0


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (MatchResult(0, (0, 1), (0,), (1, 2)), "as many seats"),
        (MatchResult(0, (0, 1), (0, 1), (1, 2), (True,)), "as many seats"),
        (MatchResult(0, (0, -1), (0, 1), (1, 2)), "from 0 to 2"),
        (MatchResult(0, (0, 1), (0, 0), (1, 2)), "seat of its own"),
        (MatchResult(0, (0, 1), (0, 2), (1, 2)), "seat of its own"),
        (MatchResult(0, (0, 1), (0, 1), (0, 1)), "ranks count from 1"),
        (MatchResult(0, (0, 1), (0, 1), (float("nan"), 1)), "ranks count from 1"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_match_is_refused(result: MatchResult, reason: str) -> None:
    """A malformed result is refused with the reason."""
    with pytest.raises(ValueError, match=reason):
        Log(3).append(result)
