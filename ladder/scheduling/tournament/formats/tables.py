"""The table of those who all play each other or play many: score first, then named tie-breaks.

All are means or shares, so that a bye or a meeting fewer neither wins nor loses a tie:

- *direct encounter*: what the equals scored against each other, on the mean of those others; it is
  asked only where all equals met each other;
- *opponents' scores*: the mean of the scores a round of all whom one met, as often as one met them
  (as Buchholz, but a mean);
- *first places*: the share of one's matches that one won;
- *seed*: the better one at the start.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Field, Line, Totals

DIRECT = "direct encounter"
OPPONENTS = "opponents' scores"
FIRSTS = "first places"
SEED = "seed"

Scores = Mapping[VersionId, Fraction]


def table_of_means(field: Field) -> list[Line]:
    """Return the table by the mean of what each scored against each opponent, all weighed alike."""
    tally = Totals(field)

    def mean(entrant: VersionId) -> Fraction:
        met = [other for other in field.entrants if tally.met[entrant, other]]
        return sum((tally.against(entrant, o) for o in met), Fraction()) / max(1, len(met))

    score = {entrant: mean(entrant) for entrant in field.entrants}
    return _table(field, tally, score, score)


def table_of_sums(field: Field) -> list[Line]:
    """Return the table by the sum of the scores, byes included."""
    tally = Totals(field)
    score = {e: tally.total(e) for e in field.entrants}
    a_round = {e: score[e] / max(1, tally.meetings[e] + tally.byes[e]) for e in score}
    return _table(field, tally, score, a_round)


def _table(field: Field, tally: Totals, score: Scores, a_round: Scores) -> list[Line]:
    lines: list[Line] = []
    uncounted = {entrant for result in field.results for entrant in result.uncounted}
    by_score = sorted(field.entrants, key=lambda e: (-score[e], e in uncounted, field.seed(e)))
    for _, equals in groupby(by_score, key=lambda e: (score[e], e in uncounted)):
        among = list(equals)
        direct = _direct(among, tally)
        breaks = {
            e: {
                **({DIRECT: direct[e]} if direct else {}),
                OPPONENTS: _of_opponents(e, tally, a_round),
                FIRSTS: tally.share_of_firsts(e),
                SEED: Fraction(1 + field.seed(e)),
            }
            for e in among
        }
        among.sort(key=lambda e: [v if by == SEED else -v for by, v in breaks[e].items()])
        lines += [
            Line(
                place=len(lines) + i,
                entrant=entrant,
                score=score[entrant],
                meetings=tally.meetings[entrant],
                byes=tally.byes[entrant],
                reached="",
                tie_breaks=breaks[entrant],
            )
            for i, entrant in enumerate(among, start=1)
        ]
    return lines


def _of_opponents(entrant: VersionId, tally: Totals, a_round: Scores) -> Fraction:
    """Return the mean of the scores of all whom one met, as often as one met them."""
    met = {other: tally.met[entrant, other] for other in a_round if tally.met[entrant, other]}
    total = sum((times * a_round[other] for other, times in met.items()), Fraction(0))
    return total / max(1, sum(met.values()))


def _direct(among: Sequence[VersionId], tally: Totals) -> dict[VersionId, Fraction]:
    """Return what equals scored against each other; empty if it is not to be asked."""
    if len(among) < 2 or not all(tally.met[pair] for pair in combinations(among, 2)):  # noqa: PLR2004 - equals
        return {}
    return {
        e: sum((tally.against(e, o) for o in among if o != e), Fraction()) / (len(among) - 1)
        for e in among
    }
