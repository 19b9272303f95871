"""A gauntlet: one challenger against each other entrant, with confidence intervals.

The challenger, the first seed, sits at every table, and each other entrant meets it once a cycle.
The tables are full: the last one of a cycle is filled up from the start of the list. At larger
tables bots of one author sit apart if that takes no more tables. Entrants are
only compared with the challenger, so a gauntlet has no winner, and an entrant without a table in a
round misses nothing.

The interval is Wilson's for a share of n matches at 95 %; a tie counts as half a win. As the
matches of a deal are played with rotated seats, which reduces luck, the interval is rather too
wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats import circles
from ladder.scheduling.tournament.formats.apart import Apart, pairs_at, weighed
from ladder.scheduling.tournament.formats.base import Field, Line, Meeting, Totals, check
from ladder.scheduling.tournament.formats.pairing import Group, regrouped
from ladder.scheduling.tournament.formats.tables import SEED

_NORMAL = 1.959964
"""The two-sided 95 % quantile."""
_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """The first seed against all others, `cycles` times over."""

    cycles: int = 1
    tie_breaks: tuple[str, ...] = (SEED,)
    has_winner: bool = False

    def play_on(self, field: Field) -> list[Meeting]:  # noqa: ARG002 - as every format is asked
        """Return nothing: no entrant is eliminated, so a meeting may end level."""
        return []

    def next_round(self, field: Field) -> list[Meeting]:
        """Return the next table; a round has one, as the challenger sits at every table."""
        check(field)
        one, *others = field.entrants
        before = circles.counted(result.meeting for result in field.results)
        met = Totals(field).met
        for cycle in range(self.cycles):
            if due := [e for e in others if met[one, e] <= cycle]:
                at_table = _opponents(tuple(due), tuple(others), field.seats - 1, field.apart)
                table = (one, *at_table)
                return [Meeting(field.rounds, circles.seated(table, before))]
        return []

    def resting(self, field: Field, meetings: Sequence[Meeting]) -> list[VersionId]:  # noqa: ARG002 - as every format is asked
        """Return nothing: only the challenger plays every round."""
        return []

    def table(self, field: Field) -> list[Line]:
        """Return a line per opponent with the challenger's score, the hardest opponent first."""
        tally = Totals(field)
        one, *others = field.entrants
        scores = {e: tally.against(one, e) if tally.met[one, e] else Fraction(1, 2) for e in others}
        ordered = sorted(others, key=lambda e: (not tally.met[one, e], scores[e], field.seed(e)))
        return [
            Line(
                place=i + 1,
                entrant=entrant,
                score=scores[entrant],
                meetings=tally.met[one, entrant],
                byes=0,
                reached="",
                tie_breaks={SEED: Fraction(1 + field.seed(entrant))},
                interval=interval(scores[entrant], tally.played[entrant]),
            )
            for i, entrant in enumerate(ordered)
        ]


def interval(share: Fraction, matches: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share of `matches`; 0 to 1 without any."""
    if not matches:
        return 0.0, 1.0
    p, z = float(share), _NORMAL**2 / matches
    half = sqrt(z * p * (1 - p) + z * z / 4)
    low, high = (p + z / 2 - half) / (1 + z), (p + z / 2 + half) / (1 + z)
    return round(max(0.0, low), _DECIMALS), round(min(1.0, high), _DECIMALS)


@lru_cache(maxsize=256)
def _opponents(
    due: tuple[VersionId, ...], others: tuple[VersionId, ...], seats: int, apart: Apart
) -> Group:
    """Return the next opponents of the challenger: of those due, and others if seats are left."""
    sizes = [len(due[i : i + seats]) for i in range(0, len(due), seats)]
    weights = weighed(
        others, pairs_at([seats] * len(sizes)), apart.forbidden, fellows=apart.fellows
    )
    found = regrouped(due, sizes, weights)
    table = next((each for each in found if len(each) == seats), found[0])
    waiting = [e for e in others if e not in due]
    while len(table) < seats and waiting:
        joining = min(waiting, key=lambda e: weights.at([(*table, e)]))
        waiting.remove(joining)
        table = (*table, joining)
    return table
