"""Print a seat's view of a match as text, from the JSON frames of another machine.

The JSON is untrusted: `print_view` refuses what is not a view, and replaces unprintable characters.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.errors import MarkupError
from rich.markup import escape
from rich.text import Text
from rich.theme import Theme

from referee.core.errors import UsageError
from referee.core.plain import plain
from referee.games import game_named

_SEAT = re.compile("@([0-9])")


def print_view(console: Console, view: bytes) -> None:
    """Print a view of `referee.view.frames`, given as JSON; raise `UsageError` if invalid."""
    try:
        shown = json.loads(view)
        styles = game_named(shown["game"]).text.STYLES
        lines = [Text.from_markup(plain(line)) for line in _lines(shown)]
    except (LookupError, TypeError, ValueError, AttributeError, MarkupError) as error:
        raise UsageError(f"not a replay that this version can show: {error!r}") from error
    with console.use_theme(Theme(dict(styles))):
        for line in lines:
            console.print(line, soft_wrap=True)


def _lines(shown: Mapping[str, Any]) -> Iterator[str]:
    """Yield markup: the viewer, the events in the viewer's words, and the final places.

    A plain game has no drawing, so what the viewer saw precedes each of its decisions.
    """
    names = [
        escape(f"{name}{f' v{version}' if version else ''} (seat {seat})")
        for seat, (name, version) in enumerate(shown["seats"])
    ]
    viewer = shown["viewer"]
    yield f"[bold]{escape(shown['title'])} · {len(names)} seats[/]"
    yield f"[dim]match {escape(shown['match'])}[/]"
    yield f"As {names[viewer]} saw it."
    own = shown["own"][str(viewer)]
    turn = 0
    seen: Sequence[str] = ()
    for number, (of_turn, seat, words, _) in enumerate(shown["frames"]):
        changes, own_words = own.get(str(number), ({}, ""))
        if of_turn != turn:
            yield ""
            turn = of_turn
            if seat == viewer and seen:
                yield from (_named(line, names) for line in seen)
                yield ""
        seen = changes.get(f"view/{viewer}", seen)
        yield _named(own_words or words, names)
    yield from _places(shown["outcomes"], names)


def _named(text: str, names: Sequence[str]) -> str:
    """Return a text with the seats' names."""
    return _SEAT.sub(lambda found: names[int(found[1])], text)


def _places(outcomes: Sequence[Any], names: Sequence[str]) -> Iterator[str]:
    yield ""
    ranked = sorted((rank, seat, points, why) for seat, (rank, points, why) in enumerate(outcomes))
    for rank, seat, points, why in ranked:
        yield f"{rank:2}. {names[seat]}, {points}{f' ({escape(why)})' if why else ''}"
