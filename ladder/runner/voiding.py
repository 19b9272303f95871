"""Voids played matches that should not count."""

from collections.abc import Sequence

from ladder.model.errors import LadderError
from ladder.model.matches import MatchLine, MatchState
from ladder.storage.ladder import Ladder
from ladder.storage.tables import matches
from referee.core.verdicts import MOST_ATTEMPTS


def void(ladder: Ladder, chosen: Sequence[MatchLine], reason: str) -> None:
    """Void matches for good.

    The matches are done, or postponed until the next run. As with every void match, the others of
    its deal no longer count either. The record stays. Raise `LadderError` if one of them cannot be
    voided, `LockedError` while matches are played.
    """
    for match in chosen:
        if _was_given_up(match):
            continue
        if (contest := ladder.settings.contest) is not None:
            remedy = f"`ladder annul {match.match_id[:12]} --why TEXT` lets it not count"
            if contest.get("contest") == "duel":
                remedy = "what was played after it follows from it; play this again in a new folder"
            raise LadderError(f"match {match.match_id} stays: {remedy}")
        if match.state is not MatchState.DONE:
            raise LadderError(f"match {match.match_id} is {match.state}, not done")
    with ladder.locked(), ladder.database.write() as tx:
        for match in chosen:
            take_out = matches.drop if _was_given_up(match) else matches.take_out
            take_out(tx, match.match_id, reason)


def _was_given_up(match: MatchLine) -> bool:
    """Return whether a match waits for the next run."""
    tried = match.state is MatchState.PLANNED and match.attempts >= MOST_ATTEMPTS
    return match.postponed or tried
