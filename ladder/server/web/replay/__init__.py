"""Replays of matches: the data of each viewer's page.

A replay's data is JSON, made by the referee for one viewer: for a seat from its own messages,
for the audience from all of it. A server must not hand out the audience's, nor another seat's,
before the deal is retired.
"""

import base64
import zlib
from collections.abc import Mapping
from typing import Any

from ladder.server.web.replay.bundle import known_to
from ladder.server.web.replay.columns import as_json
from referee.match.luck import MatchLuck
from referee.view.frames import film_of_record, view

Viewer = int | str
"""A seat, or AUDIENCE."""

AUDIENCE = "audience"


def page(
    record: Any,
    viewer: Viewer = AUDIENCE,
    luck: MatchLuck | None = None,
    notes: Mapping[int, str] | None = None,
) -> bytes:
    """Return the data of a match's replay for one viewer; what chance gave, for the audience.

    `notes` stand after decisions, as in `film_of_record`. Raise `UsageError` if the record cannot
    be played again.
    """
    seat = viewer if isinstance(viewer, int) else None
    return as_json(view(film_of_record(record, notes), seat, luck))


_LARGE = 32_000
_BEST, _FAST = 9, 5
"""Levels of deflate: 5 % less for four times the time, and 5 % more for half of it."""


def pack(data: bytes, drawing: str) -> str:
    """Return the data of a replay as small text that no markup can end.

    It is raw deflate in base 64, which goes on from what the drawing's script knows.
    """
    # Small data weigh most beside their record, and pack fast; large ones do the reverse.
    level = _BEST if len(data) < _LARGE else _FAST
    packing = zlib.compressobj(level, wbits=-zlib.MAX_WBITS, zdict=known_to(drawing))
    return base64.b64encode(packing.compress(data) + packing.flush()).decode("ascii")
