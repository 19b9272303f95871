"""What the monkey does, and in which order: all of it follows from a seed.

The kinds of faults are drawn like cards: each comes once before any comes again. What this machine
cannot do is drawn as well and passed over, so that a seed means the same on every machine.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SHORTEST_S, _LONGEST_S = 0.2, 5.0
"""Some faults are shorter than a decision may take, and some are longer."""
LONGEST_PAUSE_S = 2.5
_TOGETHER = 0.25
"""The share of faults during which another one comes."""
_PATIENT = 0.8
"""The share of runs that are left in peace until they play."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that the monkey does."""

    kind: str
    seconds: float
    """How long it lasts, if it is not over at once."""
    which: float
    """From 0 to 1: whom it hits of those that there are, or how hard."""

    def __str__(self) -> str:
        """Return it as it stands in the log."""
        return f"{self.kind}, {self.seconds:.1f} s, {self.which:.2f}"


@dataclass(frozen=True, slots=True)
class Step:
    """A pause, then an act, perhaps with another one in the middle of it."""

    pause_s: float
    act: Act
    meanwhile: Act | None
    patient: bool
    """Whether a run that has just begun is left in peace until it plays."""


def steps(
    seed: int, kinds: Sequence[str], longest_pause_s: float = LONGEST_PAUSE_S
) -> Iterator[Step]:
    """Yield what a monkey with this seed does, without an end."""
    chance = random.Random(seed)
    acts = _acts(chance, kinds)
    while True:
        pause_s, patient = chance.uniform(0, longest_pause_s), chance.random() < _PATIENT
        together = chance.random() < _TOGETHER
        yield Step(pause_s, next(acts), next(acts) if together else None, patient)


def _acts(chance: random.Random, kinds: Sequence[str]) -> Iterator[Act]:
    while True:
        for kind in chance.sample(kinds, len(kinds)):
            # Many are short, and every length up to the longest comes.
            seconds = _SHORTEST_S * (_LONGEST_S / _SHORTEST_S) ** chance.random()
            yield Act(kind, seconds, chance.random())
