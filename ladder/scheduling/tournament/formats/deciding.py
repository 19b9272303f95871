"""Decides who goes on from a table of a knockout.

The highest scores of the meeting go on. If the last to go on and the first to be out are level, the
whole table plays on, deal by deal on all rotations, until the scores of a deal separate them
(*sudden death*). Earlier decisions stand. Equals, such as two copies of a bot, could play on for
ever, so the number of such deals is limited. If they are still level, these criteria apply in turn:

- *absence*: an entrant that was withdrawn or disqualified is behind one that was present, even if
  that one only forfeited;
- *points margin*: own points less the mean of the others' at the table, averaged over all matches
  of the meeting without a forfeit;
- *first places*: matches of the meeting won;
- *lot*: drawn from the tournament's seed and the number of the round.

The same criteria decide the first place of the final. Where a place decides nothing, equals share
it without a lot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ladder.model.tournaments import USUAL_DEALS
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import MeetingResult, places
from ladder.scheduling.tournament.formats.tables import FIRSTS
from referee.games.randomness import Stream

SCORE = "score"
SUDDEN_DEATH = "sudden death"
ABSENCE = "absence"
MARGIN = "points margin"
LOT = "lot"


@dataclass(frozen=True, slots=True)
class TableDecision:
    """The decision of a table."""

    order: Sequence[VersionId]
    """All entrants, the best first."""
    places: Mapping[VersionId, int]
    """Each entrant's place at the table, from 1; a lot parts only who goes on from who is out."""
    going_on: int
    """How many of them go on."""
    by: str
    """The criterion between the last to go on and the first to be out; empty if all go on."""
    values: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    """The values of those two; the smaller lot is better, and the larger value of all else."""
    deal: int = 0
    """The sudden-death deal that decided, from 1; 0 if none did."""

    @property
    def on(self) -> Sequence[VersionId]:
        """The versions that go on, the best first."""
        return self.order[: self.going_on]

    @property
    def out(self) -> Sequence[VersionId]:
        """The versions that are out."""
        return self.order[self.going_on :]


@dataclass(frozen=True, slots=True)
class Decider:
    """The parameters of the decision."""

    deals: int = USUAL_DEALS
    """The most deals of sudden death."""
    draw: str = ""
    """The seed of the lots."""
    lots_by_id: bool = False
    """Whether lots are drawn in the order of ids, as in tournaments begun under version 1 of
    pairing; else in the order of the meeting."""

    def plays_on(self, result: MeetingResult, going_on: int) -> bool:
        """Return whether a meeting needs another deal to decide who goes on."""
        if len(result.sudden_death) >= self.deals:
            return False
        return self.decide(result, going_on).by not in ("", SCORE, SUDDEN_DEATH, ABSENCE)

    def decide(self, result: MeetingResult, going_on: int) -> TableDecision:
        """Return the decision by the matches played so far."""
        compared = self._compared(result)

        def rank(entrant: VersionId) -> list[Fraction]:
            return [v if by == LOT else -v for by, v in compared[entrant]]

        order = sorted(result.meeting.entrants, key=rank)
        but_lots = [(i < going_on, tuple(rank(e)[:-1])) for i, e in enumerate(order)]
        at_table = dict(zip(order, places(but_lots, shared=True), strict=True))
        if going_on >= len(order):
            return TableDecision(order, at_table, len(order), "")
        pairs = zip(compared[order[going_on - 1]], compared[order[going_on]], strict=True)
        number, (by, ahead), (_, behind) = next(
            (i, one, other) for i, (one, other) in enumerate(pairs) if one != other
        )
        deal = number if by == SUDDEN_DEATH else 0
        return TableDecision(order, at_table, going_on, by, (ahead, behind), deal)

    def _compared(self, result: MeetingResult) -> dict[VersionId, list[tuple[str, Fraction]]]:
        """Return each entrant's value by each criterion, deal by deal of a sudden death."""
        scores, deals, lots = result.scores(), result.played_on(), self._lots(result)
        margins, firsts = result.margins(), result.firsts()
        return {
            e: [
                (SCORE, scores[e]),
                *((SUDDEN_DEATH, deal[e]) for deal in deals),
                (ABSENCE, Fraction(not result.is_absent(e))),
                (MARGIN, margins[e]),
                (FIRSTS, firsts[e]),
                (LOT, lots[e]),
            ]
            for e in result.meeting.entrants
        }

    def _lots(self, result: MeetingResult) -> dict[VersionId, Fraction]:
        """Return the entrants' lots, from 1."""
        meeting = result.meeting
        entrants = sorted(meeting.entrants) if self.lots_by_id else meeting.entrants
        drawn = Stream(self.draw, "lot", str(meeting.round)).shuffled(entrants)
        return {entrant: Fraction(lot) for lot, entrant in enumerate(drawn, start=1)}
