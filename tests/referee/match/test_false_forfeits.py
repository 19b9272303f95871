"""Old records' forfeits that were the referee's fault."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.core.clock import Measured
from referee.core.faults import ENDED_STREAM, Fault, FaultKind
from referee.match.false_forfeits import false_forfeits
from referee.match.match import Match
from referee.match.record import record_of

BY_PING = f"{ENDED_STREAM}: its process exited with status 1"
PRINTED = "GOAWAY received; Error code: 11; Debug Text: ping_timeout {http2_error:11}"


@pytest.fixture
def record(new_match: Callable[..., Match]) -> Callable[..., Any]:
    """A match in which each other seat thinks for so long, until the first is gone."""

    def play(others_s: float, reason: str, *, kind: FaultKind, took_s: float, at: int) -> Any:
        match = new_match()
        first = match.state.to_act
        asked = 0
        while (due := match.due) is not None:
            asked += due.seat == first
            if due.seat == first and asked == at:
                match.forfeit(Fault(kind, reason), 0, Measured(int(took_s * 1e6)))
                continue
            thought = 1_000 if due.seat == first or asked > at else int(others_s * 1e6)
            match.decide(next(iter(match.state.legal_actions())), thought, Measured(thought))
        return first, record_of(match, [None] * 3)

    return play


CASES: dict[str, tuple[float, str, FaultKind, float, int, str, str]] = {
    # others' thought in seconds, reason, kind, seconds taken, request, printed; what shows
    "a long stop": (31, BY_PING, FaultKind.DISCONNECTED, 0.0001, 2, "", "others thought 62 s"),
    "no exit": (31, ENDED_STREAM, FaultKind.DISCONNECTED, 0.0001, 2, "", "others thought 62 s"),
    "what it printed": (0, BY_PING, FaultKind.DISCONNECTED, 0.0001, 1, PRINTED, "not answered"),
    "a crash": (1, BY_PING, FaultKind.DISCONNECTED, 0.0001, 2, "a traceback", ""),
    "a crash as it thought": (31, BY_PING, FaultKind.DISCONNECTED, 1.5, 2, PRINTED, ""),
    "a late answer": (31, "no answer", FaultKind.TIMEOUT, 0.0001, 2, PRINTED, ""),
    "a referee of today": (
        *(31, f"{ENDED_STREAM} after it was stopped for 62.0 s", FaultKind.DISCONNECTED),
        *(0.0001, 2, PRINTED, ""),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_false_forfeit_is_told_from_a_true_one(record: Callable[..., Any], case: str) -> None:
    """A long stop, the library's output, or no time taken tells it."""
    others_s, reason, kind, took_s, at, printed, shown = CASES[case]
    seat, played = record(others_s, reason, kind=kind, took_s=took_s, at=at)

    found = list(false_forfeits(played, {seat: printed}))

    assert [one.seat for one in found] == ([seat] if shown else [])
    assert all(shown in one.why for one in found)
