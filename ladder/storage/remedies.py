"""What to do about a match that should not count."""

from collections.abc import Mapping
from typing import Any

from ladder.model.matches import MatchLine

_IDENTIFYING = 12
"""The number of characters of its id that name a match in what people read."""


def remedy(contest: Mapping[str, Any] | None, match: MatchLine) -> str:
    """Return what to do about a match of a ladder that is played for this, or for nothing."""
    named = match.match_id[:_IDENTIFYING]
    if contest is None:
        return f"`ladder void {named}` takes the match out of the ratings"
    if contest.get("contest") == "duel":
        return "what was played after it follows from it; play this again in a new folder"
    return f"`ladder annul {named} --why TEXT` lets it not count in its tournament"
