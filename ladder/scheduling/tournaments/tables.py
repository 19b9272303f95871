"""The table of those who all play each other or play many: score first, then named tie-breaks.

- *direct encounter*: what the equals scored against each other, if all of them met;
- *opponents' scores*: the sum of the scores of all whom one met, as often as one met them
  (Buchholz);
- *first places*: matches won;
- *seed*: the better one at the start.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, groupby

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Tally

DIRECT = "direct encounter"
OPPONENTS = "opponents' scores"
FIRSTS = "first places"
SEED = "seed"

Measure = Callable[[VersionId], Fraction]


def points_table(field: Field, *, mean: bool) -> list[Line]:
    """Return the table by score: the mean a meeting without byes, or the sum with them."""
    tally = Tally(field)

    def score(entrant: VersionId) -> Fraction:
        if not mean:
            return tally.total(entrant)
        return Fraction(tally.score[entrant]) / max(1, tally.meetings[entrant])

    def opponents(entrant: VersionId) -> Fraction:
        others = (other for other in field.entrants if other != entrant)
        return sum((tally.met[entrant, other] * score(other) for other in others), Fraction(0))

    def line(place: int, entrant: VersionId, direct: Fraction) -> Line:
        return Line(
            place=place,
            entrant=entrant,
            score=score(entrant),
            meetings=tally.meetings[entrant],
            byes=tally.byes[entrant],
            reached="",
            tie_breaks={
                DIRECT: direct,
                OPPONENTS: opponents(entrant),
                FIRSTS: Fraction(tally.firsts[entrant]),
                SEED: Fraction(1 + field.seed(entrant)),
            },
        )

    lines: list[Line] = []
    by_score = sorted(field.entrants, key=lambda e: (-score(e), field.seed(e)))
    for _, equals in groupby(by_score, key=score):
        among = list(equals)
        direct = _direct(among, tally)
        among.sort(key=lambda e: (-direct[e], -opponents(e), -tally.firsts[e], field.seed(e)))
        lines += [line(len(lines) + 1 + i, e, direct[e]) for i, e in enumerate(among)]
    return lines


def _direct(among: Sequence[VersionId], tally: Tally) -> dict[VersionId, Fraction]:
    """Return what equals scored against each other; all zero if not all of them met."""
    if any(not tally.met[pair] for pair in combinations(among, 2)):
        return dict.fromkeys(among, Fraction(0))
    return {
        e: sum((Fraction(tally.pairs[e, o]) / tally.met[e, o] for o in among if o != e), Fraction())
        for e in among
    }
