"""The table of those who all play each other or play many: score first, then named tie-breaks.

- *direct encounter*: what the equals scored against each other, if all of them met;
- *opponents' scores*: the sum of the scores of all whom one met, as often as one met them
  (Buchholz);
- *first places*: matches won;
- *seed*: the better one at the start.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments.base import Field, Line, Tally

DIRECT = "direct encounter"
OPPONENTS = "opponents' scores"
FIRSTS = "first places"
SEED = "seed"


def points_table(field: Field, *, mean: bool) -> list[Line]:
    """Return the table by score: the mean a meeting without byes, or the sum with them."""
    tally = Tally(field)
    score = {e: _mean(e, tally) if mean else tally.total(e) for e in field.entrants}
    opponents = {e: _of_opponents(e, tally, score) for e in field.entrants}
    lines: list[Line] = []
    by_score = sorted(field.entrants, key=lambda e: (-score[e], field.seed(e)))
    for _, equals in groupby(by_score, key=score.__getitem__):
        among = list(equals)
        direct = _direct(among, tally)
        among.sort(key=lambda e: (-direct[e], -opponents[e], -tally.firsts[e], field.seed(e)))
        for entrant in among:
            line = Line(
                place=len(lines) + 1,
                entrant=entrant,
                score=score[entrant],
                meetings=tally.meetings[entrant],
                byes=tally.byes[entrant],
                reached="",
                tie_breaks={
                    DIRECT: direct[entrant],
                    OPPONENTS: opponents[entrant],
                    FIRSTS: Fraction(tally.firsts[entrant]),
                    SEED: Fraction(1 + field.seed(entrant)),
                },
            )
            lines.append(line)
    return lines


def _mean(entrant: VersionId, tally: Tally) -> Fraction:
    """Return the score a meeting; 0 without one."""
    return Fraction(tally.score[entrant]) / max(1, tally.meetings[entrant])


def _of_opponents(
    entrant: VersionId, tally: Tally, score: Mapping[VersionId, Fraction]
) -> Fraction:
    """Return the sum of the scores of all whom one met, as often as one met them."""
    others = (other for other in score if other != entrant)
    return sum((tally.met[entrant, other] * score[other] for other in others), Fraction(0))


def _direct(among: Sequence[VersionId], tally: Tally) -> dict[VersionId, Fraction]:
    """Return what equals scored against each other; all zero if not all of them met."""
    if any(not tally.met[pair] for pair in combinations(among, 2)):
        return dict.fromkeys(among, Fraction(0))
    return {
        e: sum((Fraction(tally.pairs[e, o]) / tally.met[e, o] for o in among if o != e), Fraction())
        for e in among
    }
