"""What `ladder watch` says above the matches."""

from ladder.cli.remote.commands import _state
from ladder.model.bots import Version
from ladder.model.matches import MatchLine, MatchState, SeatLine, SeatResult


def line(match_id: str, state: MatchState, ranks: tuple[int, ...]) -> MatchLine:
    """Return a match of ann and bob with these places, or none."""
    seats = [
        SeatLine(
            Version(i, name, 1, "", ("run",), active=True, submitted_at=""),
            SeatResult(ranks[i], 20 - ranks[i], None) if ranks else None,
        )
        for i, name in enumerate(("ann", "bob"))
    ]
    return MatchLine(match_id, 1, 0, state, 0, None, 1, "", tuple(seats))


def test_the_newest_result_is_named() -> None:
    """The state counts what is being played and names the last winner, once there is one."""
    playing = line("aa", MatchState.RUNNING, ())
    done = [line("bb", MatchState.DONE, (2, 1)), line("cc", MatchState.DONE, (1, 2))]

    assert _state([playing]) == "1 of the last 1 matches are being played."
    assert _state([playing, *done]).endswith(" Newest result: bob beats ann 19–18.")  # noqa: RUF001
