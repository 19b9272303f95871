"""Who may see what of a match, and when."""

import pytest

from ladder.model.bots import Version
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult
from ladder.results.visibility import Visible, visible

DEAL = "a deal"
ANN, BOB = (
    Version(n, name, 1, "0", (), active=True, submitted_at="")
    for n, name in ((1, "ann"), (2, "bob"))
)
PLANNED, RUNNING, DONE, DROPPED, VOID = MatchState

NOTHING = (False, False, False)
EMBARGO = (False, False, True)
RECORD = (False, True, False)
ALL = (True, True, False)

RULE = {
    # state, whether it is postponed, whether its deal is in play: result, record, embargoed
    (PLANNED, "", "in play"): NOTHING,
    (RUNNING, "", "in play"): NOTHING,
    (VOID, "postponed", "in play"): NOTHING,
    (DONE, "", "in play"): EMBARGO,
    (DONE, "", ""): ALL,
    (DROPPED, "", "in play"): EMBARGO,
    (DROPPED, "", ""): ALL,
    (VOID, "", "in play"): NOTHING,
    (VOID, "", ""): RECORD,  # of a match that was played and then voided
    # An unfinished match is never public, even if its deal is called retired.
    (PLANNED, "", ""): NOTHING,
    (RUNNING, "", ""): NOTHING,
    (VOID, "postponed", ""): NOTHING,
}
VIEWERS: dict[tuple[str, ...], tuple[int, ...]] = {
    (): (),
    ("eve",): (),
    ("ann",): (0, 3),
    ("ann", "bob"): (0, 1, 3),
}
"""The seats of these bots' owner."""


@pytest.mark.parametrize("own", VIEWERS, ids="+".join)
@pytest.mark.parametrize(("state", "postponed", "in_play"), RULE)
def test_who_may_see_what(
    state: MatchState, postponed: str, in_play: str, own: tuple[str, ...]
) -> None:
    """A finished match of a retired deal is public; before, authors see the own seats."""
    result = SeatResult(1, 7, None) if state.has_result else None
    seats = tuple(SeatLine(version, result) for version in (ANN, BOB, None, ANN))
    match = MatchLine("m", 1, 0, state, 0, None, None, None, seats, DEAL, bool(postponed))
    may = visible(match, {"another", *([DEAL] if in_play else [])}, own)
    result_shown, record, embargoed = RULE[state, postponed, in_play]
    assert may == Visible(result_shown, record, embargoed, VIEWERS[own])
    assert may.replay(None) == record
    for seat in range(len(seats)):
        assert may.replay(seat) == (record or seat in VIEWERS[own])
        assert may.outcome(seat) == (result_shown or seat in VIEWERS[own])
