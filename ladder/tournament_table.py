"""A tournament in words and tables: its rules, rounds and final table, and the same as data."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from io import StringIO
from typing import Literal

from rich.table import Table
from rich.text import Text

from ladder.scheduling.balanced import VersionId
from ladder.scheduling.tournaments import deciding
from ladder.scheduling.tournaments import tables as tournament_tables
from ladder.scheduling.tournaments.base import Line, Meeting, Result
from ladder.scheduling.tournaments.deciding import Decider, Decision
from ladder.scheduling.tournaments.knockout import Groups, Knockout
from ladder.scheduling.tournaments.round_robin import rounds_of
from ladder.scheduling.tournaments.swiss import rounds_needed
from ladder.scheduling.tournaments.tables import SEED
from ladder.tournament import Course, Kind, Plan, Seeding

_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Shown:
    """A tournament with the names of its entrants."""

    plan: Plan
    seats: int
    names: Mapping[VersionId, str]
    course: Course

    def title(self, game: str) -> str:
        """Return what it is."""
        kind = self.plan.kind.replace("-", " ").capitalize()
        return f"{kind}, {len(self.plan.entrants)} bots: {game}, {self.seats} seats"

    def rules(self) -> dict[str, str]:
        """Return what holds in it, by topic."""
        deals = "1 deal" if self.plan.deals == 1 else f"{self.plan.deals} deals"
        matches = self.plan.deals * self.seats
        rules = {
            "seeds": self._seeds(),
            "rounds": self._rounds(),
            "meetings": f"each is {deals} played on all {self.seats} rotations of the seats: "
            f"{matches} matches",
            "score": "of a match: the share of the others that came behind, a shared place as "
            "half; of a meeting: the mean of its matches",
            "byes": self._byes(),
            "ties": f"decided by {', then '.join(self.plan.form().tie_breaks)}",
        }
        if self.plan.kind in (Kind.KNOCKOUT, Kind.GROUPS):
            rules["who goes on"] = self._deciding()
        if self.course.void:
            rules["void"] = (
                f"{len(self.course.void)} meeting(s) could not be played; "
                "they count as if all had been equal"
            )
        return rules

    def _seeds(self) -> str:
        how = {
            Seeding.RATING: "by rating",
            Seeding.DRAW: "by draw",
            Seeding.GIVEN: "as they were named",
        }
        seeds = ", ".join(f"{i} {self.names[e]}" for i, e in enumerate(self.plan.entrants, start=1))
        return f"{how[self.plan.seeding]}: {seeds}"

    def _deciding(self) -> str:
        """Return how it is decided who goes on from a table of a knockout."""
        if self.plan.sudden_death is None:
            return f"decided by {', then '.join(Decider().criteria)}"
        deals = self.plan.sudden_death
        more = "1 more deal is" if deals == 1 else f"up to {deals} more deals are"
        play_on = (
            f"if that is level where it matters, {more} played on all {self.seats} rotations, one "
            "by one, until the scores of a deal differ (sudden death); then "
        )
        return (
            f"the higher score; {play_on if deals else ''}the points margin over the others at the "
            "table (of matches without a forfeit), then first places, then a lot drawn from the "
            "tournament's seed; in the final it is decided so who is first"
        )

    def _rounds(self) -> str:
        plan, n = self.plan, len(self.plan.entrants)
        on = max(1, self.seats // 2)
        knockout = (
            f"of each table the {'best goes' if on == 1 else f'{on} best go'} on, "
            "until all who are left fit on one table, the final"
        )
        match plan.kind:
            case Kind.ROUND_ROBIN:
                count = len(list(rounds_of(plan.entrants, self.seats))) * (plan.rounds or 1)
                return f"{count}, until everybody has met everybody{_times(plan.rounds)}"
            case Kind.SWISS:
                count = plan.rounds or rounds_needed(n, self.seats)
                return f"{count}; those meet who stand alike, if they have not met"
            case Kind.GAUNTLET:
                first = self.names[plan.entrants[0]]
                return f"{first} sits at every table and meets each other{_times(plan.rounds)}"
            case Kind.KNOCKOUT:
                return knockout
            case Kind.GROUPS:
                form = plan.form()
                advancing = getattr(form, "advancing", 2)
                return (
                    f"first a round robin in each group, whose {advancing} best go on; then a "
                    f"knockout: {knockout}"
                )

    def _byes(self) -> str:
        match self.plan.kind:
            case Kind.SWISS:
                return "1/2 for each; they go to the last in line of those that had the fewest"
            case Kind.KNOCKOUT:
                return "if the tables are not full, the best seeds with the fewest go on unplayed"
            case Kind.GROUPS:
                return (
                    "none in the score, which is a mean; in the knockout the best seeds go on "
                    "unplayed if the tables are not full"
                )
            case Kind.ROUND_ROBIN:
                return "count nothing: the score is the mean of the meetings"
            case Kind.GAUNTLET:
                return "none: the score is that against the first seed"

    def final_table(self) -> Table:
        """Return the table, the first place first."""
        breaks = self.breaks()
        stages = any(line.reached for line in self.course.lines)
        headings = ["#", "bot", "seed", "score", "meetings", "byes", *breaks]
        table = _table([*headings, *["reached"] * stages], left=("bot", "reached"))
        for line in self.course.lines:
            compared = line.tie_breaks
            table.add_row(
                str(line.place),
                Text(self.names[line.entrant]),
                str(self.seed(line.entrant)),
                _number(line.score),
                str(line.meetings),
                str(line.byes),
                *(_number(compared[name]) if name in compared else "-" for name in breaks),
                *[line.reached] * stages,
                style="bold" if line.place == 1 and self.course.over else "",
            )
        return table

    def rounds_table(self) -> Table:
        """Return every meeting with what its entrants scored, a line each."""
        stages = any(result.meeting.stage for result in self.course.field.results)
        decided = any(self.loses_out(result.meeting) for result in self.course.field.results)
        headings = ["round", "table", *["stage"] * stages, "result", *["decided by"] * decided]
        table = _table(headings, left=("stage", "result", "decided by"))
        for number in range(self.course.field.rounds):
            for i, result in enumerate(self.results(number), start=1):
                first = str(number + 1) if i == 1 else ""
                stage = [result.meeting.stage] * stages
                why = [self.why(result)] * decided
                table.add_row(first, str(i), *stage, self._scores(result), *why)
            if resting := self.resting(number):
                names = ", ".join(self.names[e] for e in resting)
                table.add_row("", "bye", *[""] * stages, Text(names, style="dim"), *[""] * decided)
        return table

    def to_json(self) -> str:
        """Return rules, table and rounds as a JSON object, with a final newline."""
        whole = {
            "format": self.plan.kind.value,
            "seats": self.seats,
            "over": self.course.over,
            "rules": self.rules(),
            "table": [self._row(line) for line in self.course.lines],
            "rounds": [
                {
                    "round": number + 1,
                    "meetings": [self._meeting(result) for result in self.results(number)],
                    "byes": [self.names[e] for e in self.resting(number)],
                }
                for number in range(self.course.field.rounds)
            ],
        }
        return json.dumps(whole, indent=2) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV with a line of names first."""
        text = StringIO()
        rows = [self._row(line) for line in self.course.lines]
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()

    def _row(self, line: Line) -> dict[str, object]:
        return {
            "place": line.place,
            "bot": self.names[line.entrant],
            "seed": self.seed(line.entrant),
            "score": _float(line.score),
            "meetings": line.meetings,
            "byes": line.byes,
            "reached": line.reached,
            **{
                name: _float(line.tie_breaks[name]) if name in line.tie_breaks else None
                for name in self.breaks()
            },
        }

    def _meeting(self, result: Result) -> dict[str, object]:
        scores, decision = result.scores(), self.decision(result)
        told: dict[str, object] = {
            "stage": result.meeting.stage,
            "void": result.meeting in self.course.void,
            "matches": len(result.ranks) + sum(len(deal) for deal in result.sudden_death),
            "scores": {self.names[e]: _float(scores[e]) for e in ordered(result)},
        }
        if self.loses_out(result.meeting):
            margins = result.margins()
            told["sudden_death"] = [
                {self.names[e]: _float(deal[e]) for e in ordered(result)}
                for deal in result.played_on()
            ]
            told["points_margin"] = {self.names[e]: _float(margins[e]) for e in ordered(result)}
            told["goes_on"] = [self.names[e] for e in decision.on] if decision else []
            told["decided_by"] = decision.by if decision else None
        return told

    def decision(self, result: Result) -> Decision | None:
        """Return who goes on from a table, or has won the final; None if that is open or no matter.

        It is no matter where nobody is out.
        """
        form, field = self.plan.form(), self.course.field
        if isinstance(form, Groups) and self.loses_out(result.meeting):
            return form.knockout.decision(result, form.part_of_knockout(field))
        return form.decision(result, field) if isinstance(form, Knockout) else None

    def why(self, result: Result) -> str:
        """Return what decided who goes on from a table, in words; empty if that is no matter."""
        if not self.loses_out(result.meeting):
            return ""
        if (decision := self.decision(result)) is None:
            return "level: sudden death"
        ahead, behind = decision.values
        match decision.by:
            case "":
                return "all go on"
            case deciding.SUDDEN_DEATH:
                numbers = f", deal {decision.deal}: {_number(ahead)} to {_number(behind)}"
            case deciding.MARGIN:
                numbers = f": {float(ahead):+.2f} to {float(behind):+.2f}"
            case tournament_tables.FIRSTS:
                numbers = f": {_number(ahead)} to {_number(behind)}"
            case _:
                numbers = ""
        return decision.by + numbers

    def breaks(self) -> list[str]:
        """Return what is compared among equals, less the seed, which has a column of its own."""
        return [name for name in self.plan.form().tie_breaks if name != SEED]

    def seed(self, entrant: VersionId) -> int:
        """Return an entrant's place among the seeds, from 1."""
        return 1 + self.plan.entrants.index(entrant)

    def results(self, number: int) -> list[Result]:
        """Return the results of a round; rounds count from 0."""
        return [r for r in self.course.field.results if r.meeting.round == number]

    def resting(self, number: int) -> list[VersionId]:
        """Return who was still in it and had no table in a round."""
        field, form = self.course.field, self.plan.form()
        seated = {e for r in self.results(number) for e in r.meeting.entrants}
        before = [r for r in field.results if r.meeting.round < number]
        waiting = self.plan.entrants
        if isinstance(form, Knockout | Groups):
            waiting = tuple(form.alive(replace(field, results=before)))
        return [e for e in self.plan.entrants if e in waiting and e not in seated]

    def _scores(self, result: Result) -> Text:
        """Return the entrants of a meeting with their scores, the best first."""
        void = result.meeting in self.course.void
        scores, text = result.scores(), Text("void: " if void else "")
        for i, entrant in enumerate(ordered(result)):
            name = self.names[entrant] + ("" if void else f" {_number(scores[entrant])}")
            style = "bold" if self.is_ahead(result, entrant) else ""
            text.append(", " if i else "").append(name, style=style)
        return text

    def is_ahead(self, result: Result, entrant: VersionId) -> bool:
        """Say whether an entrant goes on or, where nobody is out, was alone at the top."""
        if self.loses_out(result.meeting):
            decision = self.decision(result)
            return decision is not None and entrant in decision.on
        scores = result.scores()
        return all(scores[e] < scores[entrant] for e in scores if e != entrant)

    def loses_out(self, meeting: Meeting) -> bool:
        """Say whether who loses a meeting is out."""
        in_group = self.plan.kind is Kind.GROUPS and meeting.stage.startswith("group ")
        return self.plan.kind in (Kind.KNOCKOUT, Kind.GROUPS) and not in_group


def _table(headings: Sequence[str], left: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headings:
        justify: Literal["left", "right"] = "left" if name in left else "right"
        table.add_column(name, justify=justify, overflow="fold")
    return table


def ordered(result: Result) -> Sequence[VersionId]:
    """Return the entrants of a meeting, the highest score first."""
    scores = result.scores()
    return sorted(result.meeting.entrants, key=lambda e: -scores[e])


def _times(times: int | None) -> str:
    return f", {times} times over" if times and times > 1 else ""


def _number(value: Fraction) -> str:
    return f"{float(value):.2f}"


def _float(value: Fraction) -> float:
    return round(float(value), _DECIMALS)
