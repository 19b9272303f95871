"""Shows the values of plain games to people, as `referee.games.base.Text` describes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from referee.games.markup import Span, line, plain

if TYPE_CHECKING:
    from referee.games.plain.adapter import Observation, PlainAction, Result
    from referee.games.plain.contract import Event

FIGURES: Mapping[int, str] = {}
STYLES: Mapping[str, str] = {"plain": "default", "title": "bold", "seat": "bold"}
HIDDEN = "(hidden)"
"""In place of an event that a reader may not see."""
_SEAT = re.compile("(@[0-9])")
_LONGEST_DEAL = 400


def named(text: str, names: Sequence[str]) -> str:
    """Return a text with the seats' names in place of "@0", "@1" and so on."""
    if "@" not in text:  # as nearly always
        return text.replace("\n", " ")
    return plain(_spans(text, names))


def _spans(text: str, names: Sequence[str]) -> Iterator[Span]:
    for part in _SEAT.split(text):
        if _SEAT.fullmatch(part) and int(part[1]) < len(names):
            yield Span(names[int(part[1])], "seat")
        elif part:
            yield Span(part.replace("\n", " "), "plain")


def _line(text: str, names: Sequence[str]) -> str:
    return line(_spans(text, names))


def deal_lines(deal: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the deal as JSON, shortened."""
    shown = deal if len(deal) <= _LONGEST_DEAL else deal[:_LONGEST_DEAL] + "…"
    yield _line(f"Deal: {shown}", names)


def event_lines(event: "Event", names: Sequence[str]) -> Iterator[str]:
    """Yield an event: its public line, then the lines that single seats got instead."""
    if event.public or not event.own:
        yield _line(event.public or HIDDEN, names)
    for seat, text in sorted(event.own.items()):
        yield _line(f"  (@{seat} is told: {text})" if event.public else text, names)


def action_line(action: "PlainAction", names: Sequence[str]) -> str:
    """Return the labels of the chosen options."""
    return _line(", ".join(action.labels), names)


def observation_lines(observation: "Observation", names: Sequence[str]) -> Iterator[str]:
    """Yield one seat's view."""
    for text in observation.text:
        yield _line(text, names)


def result_lines(result: "Result", names: Sequence[str]) -> Iterator[str]:
    """Yield what explains the points, then each seat's points."""
    for text in result.text:
        yield _line(text, names)
    for seat in sorted(range(len(names)), key=lambda seat: -result.points[seat]):
        yield _line(f"@{seat}: {result.points[seat]}", names)
