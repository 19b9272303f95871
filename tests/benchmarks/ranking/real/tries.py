"""The best of twenty equal versions of a bot, and a better one that follows them.

Run by `python -m tests.benchmarks.ranking.real.tries`; the matches are drawn from banks of real
ones. An author's versions play one after another among the other bots of a field. The best of equal
ones should be rated as what they are; a better one should get its own rating soon.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from ladder.rating.families import UNRELATED, Lineage
from ladder.rating.fit import Fit
from ladder.rating.rater import rate
from ladder.rating.results import Log
from tests.benchmarks.ranking.real.bank import Bank, Floats, load, played
from tests.benchmarks.ranking.real.experiment import NORMAL_95, full_log
from tests.benchmarks.ranking.real.ladders import Draws

TRIES = 20
_MATCHES = (25, 100)
"""Of each of the equal versions."""
_BEFORE = 40
"""Matches of each version before a better one."""
_AFTER = (20, 40, 80, 160, 320)
"""Matches of the better one."""


class Tries:
    """A ladder of a field in which versions of one bot follow each other.

    Versions are the field's bots, and then those that replaced the first.
    """

    def __init__(self, bank: Bank, seed: int, bot: int, *, without: Sequence[int] = ()) -> None:
        """Begin before the first match; bots `without` play only as versions of this one."""
        self._seats, self._draws = bank.seats, Draws(bank, seed)
        self._chance = np.random.default_rng(seed)
        self.rivals = [b for b in range(len(bank.names)) if b not in (bot, *without)]
        self.versions = [bot]
        self.log = Log(len(bank.names) + TRIES)
        self._next = len(bank.names)

    @property
    def lineage(self) -> Lineage:
        """Which version replaced which."""
        return Lineage(dict(zip(self.versions[1:], self.versions, strict=False)))

    def replace(self) -> None:
        """Submit another version."""
        self.versions.append(self._next)
        self._next += 1

    def play(self, bot: int, rounds: int) -> None:
        """Play random tables, with the newest version playing as a bot of the bank."""
        for _ in range(rounds):
            order = self._chance.permutation([*self.rivals, bot]).tolist()
            for first in range(0, len(order) - self._seats + 1, self._seats):
                for match in self._draws.table(order[first : first + self._seats], len(self.log)):
                    shown = [self.versions[-1] if v == bot else v for v in match.versions]
                    self.log.append(replace(match, versions=shown))

    def rated(self, *, together: bool = True) -> tuple[Floats, Floats]:
        """Return how far the versions are above the rivals' mean, and the standard errors."""
        return self._above(rate(self.log, lineage=self.lineage if together else UNRELATED))

    def rated_as_one(self) -> tuple[Floats, Floats]:
        """Return the same if the ladder has found the versions alike: each has the one rating."""
        log, every = Log(self._next), self.log.matches()
        is_try = np.isin(every.versions, self.versions)
        log.add(replace(every, versions=np.where(is_try, self.versions[0], every.versions)))
        theta, errors = self._above(rate(log))
        return theta[:1], errors[:1]

    def _above(self, fit: Fit) -> tuple[Floats, Floats]:
        weights = np.zeros((len(self.versions), len(fit.theta)))
        weights[np.arange(len(self.versions)), self.versions] = 1
        weights[:, self.rivals] -= 1 / len(self.rivals)
        return weights @ fit.theta, np.sqrt(np.diag(weights @ fit.V @ weights.T))


def best_of_equals(bank: Bank, truth: Floats, matches: int, ladders: int) -> Iterator[str]:
    """Yield how much too high the best version is: as one record, one family, unrelated ones.

    Ladders take turns with the middle half of the bots, as the truth of each has an error, too.
    """
    middle = np.argsort(-truth)[len(truth) // 4 : -(len(truth) // 4)].tolist()
    found = []
    for seed in range(ladders):
        bot = middle[seed % len(middle)]
        tries = Tries(bank, seed, bot)
        for number in range(TRIES):
            if number:
                tries.replace()
            tries.play(bot, matches)
        right = truth[bot] - truth[tries.rivals].mean()
        row = []
        for theta, errors in (tries.rated_as_one(), tries.rated(), tries.rated(together=False)):
            best = int(np.argmax(theta))
            row.append((theta[best] - right) / errors[best])
        found.append(row)
    names = ("one record", "one family", "unrelated")
    for name, off in zip(names, np.array(found).T, strict=True):
        error = NORMAL_95 * off.std(ddof=1) / len(off) ** 0.5
        holds = np.mean(np.abs(off) < NORMAL_95)
        yield f"{matches} each, {name}: {off.mean():.2f} ± {error:.2f} errors too high, {holds:.2f}"


def a_better_one(bank: Bank, truth: Floats, equals: int, ladders: int) -> Iterator[str]:
    """Yield the root mean square error of a better version's rating, in logits, by its matches."""
    order = np.argsort(-truth)
    bot, better = int(order[len(truth) // 2]), int(order[len(truth) // 8])
    off = np.zeros((2, ladders, len(_AFTER)))
    for seed in range(ladders):
        tries = Tries(bank, seed, bot, without=(better,))
        for _ in range(equals):
            tries.play(bot, _BEFORE)
            tries.replace()
        right = truth[better] - truth[tries.rivals].mean()
        for at, matches in enumerate(_AFTER):
            tries.play(better, matches - (_AFTER[at - 1] if at else 0))
            for row, together in enumerate((True, False)):
                off[row, seed, at] = tries.rated(together=together)[0][-1] - right
    yield f"{truth[better] - truth[bot]:.2f} logits better after {equals}, by matches {_AFTER}:"
    for name, own in zip(("one family", "unrelated"), off, strict=True):
        errors = np.sqrt(np.mean(own**2, axis=0))
        yield f"  {name}: {' '.join(f'{error:.2f}' for error in errors)}"


def main() -> None:
    """Print both for fields."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("fields", nargs="*", default=played(), choices=[*played(), []])
    parser.add_argument("--ladders", type=int, default=40)
    given = parser.parse_args()
    for name in given.fields:
        bank = load(name)
        truth = rate(full_log(bank)).theta
        for matches in _MATCHES:
            for line in best_of_equals(bank, truth, matches, given.ladders):
                print(f"{name}: {line}", flush=True)
        for equals in (1, TRIES - 1):
            for line in a_better_one(bank, truth, equals, given.ladders):
                print(f"{name}: {line}", flush=True)


if __name__ == "__main__":
    main()
