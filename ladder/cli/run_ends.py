"""When `ladder run` ends: after rounds, matches or minutes, or when its question is settled."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.cli.console import in_matches
from ladder.model.errors import LadderError
from ladder.model.settings import Aim
from ladder.scheduling.planner import RunLimits

if TYPE_CHECKING:
    from ladder.runner.run import Report


@dataclass(frozen=True, slots=True)
class Ends:
    """When a run is to end: at the first of these that comes."""

    rounds: int | None
    limits: RunLimits = RunLimits()  # noqa: RUF009 -- it is frozen
    until_settled: bool = False
    aim: Aim | None = None
    """What is to be settled; None: the ladder's aim."""

    def again(self, rounds: int | None, report: "Report") -> str:
        """Return the words of the run that does the rest, with so many rounds left to plan.

        What was interrupted has the rest of its limits; what reached one has it once more.
        """
        most, seconds = self.limits.matches, self.limits.seconds
        if report.interrupted:
            most = None if most is None else max(1, most - report.matches - report.void)
            seconds = None if seconds is None else max(1.0, seconds - report.seconds)
        said = {
            f"--rounds {rounds}": rounds is not None,
            f"--matches {most}": most is not None,
            f"--minutes {_shortest((seconds or 0) / 60)}": seconds is not None,
            "--until-settled": self.until_settled,
            f"--aim {self.aim}": self.aim is not None,
        }
        return " ".join(["run", *(words for words, needed in said.items() if needed)])

    def told(self, a_round: int) -> str:
        """Return what will be played, where a round has so many matches."""
        ends = []
        if self.rounds is not None:
            in_all = f" ({self.rounds * a_round:,} in all)" if self.rounds > 1 else ""
            ends.append(f"{_counted(self.rounds, 'round')} of {in_matches(a_round)}{in_all}")
        if self.limits.matches is not None:
            ends.append(in_matches(self.limits.matches))
        if self.limits.seconds is not None:
            ends.append(_counted(_shortest(self.limits.seconds / 60), "minute"))
        if self.until_settled:
            ends.append("until it is settled")
        first = ", whichever comes first" if len(ends) > 1 else ""
        return f"To play: {', or '.join(ends)}{first}."


def limits_of(matches: int | None, minutes: float | None) -> RunLimits:
    """Return the limits of a run; raise `LadderError` if there is no such time."""
    if minutes is not None and not 0 < minutes < math.inf:
        raise LadderError(f"--minutes must be a number above 0, not {minutes:g}")
    return RunLimits(matches, None if minutes is None else 60 * minutes)


def _shortest(number: float) -> str:
    """Return a number rounded up to two decimals, without zeros at its end."""
    return f"{math.ceil(100 * number - 1e-6) / 100:.2f}".rstrip("0").rstrip(".")


def _counted(count: float | str, what: str) -> str:
    return f"{count} {what}" + ("" if str(count) == "1" else "s")
