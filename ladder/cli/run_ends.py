"""The conditions that end `ladder run`: rounds, matches, minutes, or a settled ranking."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ladder.cli.console import in_matches
from ladder.model.errors import LadderError
from ladder.model.settings import Aim
from ladder.scheduling.planner import RunLimits

if TYPE_CHECKING:
    from ladder.runner.report import Report

UntilRoundOption = Annotated[
    str | None,
    typer.Option(
        metavar="N|next",
        help="Stop a tournament after round N, or after one more round, and show the pairings of "
        "the round that follows; 0 shows those of the first.",
    ),
]


@dataclass(frozen=True, slots=True)
class Ends:
    """The conditions that end a run; the first one met ends it."""

    rounds: int | None
    limits: RunLimits = RunLimits()  # noqa: RUF009 -- it is frozen
    until_settled: bool = False
    aim: Aim | None = None
    """The aim to settle; None is the ladder's."""

    def again(self, rounds: int | None, report: "Report") -> str:
        """Return the command that continues a run with this many rounds left to plan.

        An interrupted run keeps the rest of its limits; a run that reached a limit gets it anew.
        """
        most, seconds = self.limits.matches, self.limits.seconds
        if report.interrupted:
            most = None if most is None else max(1, most - report.matches - report.void)
            seconds = None if seconds is None else max(1.0, seconds - report.seconds)
        options = {
            f"--rounds {rounds}": rounds is not None,
            f"--matches {most}": most is not None,
            f"--minutes {_shortest((seconds or 0) / 60)}": seconds is not None,
            "--until-settled": self.until_settled,
            f"--aim {self.aim}": self.aim is not None,
        }
        return " ".join(["run", *(words for words, needed in options.items() if needed)])

    def summary(self, a_round: int) -> str:
        """Describe what the run will play, for rounds of `a_round` matches."""
        ends = []
        if self.rounds is not None:
            in_all = f" ({self.rounds * a_round:,} in all)" if self.rounds > 1 else ""
            ends.append(f"{_counted(self.rounds, 'round')} of {in_matches(a_round)}{in_all}")
        if self.limits.matches is not None:
            ends.append(in_matches(self.limits.matches))
        if self.limits.seconds is not None:
            ends.append(_counted(_shortest(self.limits.seconds / 60), "minute"))
        if self.until_settled:
            ends.append("until the ranking is settled")
        first = ", whichever comes first" if len(ends) > 1 else ""
        return f"To play: {', or '.join(ends)}{first}."


def limits_of(matches: int | None, minutes: float | None) -> RunLimits:
    """Return the limits of a run; raise `LadderError` for an impossible time."""
    if minutes is not None and not 0 < minutes < math.inf:
        raise LadderError(f"--minutes must be a number above 0, not {minutes:g}")
    return RunLimits(matches, None if minutes is None else 60 * minutes)


def _shortest(number: float) -> str:
    """Format a number, rounded up to two decimals, without trailing zeros."""
    return f"{math.ceil(100 * number - 1e-6) / 100:.2f}".rstrip("0").rstrip(".")


def _counted(count: float | str, what: str) -> str:
    return f"{count} {what}" + ("" if str(count) == "1" else "s")
