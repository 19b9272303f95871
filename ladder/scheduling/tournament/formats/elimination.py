"""Tables of formats that eliminate: who stayed longer is ahead.

Entrants that left in the same round are compared by their last meeting: score, place at the table,
points margin.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import Field, Line, MeetingResult, Totals, places
from ladder.scheduling.tournament.formats.bracket import THIRD
from ladder.scheduling.tournament.formats.deciding import MARGIN, TableDecision
from ladder.scheduling.tournament.formats.tables import SEED

LAST_SCORE = "score of the last round"
TABLE_PLACE = "place at its table"
TIE_BREAKS = (LAST_SCORE, TABLE_PLACE, MARGIN, SEED)


def elimination_table(
    field: Field,
    entrants: Sequence[VersionId],
    losses: Callable[[VersionId], int],
    byes: Sequence[VersionId],
    decide: Callable[[MeetingResult], TableDecision],
    *,
    shared_places: bool,
) -> list[Line]:
    """Return the table: the fewest losses first, then the last round played and its tie-breaks.

    `losses` says how often an entrant was eliminated, and `byes` has each as often as it had one.
    """
    tally = Totals(field)
    by_round = sorted(field.results, key=lambda result: result.meeting.round)
    last = {e: result for result in by_round for e in result.meeting.entrants}
    compared = {
        e: {
            **(_compared(e, last[e], decide(last[e]), shared=shared_places) if e in last else {}),
            SEED: Fraction(1 + field.seed(e)),
        }
        for e in entrants
    }

    def rank(e: VersionId) -> tuple[object, ...]:
        meeting = last[e].meeting if e in last else None
        reached = (meeting.round, meeting.stage != THIRD) if meeting else (-1, False)
        values = [(by, v) for by, v in compared[e].items() if by != SEED]
        breaks = tuple(v if by == TABLE_PLACE else -v for by, v in values)
        return losses(e), -reached[0], not reached[1], breaks

    ordered = sorted(entrants, key=lambda e: (rank(e), field.seed(e)))
    of_each = places([rank(e) for e in ordered], shared=shared_places)
    return [
        Line(
            place=place,
            entrant=e,
            score=tally.mean(e),
            meetings=tally.meetings[e],
            byes=byes.count(e),
            reached=last[e].meeting.stage if e in last else "",
            tie_breaks=compared[e],
        )
        for e, place in zip(ordered, of_each, strict=True)
    ]


def _compared(
    entrant: VersionId, last: MeetingResult, decision: TableDecision, *, shared: bool
) -> dict[str, Fraction]:
    """Return what is compared of an entrant's last meeting."""
    place = decision.places[entrant] if shared else 1 + decision.order.index(entrant)
    return {
        LAST_SCORE: last.scores()[entrant],
        TABLE_PLACE: Fraction(place),
        MARGIN: last.margins()[entrant],
    }
