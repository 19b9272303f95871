"""Answers questions about a ladder from what it stores."""

from typing import Any

from ladder.model.errors import DealInPlayError
from ladder.model.values import MatchLine
from ladder.results.visibility import visible
from ladder.storage import matches
from ladder.storage.ladder import Ladder


def public_record(ladder: Ladder, match: MatchLine) -> Any:
    """Return the record of a match; raise `DealInPlayError` if it is not public yet.

    Raise `UnknownMatchError` if there is none.
    """
    with ladder.database.read() as tx:
        may = visible(match, matches.deals_in_play(tx))
        still = matches.open_of_deal(tx, match.deal)
    if match.decisions is not None and not may.record:
        raise DealInPlayError(
            f"match {match.match_id} is kept secret until its deal is played on all seats: "
            f"{still} more of its block to go. With --seat, `ladder replay` shows what one knew"
        )
    return ladder.record(match)
