"""Replays of matches: what each viewer's page gets.

A replay's data is JSON, made by the referee for one viewer: for a seat from what that seat was
told, for the audience from all of it. A server must not hand out the audience's, nor
another seat's, before the deal is retired.
"""

import base64
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import sub
from typing import Any

import orjson

from referee.view.frames import film_of_record, view


def by_columns(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the result of `referee.view.frames.view`, with `frames` and `own` by columns.

    By columns they compress much better.

    `frames` then has `turns` (as differences), `seats`, `words` and `changes`: for each key the
    numbers of the frames that change it, as differences, and the values. `own` has such `changes`
    for each seat, and `words` as pairs of frame and text.
    """
    frames = shown["frames"]
    own = {
        seat: [(int(number), *changed) for number, changed in frames_of_seat.items()]
        for seat, frames_of_seat in shown["own"].items()
    }
    return {
        **shown,
        "frames": {
            "turns": _steps([turn for turn, *_ in frames]),
            "seats": [seat for _, seat, *_ in frames],
            "words": [words for _, _, words, _ in frames],
            "changes": _columns(enumerate(changes for *_, changes in frames)),
        },
        "own": {
            seat: {
                "changes": _columns((number, changes) for number, changes, _ in frames_of_seat),
                "words": [[number, words] for number, _, words in frames_of_seat if words],
            }
            for seat, frames_of_seat in own.items()
        },
    }


def _columns(frames: Iterable[tuple[int, Mapping[str, Any]]]) -> dict[str, list[list[Any]]]:
    columns: dict[str, tuple[list[int], list[Any]]] = defaultdict(lambda: ([], []))
    for number, changes in frames:
        for key, value in changes.items():
            numbers, values = columns[key]
            numbers.append(number)
            values.append(value)
    return {key: [_steps(numbers), values] for key, (numbers, values) in columns.items()}


def _steps(numbers: Sequence[int]) -> list[int]:
    return list(map(sub, numbers, (0, *numbers)))


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


_LARGE = 32_000
_BEST, _FAST = 9, 5
"""Levels of deflate: 5 % less for four times the time, and 5 % more for half of it."""


def pack(data: bytes) -> str:
    """Return the data of a replay as small text that no markup can end: deflate, in base 64."""
    # What takes little time to make weighs most beside its record, and the other way round.
    level = _BEST if len(data) < _LARGE else _FAST
    return base64.b64encode(zlib.compress(data, level)).decode("ascii")
