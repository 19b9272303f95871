"""Timing tells: whether the time of a bot's decisions depends on facts that only the bot can see.

A stopped bot reads the clock when it wakes, so it knows how long the others took. Two bots that
work together can agree on what a time means. Two things show that in records:

- *Times that follow hidden facts.* For each fact that a seat alone sees, such as a mission or a
  card in the hand, the ranks of the times are compared between its values (Kruskal-Wallis), among
  decisions with as many others before them. All tests of a field share one rate `ALARM`
  (Bonferroni). An honest bot may also think longer about some hands: so `share`, the part of the
  ranks' variance that the fact explains beyond chance, has to be large.
- *Waits.* A bot that waits for an agreed moment does not compute. Honest ones hardly ever wait.

Neither accuses a bot. But of a bot with a tell, each test of a favour has to bear fewer others
beside it, and so it finds sooner which bots it helps: `tell_favours`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from ladder.rating.arrays import Floats, Ints
from ladder.results.diagnostics.collusion import ALARM, Favour

FEWEST = 20
"""Versions with fewer decisions are not tested."""
LEAST_SHARE = 0.25
"""A fact that explains a smaller share of the times is no tell."""
LEAST_WAIT_US = 20_000
"""A shorter wait is a busy machine's."""
_FEWEST_OF_A_VALUE = 4
_LEAST_VALUES = 2


@dataclass(frozen=True, slots=True)
class FirstDecision:
    """A seat's first decision in a match."""

    version: int
    before: int
    """The number of decisions before it in the match."""
    took_us: int
    """On the wall."""
    waited_us: int
    """How long it neither computed nor lacked a core; 0 where its CPU time is unknown."""
    hidden: Mapping[str, str]
    """The facts that the seat saw and others did not, by name."""


@dataclass(frozen=True, slots=True)
class Tell:
    """The test of a version's decision times."""

    version: int
    decisions: int
    fact: str
    """The hidden fact that explains them best; empty if none was tested."""
    share: float
    """The part of the times' variance, in ranks, that it explains beyond chance."""
    p_value: float
    """The probability that a bot whose times follow no fact shows as much, over all its facts."""
    waited_us: int
    """The median wait."""
    follows: bool
    """Whether the times follow the fact."""

    @property
    def waits(self) -> bool:
        """Whether the version mostly waits before it answers."""
        return self.waited_us >= LEAST_WAIT_US

    @property
    def is_one(self) -> bool:
        """Whether others may learn something from the times."""
        return self.follows or self.waits


def tells(decisions: Iterable[FirstDecision]) -> list[Tell]:
    """Test all versions that decided often enough; those with a tell come first."""
    of_version: dict[int, list[FirstDecision]] = {}
    for decision in decisions:
        of_version.setdefault(decision.version, []).append(decision)
    tested = [_tested(own) for own in of_version.values() if len(own) >= FEWEST]
    allowance = ALARM / max(len(tested), 1)
    judged = (
        replace(tell, follows=tell.p_value < allowance and tell.share >= LEAST_SHARE)
        for tell in tested
    )
    return sorted(judged, key=lambda tell: (not tell.is_one, tell.p_value, tell.version))


def tell_favours(found: Sequence[Favour], known: Sequence[Tell]) -> list[Favour]:
    """Return the favours from or to versions with a tell, at an alarm rate of their own."""
    suspects = {tell.version for tell in known if tell.is_one}
    tests = [favour for favour in found if {favour.helper, favour.helped} & suspects]
    return [favour for favour in tests if favour.p_value * len(tests) < ALARM]


def _tested(own: Sequence[FirstDecision]) -> Tell:
    ranks = _ranks(own)
    names = sorted({name for decision in own for name in decision.hidden})
    tests = {name: _explained(ranks, _values(own, name)) for name in names}
    known = {name: test for name, test in tests.items() if test is not None}
    fact = min(known, key=lambda name: known[name][0], default="")
    p_value, share = known.get(fact, (1.0, 0.0))
    return Tell(
        version=own[0].version,
        decisions=len(own),
        fact=fact,
        share=share,
        p_value=min(1.0, p_value * len(known)),
        waited_us=int(np.median([decision.waited_us for decision in own])),
        follows=False,
    )


def _ranks(own: Sequence[FirstDecision]) -> Floats:
    """Return the rank of each time among those with as many decisions before, from 0 to 1."""
    times = np.array([decision.took_us for decision in own], float)
    before = np.array([decision.before for decision in own])
    ranks = np.zeros(len(own))
    for number in np.unique(before):
        alike = before == number
        _, place, count = np.unique(times[alike], return_inverse=True, return_counts=True)
        ranks[alike] = (np.cumsum(count) - count / 2)[place] / alike.sum()  # equals: their mean
    return ranks


def _values(own: Sequence[FirstDecision], name: str) -> Ints:
    """Return the value of a fact in each decision as a number; -1 for a rare or missing one."""
    hidden = [decision.hidden.get(name, "") for decision in own]
    _, value, count = np.unique(hidden, return_inverse=True, return_counts=True)
    known = (count[value] >= _FEWEST_OF_A_VALUE) & np.array([bool(one) for one in hidden])
    numbers: Ints = np.where(known, value, -1)
    return numbers


def _explained(ranks: Floats, values: Ints) -> tuple[float, float] | None:
    """Return the p-value of what a fact explains of ranks, and the share; None if untested."""
    ranks, values = ranks[values >= 0], values[values >= 0]
    groups = [ranks[values == value] for value in np.unique(values)]
    total = float(((ranks - ranks.mean()) ** 2).sum()) if len(ranks) else 0.0
    if len(groups) < _LEAST_VALUES or len(ranks) < FEWEST or not total:
        return None
    between = sum(len(group) * (group.mean() - ranks.mean()) ** 2 for group in groups)
    free, height = len(groups) - 1, (len(ranks) - 1) * between / total
    share = (height - free) / (len(ranks) - 1 - free)
    return float(special.chdtrc(free, height)), float(share)
