"""What has happened at a table, in words."""

import re
from collections.abc import Mapping
from typing import Any

from referee.games.markup import unstyled

_SEAT = re.compile(r"@(\d+)")
"""A seat's name in the words of a film."""


def log_of(state: Mapping[str, Any]) -> list[str]:
    """Return what has happened as a viewer knows it, in lines of plain text.

    `state` is what the viewer sees, as docs/play.md describes it.
    """
    shown = state["film"]
    if shown is None:
        return []
    words = list(shown["frames"]["words"])
    for own in shown["own"].values():
        for frame, text in own["words"]:
            words[frame] = text
    names = [seat["name"] for seat in state["seats"]]
    return [_SEAT.sub(lambda seat: names[int(seat[1])], unstyled(line)) for line in words if line]
