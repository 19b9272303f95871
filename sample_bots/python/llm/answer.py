"""Reads what a model stated: the last JSON object of its answer, and the option that it names.

Nothing else of an answer counts, however clear it seems: a move that was only thought about is not
a move.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

CHOICE, MOVE = "choice", "move"
"""The keys of an option's number, from 1, and of its text."""
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_LONGEST = 100_000
"""Characters of an answer that is read: JSON is looked for at each brace."""
_SHOWN = 200
"""Characters of an answer that a reason quotes."""


class UnreadableError(Exception):
    """The answer states no move."""


class IllegalError(Exception):
    """The answer states a move that is none of the options."""


class _Object(dict[str, Any]):
    """A JSON object, which knows whether it says one thing twice."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeats = len(self) < len(pairs)


_DECODER = json.JSONDecoder(object_pairs_hook=_Object)


def stated(text: str, options: Sequence[str], *, listed: bool) -> int:
    """Return the index of the option that an answer states.

    Raise `UnreadableError` or `IllegalError`; the message is for the model.
    """
    if len(text) > _LONGEST:
        raise UnreadableError(f"your answer had more than {_LONGEST} characters")
    found = _last_object(_THOUGHT.sub("", text))
    if found is None:
        raise UnreadableError("your answer held no JSON object")
    key, kind = (CHOICE, "a whole number") if listed else (MOVE, "a text")
    value = None if found.repeats else found.get(key)
    if listed and isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= len(options):
            raise IllegalError(f"{_short(value)} is no option: there are 1 to {len(options)}")
        return value - 1
    if not listed and isinstance(value, str):
        return _labelled(value, options)
    raise UnreadableError(
        f'the last JSON object of your answer, {_short(found)}, must have "{key}" once, {kind}'
    )


def _labelled(move: str, options: Sequence[str]) -> int:
    """Return the option of this text: exactly, else without regard to case and spaces."""
    if move in options:
        return options.index(move)
    alike = [i for i, option in enumerate(options) if _folded(option) == _folded(move)]
    if len(alike) != 1:
        raise IllegalError(f"{_short(move)} is not one of the moves that you may make here")
    return alike[0]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _last_object(text: str) -> _Object | None:
    """Return the last JSON object that is not part of another."""
    found, at = None, text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value
        at = text.find("{", end)
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
