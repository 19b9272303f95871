"""Tables of round robin and Swiss tournaments: score first, then named tie-breaks.

All tie-breaks are means or shares, so that a bye or a missing meeting neither helps nor harms:

- *direct encounter*: the mean score against the others of a tie; it applies only if all of them
  have met;
- *opponents' scores*: the mean score per round of all opponents, weighted by meetings (like
  Buchholz, but a mean);
- *first places*: the share of matches won.

Equals are listed by seed, which parts their places only in tournaments that began before places
were shared.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, groupby

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Field, Line, Totals, places

DIRECT = "direct encounter"
OPPONENTS = "opponents' scores"
FIRSTS = "first places"
SEED = "seed"

Scores = Mapping[VersionId, Fraction]


def table_of_means(field: Field, *, shared_places: bool) -> list[Line]:
    """Return the table by the mean score over opponents, each weighted alike."""
    tally = Totals(field)

    def mean(entrant: VersionId) -> Fraction:
        met = [other for other in field.entrants if tally.met[entrant, other]]
        return sum((tally.against(entrant, o) for o in met), Fraction()) / max(1, len(met))

    score = {entrant: mean(entrant) for entrant in field.entrants}
    return _table(field, tally, score, score, shared_places=shared_places)


def table_of_sums(field: Field, *, shared_places: bool) -> list[Line]:
    """Return the table by the sum of scores, including byes."""
    tally = Totals(field)
    score = {e: tally.total(e) for e in field.entrants}
    a_round = {e: score[e] / max(1, tally.rounds[e]) for e in score}
    return _table(field, tally, score, a_round, shared_places=shared_places)


def _table(
    field: Field, tally: Totals, score: Scores, a_round: Scores, *, shared_places: bool
) -> list[Line]:
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
        compared = [tuple(v for by, v in breaks[e].items() if by != SEED) for e in among]
        lines += [
            Line(
                place=len(lines) + place,
                entrant=entrant,
                score=score[entrant],
                meetings=tally.meetings[entrant],
                byes=tally.byes[entrant],
                reached="",
                tie_breaks=breaks[entrant],
            )
            for entrant, place in zip(among, places(compared, shared=shared_places), strict=True)
        ]
    return lines


def _of_opponents(entrant: VersionId, tally: Totals, a_round: Scores) -> Fraction:
    """Return the mean score per round of an entrant's opponents, weighted by meetings."""
    met = {other: tally.met[entrant, other] for other in a_round if tally.met[entrant, other]}
    total = sum((times * a_round[other] for other, times in met.items()), Fraction(0))
    return total / max(1, sum(met.values()))


def _direct(among: Sequence[VersionId], tally: Totals) -> dict[VersionId, Fraction]:
    """Return the mean scores among tied entrants; empty if this tie-break does not apply."""
    if len(among) < 2 or not all(tally.met[pair] for pair in combinations(among, 2)):  # noqa: PLR2004 - equals
        return {}
    return {
        e: sum((tally.against(e, o) for o in among if o != e), Fraction()) / (len(among) - 1)
        for e in among
    }
