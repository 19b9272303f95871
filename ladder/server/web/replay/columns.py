"""The data of a replay as JSON, with its frames by columns, which compress much better."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from operator import sub
from typing import Any

import orjson


def as_json(shown: Mapping[str, Any]) -> bytes:
    """Return the result of `referee.view.frames.view` as JSON, by columns."""
    # Nothing in it can end the element that holds it, or begin another.
    return orjson.dumps(by_columns(shown)).replace(b"<", b"\\u003c")


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
