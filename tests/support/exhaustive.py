"""All that chance can do in a small position, and whether draws agree with it."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from referee.games.randomness import Stream

T = TypeVar("T", bound=Hashable)

_LEAST = 5
"""Draws expected of a key, below which it counts together with others."""


class _Script(Stream):
    """Chooses what it is told, then always the first; remembers how many choices there were."""

    def __init__(self, chosen: list[int]) -> None:
        self._chosen = chosen
        self.sizes: list[int] = []

    def below(self, n: int) -> int:
        """The next choice."""
        at = len(self.sizes)
        self.sizes.append(n)
        if at == len(self._chosen):
            self._chosen.append(0)
        return self._chosen[at]

    def bytes(self, n: int) -> bytes:
        """The same seed in every course: it must not matter."""
        return bytes(n)


def chances(draw: Callable[[Stream], T | None]) -> dict[T, float]:
    """The exact probability of each result: every choice is made, one course after the other.

    None is a course that contradicts what was seen; what is left adds up to 1.
    """
    found: dict[T, float] = {}
    chosen: list[int] = []
    while True:
        script = _Script(chosen)
        result, weight = draw(script), 1.0
        for size in script.sizes:
            weight /= size
        if result is not None:
            found[result] = found.get(result, 0.0) + weight
        while chosen and chosen[-1] + 1 == script.sizes[len(chosen) - 1]:
            chosen.pop()
        if not chosen:
            break
        chosen[-1] += 1
    total = sum(found.values())
    return {result: weight / total for result, weight in found.items()}


def check_chances(found: Mapping[Any, int], expected: Mapping[Any, float]) -> None:
    """Fail unless Pearson's chi-square is within four standard deviations of its mean."""
    assert set(found) <= set(expected), "drawn, although it cannot be"
    drawn = sum(found.values())
    pairs = [(found.get(key, 0), drawn * chance) for key, chance in expected.items()]
    often = [pair for pair in pairs if pair[1] >= _LEAST]
    rare = [pair for pair in pairs if pair[1] < _LEAST]
    cells = [*often, *([(sum(n for n, _ in rare), sum(due for _, due in rare))] if rare else [])]
    squares = sum((number - due) ** 2 / due for number, due in cells)
    freedom = len(cells) - 1
    assert freedom > 0
    assert squares < freedom + 4 * (2 * freedom) ** 0.5, f"{squares:.1f} of {freedom} cells"
