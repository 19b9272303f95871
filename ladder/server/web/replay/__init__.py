"""Replays of matches: what each viewer's page gets.

A replay's data is JSON, made by the referee for one viewer: for a seat from what that seat was
told, for the audience from all of it. A server must not hand out the audience's, nor
another seat's, before the deal is retired.
"""

from typing import Any

import orjson

from ladder.server.web.replay.columns import by_columns
from referee.view.frames import film_of_record, view

Viewer = int | str
"""A seat, or AUDIENCE."""

AUDIENCE = "audience"


def page(record: Any, viewer: Viewer = AUDIENCE) -> bytes:
    """Return the data of a match's replay for one viewer.

    Raise `UsageError` if the record cannot be played again.
    """
    shown = view(film_of_record(record), viewer if isinstance(viewer, int) else None)
    # Nothing in it can end the element that holds it, or begin another.
    return orjson.dumps(by_columns(shown)).replace(b"<", b"\\u003c")
