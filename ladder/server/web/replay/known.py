"""What the data of a replay repeat: those of another match of the game, which its script holds."""

from functools import cache

from ladder.server.web.replay.columns import as_json
from referee.match.match import Match, MatchSetup
from referee.view.frames import film, view

_SEATS = 4
_MOST = 32_500
"""Bytes that deflate looks back, but for a few."""


@cache
def known(game: str) -> bytes:
    """Return the data of a match that stand-ins play, as far as deflate looks back; always equal.

    It is ASCII, so that every byte is a letter of the script.
    """
    everywhere = frozenset(range(_SEATS))
    match = Match(MatchSetup("", game, _SEATS, master_seed="known", without_bot=everywhere))
    data = as_json(view(film(match, [("", "")] * _SEATS), None))
    return data.decode().encode("ascii", "ignore")[:_MOST]
