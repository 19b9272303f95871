"""Who goes on from a table where the losers are out, and why.

The higher score of the meeting goes on. Where two are level just where it is decided who goes on,
the whole table plays on: one more deal on all rotations, and another one, until the scores of a
deal tell the level ones apart (*sudden death*). What the deals before have decided stays decided.
Equals, such as two copies of a bot, could play on for ever, so there are only so many such deals.
If they are still level, these are compared in turn:

- *absence*: whoever was withdrawn or disqualified is behind whoever was there, even if all that
  it did was forfeit;
- *points margin*: own points less the mean of the others' at the table, on the mean of all matches
  of the meeting in which nobody forfeited;
- *first places*: matches of the meeting that were won;
- *lot*: drawn from the tournament's seed, for this table alone.

In the final it is decided in the same way who is the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.formats.base import MeetingResult
from ladder.scheduling.tournament.formats.tables import FIRSTS
from referee.games.randomness import Stream

SCORE = "score"
SUDDEN_DEATH = "sudden death"
ABSENCE = "absence"
MARGIN = "points margin"
LOT = "lot"

USUAL_DEALS = 8
"""Of two bots that are level after a deal in two, one in 256 pairs is after so many more."""


CRITERIA = (SCORE, SUDDEN_DEATH, ABSENCE, MARGIN, FIRSTS, LOT)
"""What is compared, in that order."""


@dataclass(frozen=True, slots=True)
class Decision:
    """How a table was decided."""

    order: Sequence[VersionId]
    """All entrants, the best first."""
    going_on: int
    """So many of them go on."""
    by: str
    """What told the last who goes on from the first who does not; empty if all go on."""
    values: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    """What those two had of it; the smaller lot is better, of all else the larger."""
    deal: int = 0
    """Which deal of the sudden death it was, from 1; 0 if it was none."""

    @property
    def on(self) -> Sequence[VersionId]:
        """Who goes on, the best first."""
        return self.order[: self.going_on]

    @property
    def out(self) -> Sequence[VersionId]:
        """Who does not."""
        return self.order[self.going_on :]


@dataclass(frozen=True, slots=True)
class Decider:
    """The rules by which tables are decided."""

    deals: int = USUAL_DEALS
    """At most so many deals of sudden death."""
    draw: str = ""
    """The seed that lots are drawn from."""

    def plays_on(self, result: MeetingResult, going_on: int) -> bool:
        """Say whether a meeting needs another deal before it is clear who goes on."""
        if len(result.sudden_death) >= self.deals:
            return False
        return self.decide(result, going_on).by not in ("", SCORE, SUDDEN_DEATH, ABSENCE)

    def decide(self, result: MeetingResult, going_on: int) -> Decision:
        """Return who goes on by what was played so far."""
        compared = {e: self._compared(e, result) for e in result.meeting.entrants}

        def rank(entrant: VersionId) -> list[Fraction]:
            return [v if by == LOT else -v for by, v in compared[entrant]]

        order = sorted(result.meeting.entrants, key=rank)
        if going_on >= len(order):
            return Decision(order, len(order), "")
        pairs = zip(compared[order[going_on - 1]], compared[order[going_on]], strict=True)
        number, (by, ahead), (_, behind) = next(
            (i, one, other) for i, (one, other) in enumerate(pairs) if one != other
        )
        deal = number if by == SUDDEN_DEATH else 0
        return Decision(order, going_on, by, (ahead, behind), deal)

    def _compared(self, entrant: VersionId, result: MeetingResult) -> list[tuple[str, Fraction]]:
        """Return what an entrant has of each criterion, deal by deal of a sudden death."""
        return [
            (SCORE, result.scores()[entrant]),
            *((SUDDEN_DEATH, deal[entrant]) for deal in result.played_on()),
            (ABSENCE, Fraction(not result.is_absent(entrant))),
            (MARGIN, result.margins()[entrant]),
            (FIRSTS, result.firsts()[entrant]),
            (LOT, self._lot(entrant, result)),
        ]

    def _lot(self, entrant: VersionId, result: MeetingResult) -> Fraction:
        """Return an entrant's lot, from 1."""
        meeting = result.meeting
        drawn = Stream(self.draw, "lot", str(meeting.round)).shuffled(sorted(meeting.entrants))
        return Fraction(1 + drawn.index(entrant))
