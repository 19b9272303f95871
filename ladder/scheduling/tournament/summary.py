"""The summary of a tournament: rules, rounds and table, as text, JSON and CSV."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

from ladder.model.bots import Version, labels
from ladder.model.directives import Directive, DirectiveKind
from ladder.model.matches import MatchLine
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.cross_tables import Cross, csv_text, groups_of, pairs_of, to_data
from ladder.scheduling.tournament.formats.base import Line, Meeting, MeetingResult
from ladder.scheduling.tournament.formats.deciding import TableDecision
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.elimination import TABLE_PLACE
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.tables import SEED
from ladder.scheduling.tournament.irregularities import (
    IF_THEY_LEAVE,
    IF_THEY_RETURN,
    SIGNS,
    decided_by,
    decisions_of,
    forfeits_of,
    is_walkover,
    left_as,
    mark,
    never_finished,
    status_of,
)
from ladder.scheduling.tournament.meeting_results import Blocks
from ladder.scheduling.tournament.planner import (
    TournamentPlan,
    TournamentProgress,
    directives_of,
    progress_of,
    stored_rounds,
)
from ladder.scheduling.tournament.reconstruction import fixed_rounds, rounds_in_all
from ladder.scheduling.tournament.rules import forbidden_text, options_of, rules_of
from ladder.scheduling.tournament.start_times import start_of, times_of

if TYPE_CHECKING:
    from ladder.storage.db.database import Transaction


_DECIMALS = 6

SCHEMA = "courtyard.tournament.1"
"""The identifier of the JSON document's schema, docs/tournament.schema.json."""


@dataclass(frozen=True, slots=True)
class Pairings:
    """The pairings of the current or next round."""

    number: int
    """The round, from 1."""
    begun: bool
    """Whether it is being played; until then, a decision may change them."""
    meetings: Sequence[Meeting]
    """In the order of the tables; those that need not be played come last."""
    byes: Sequence[VersionId]
    starts_at: datetime | None = None
    """When the round may begin, UTC; None if it has begun, or begins as soon as it can."""


@dataclass(frozen=True, slots=True)
class TournamentSummary:
    """A tournament with the names of its entrants."""

    plan: TournamentPlan
    seats: int
    names: Mapping[VersionId, str]
    progress: TournamentProgress
    matches: Mapping[Meeting, Sequence[MatchLine]] = field(default_factory=dict)
    """The matches of finished meetings."""
    directives: Sequence[Directive] = ()
    """The director's decisions, in order."""
    begun: Mapping[int, datetime] = field(default_factory=dict)
    """When rounds, from 1, began, as far as the next ones wait for that."""

    def title(self, game: str) -> str:
        """Return the title: format, size and game."""
        kind = self.plan.kind.replace("-", " ").capitalize()
        return f"{kind}, {len(self.progress.field.entrants)} bots: {game}, {self.seats} seats"

    @property
    def paused(self) -> bool:
        """Whether the director has paused it."""
        pausing = (DirectiveKind.PAUSE, DirectiveKind.RESUME)
        given = [each.kind for each in self.directives if each.kind in pausing]
        return given[-1:] == [DirectiveKind.PAUSE]

    def rounds_in_all(self) -> int | None:
        """Return the number of rounds; None if it depends on results."""
        return rounds_in_all(self.plan, self.seats)

    def rules(self) -> dict[str, str]:
        """Return the rules, by topic."""
        found = rules_of(self.plan, self.seats, self.names)
        if times := times_of(self.plan):
            found["times"] = times
        if forbidden := self.progress.field.apart.forbidden:
            pairs = forbidden_text(self.plan.kind, forbidden, self.names)
            found["forbidden pairs"] = pairs
        if self.progress.gone or self.progress.absent:
            found["who left"] = IF_THEY_LEAVE[self.plan.kind]
        if self.progress.missed:
            found["who returned"] = IF_THEY_RETURN
        if self.progress.void:
            found["void"] = (
                f"{len(self.progress.void)} meeting(s) could not be played; "
                "they count as if all had been level"
            )
        return found

    def to_json(self, title: str = "", game: str = "") -> str:
        """Return the JSON document of docs/tournament.schema.json, with a final newline."""
        whole = {
            "schema": SCHEMA,
            "title": title,
            "game": game,
            "format": self.plan.kind.value,
            "seats": self.seats,
            "deals": self.plan.deals,
            "options": options_of(self.plan, self.seats),
            "forbidden": [[self.names[e] for e in pair] for pair in self.plan.forbidden],
            "over": self.progress.over,
            "pairing": self.plan.pairing,
            "shared_places": self.plan.shared_places,
            "lots": self.plan.draw if self.progress.over else None,
            "rules": self.rules(),
            "table": [self._row(line) for line in self.progress.lines],
            "rounds": [
                {
                    "round": number + 1,
                    "meetings": [self._meeting(result) for result in self.results(number)],
                    "byes": [self.names[e] for e in self.resting(number)],
                }
                for number in range(self.progress.field.rounds)
            ],
            "schedule": [
                {
                    "round": number + 1,
                    "meetings": [[self.names[e] for e in m.entrants] for m in meetings],
                }
                for number, meetings in self.schedule().items()
            ],
            "pairings": self._pairings(),
            "cross": to_data(self.crosses(), self.names),
            "never_finished": [self.names[e] for e in never_finished(self.progress)],
            "directives": decisions_of(self.directives, self.names, self.progress),
        }
        return json.dumps(whole, indent=2) + "\n"

    def to_csv(self) -> str:
        """Return the table as CSV with a header."""
        rows = [self._row(line) for line in self.progress.lines]
        return csv_text([list(rows[0]), *(row.values() for row in rows)])

    def _pairings(self) -> dict[str, object] | None:
        if (pairings := self.pairings()) is None:
            return None
        return {
            "round": pairings.number,
            "begun": pairings.begun,
            "starts_at": pairings.starts_at and pairings.starts_at.isoformat(),
            "meetings": [
                {
                    "stage": meeting.stage,
                    "entrants": [self.names[e] for e in meeting.entrants],
                    "walkover": meeting in self.progress.walkovers,
                }
                for meeting in pairings.meetings
            ],
            "byes": [self.names[e] for e in pairings.byes],
        }

    def _row(self, line: Line) -> dict[str, object]:
        return {
            "place": self.place(line) if self.plan.form().has_winner else None,
            "bot": self.names[line.entrant],
            **({"author": self.plan.author(line.entrant)} if self.plan.authors else {}),
            **({"team": self.plan.team(line.entrant)} if self.plan.teams else {}),
            "seed": self.seed(line.entrant),
            "score": _float(line.score),
            "meetings": line.meetings,
            "byes": line.byes,
            "forfeits": len(forfeits_of(self.progress, line.entrant)),
            "status": status_of(self.progress, line.entrant),
            "reached": self.reached(line),
            **{
                name: _float(line.tie_breaks[name]) if name in line.tie_breaks else None
                for name in self.tie_breaks()
            },
            **dict(zip(("low", "high"), line.interval or (), strict=False)),
        }

    def _meeting(self, result: MeetingResult) -> dict[str, object]:
        scores, decision = result.scores(), self.decision(result)
        document: dict[str, object] = {
            "stage": result.meeting.stage,
            "void": result.meeting in self.progress.void,
            "walkover": is_walkover(result),
            "entrants": [self.names[e] for e in result.meeting.entrants],
            "matches": result.played,
            "match_ids": [match.match_id for match in self.matches.get(result.meeting, ())],
            "scores": {
                self.names[e]: _float(scores[e]) if e in scores else None
                for e in self.ordered(result)
            },
            "forfeits": {
                self.names[e]: dict(Counter(kinds))
                for e in result.meeting.entrants
                if (kinds := result.forfeits_of(e))
            },
        }
        if result.meeting.kind.eliminates:
            margins = result.margins()
            document["sudden_death"] = [
                {self.names[e]: _float(deal[e]) for e in self.ordered(result)}
                for deal in result.played_on()
            ]
            document["points_margin"] = {
                self.names[e]: _float(margins[e]) for e in self.ordered(result)
            }
            document["goes_on"] = [self.names[e] for e in decision.on] if decision else []
            document["decided_by"] = decision.by if decision else None
        return document

    def decision(self, result: MeetingResult) -> TableDecision | None:
        """Return who goes on from a table; None if it is open, or eliminates none."""
        if not result.meeting.kind.eliminates:
            return None
        form = self.plan.form()
        knockout = form.knockout if isinstance(form, Groups) else form
        if isinstance(knockout, Knockout | DoubleElimination):
            return knockout.decision(result, self.seats)
        return None

    def why(self, result: MeetingResult) -> str:
        """Return what decided who goes on, in words; empty if none is eliminated."""
        if not result.meeting.kind.eliminates:
            return ""
        if (decision := self.decision(result)) is None:
            return "level: sudden death"
        return decided_by(decision, len(result.sudden_death))

    def goes_on(self, result: MeetingResult) -> str:
        """Return who goes on from a table or has won the final, and why."""
        why, decision = self.why(result), self.decision(result)
        return f"{', '.join(self.names[e] for e in decision.on)}: {why}" if decision else why

    def ordered(self, result: MeetingResult) -> Sequence[VersionId]:
        """Return the entrants of a meeting by descending score; of ties, those who go on first."""
        scores, decision = result.scores(), self.decision(result)
        order = decision.order if decision else result.meeting.entrants
        return sorted(order, key=lambda e: -scores.get(e, Fraction(-1)))

    def tie_break_values(self, line: Line) -> list[str]:
        """Return the values of the tie-breaks, without the seed; "-" where one does not apply."""
        return [
            "-"
            if (value := line.tie_breaks.get(name)) is None
            else str(value)
            if name == TABLE_PLACE
            else score_text(value)
            for name in self.tie_breaks()
        ]

    def tie_breaks(self) -> list[str]:
        """Return the names of the tie-breaks, without the seed, which has a column of its own."""
        return [name for name in self.plan.form().tie_breaks if name != SEED]

    def seed(self, entrant: VersionId) -> int:
        """Return an entrant's seed, from 1."""
        return 1 + self.progress.field.seed(entrant)

    def results(self, number: int) -> list[MeetingResult]:
        """Return the results of a round, numbered from 0."""
        return [r for r in self.progress.field.results if r.meeting.round == number]

    def resting(self, number: int) -> list[VersionId]:
        """Return the entrants that had a bye in a finished round."""
        meetings = [result.meeting for result in self.results(number)]
        return self.plan.form().resting(self.progress.field.before(number), meetings)

    def winners(self) -> list[str]:
        """Return who has the first place; none before the end, and in formats without a winner."""
        if not self.progress.over or not self.plan.form().has_winner:
            return []
        return [self.names[line.entrant] for line in self.progress.lines if line.place == 1]

    def schedule(self) -> dict[int, Sequence[Meeting]]:
        """Return the known meetings of coming rounds, by round, from 0.

        These are the current or next round and all rounds that do not depend on results.
        """
        now = self.progress
        if now.over or now.unpaired:
            return {}
        current = now.field.rounds - now.plays_on
        found = {} if now.plays_on else {current: [*now.pending, *now.walkovers]}
        fixed = fixed_rounds(self.plan, self.seats)
        return {**found, **{n: meetings for n, meetings in fixed.items() if n > current}}

    def pairings(self) -> Pairings | None:
        """Return the pairings of the current or next round; None at the end, or if it has none."""
        now = self.progress
        if now.over or now.unpaired:
            return None
        meetings = [*now.pending, *now.walkovers]
        byes = [] if now.plays_on else self.plan.form().resting(now.field, meetings)
        waits = (
            None if now.under_way else start_of(self.plan, now.number, self.directives, self.begun)
        )
        return Pairings(now.number, now.under_way, meetings, byes, waits)

    def pairings_in_lines(self, pairings: Pairings) -> Iterator[str]:
        """Yield the pairings of a round as text, a line each, with the scores so far."""
        for table, _, bots in self.pairing_rows(pairings):
            yield f"{table} {bots}"

    def pairing_rows(self, pairings: Pairings) -> Iterator[tuple[str, str, str]]:
        """Yield the table, stage and bots of each meeting, then those with a bye."""
        for i, meeting in enumerate(pairings.meetings, start=1):
            walkover = ": walkover" if meeting in self.progress.walkovers else ""
            yield str(i), meeting.stage, self._with_scores(meeting.entrants) + walkover
        if pairings.byes:
            yield "bye", "", self._with_scores(pairings.byes)

    def _with_scores(self, entrants: Sequence[VersionId]) -> str:
        return ", ".join(map(self.with_score, entrants))

    def signed(self, entrant: VersionId) -> str:
        """Return an entrant's name, with a sign if it left."""
        return self.names[entrant] + SIGNS.get(left_as(self.progress, entrant), "")

    def with_score(self, entrant: VersionId) -> str:
        """Return an entrant's name, with its score so far once there is one.

        The challenger of a gauntlet has none.
        """
        own = [line for line in self.progress.lines if line.entrant == entrant]
        score = [score_text(line.score) for line in own if line.meetings or line.byes]
        return " ".join([self.names[entrant], *score])

    def crosses(self) -> list[Cross]:
        """Return the cross tables: of each group, or of the whole tournament."""
        if isinstance(form := self.plan.form(), Groups):
            return groups_of(form, self.progress)
        now = self.progress
        return [Cross("", now.lines, pairs_of(now.live or now.field), placed=self.is_placed())]

    def is_placed(self) -> bool:
        """Return whether the lines have places: not before the first result."""
        now = self.progress
        return now.over or bool((now.live or now.field).results)

    def place(self, line: Line) -> int | None:
        """Return the place of a line; None before the first result."""
        return line.place if self.is_placed() else None

    def reached(self, line: Line) -> str:
        """Return the last stage that an entrant reached, or "winner"."""
        won = line.place == 1 and self.progress.over and line.reached
        return "winner" if won else line.reached

    def notes(self) -> list[str]:
        """Return the notes below the table: no knockout, bots that never finished, decisions."""
        found = []
        form = self.plan.form()
        alone = form.alone(self.progress.field) if isinstance(form, Groups) else None
        if alone is not None:
            found.append(
                f"Only {self.names[alone]} advanced from the groups: no knockout is played."
            )
        if never := never_finished(self.progress):
            kinds = {e: ", ".join(dict.fromkeys(forfeits_of(self.progress, e))) for e in never}
            bots = ", ".join(f"{self.names[e]} ({kinds[e]})" for e in never)
            found.append(f"Never finished a match: {bots}")
        return [*found, *self.decisions()]

    def decisions(self) -> list[str]:
        """Return the director's decisions, a line each."""
        return [
            f"{each['given_at']}: {each['what']}" + (f": {each['why']}" if each["why"] else "")
            for each in decisions_of(self.directives, self.names, self.progress)
        ]

    def bye_points(self, number: int, entrant: VersionId) -> str:
        """Return the points of a bye that no pairing gave; empty for one by pairing."""
        points = self.progress.field.given_byes.get((number, entrant))
        return "" if points is None else score_text(points)

    def scored(self, result: MeetingResult) -> list[tuple[str, bool]]:
        """Return the entrants of a meeting with their scores, the best first; True: it is ahead."""
        scores, found = result.scores(), []
        for entrant in self.ordered(result):
            score = score_text(scores[entrant]) if entrant in scores else "-"
            parts = [self.names[entrant], score, mark(result, entrant)]
            named = " ".join(filter(None, parts[: 1 if self.is_void(result) else 3]))
            found.append((named, self.is_ahead(result, entrant)))
        return found

    def text(self, result: MeetingResult) -> str:
        """Return a meeting with its scores in words."""
        void = "void: " if self.is_void(result) else ""
        return void + ", ".join(named for named, _ in self.scored(result))

    def is_void(self, result: MeetingResult) -> bool:
        """Return whether a meeting could not be played."""
        return result.meeting in self.progress.void

    def is_ahead(self, result: MeetingResult, entrant: VersionId) -> bool:
        """Return whether an entrant goes on or, without elimination, was alone at the top."""
        if result.meeting.kind.eliminates:
            decision = self.decision(result)
            return decision is not None and entrant in decision.on
        scores = result.scores()
        own = scores.get(entrant)
        return own is not None and all(scores[e] < own for e in scores if e != entrant)


def summarize(
    plan: TournamentPlan,
    seats: int,
    known: Mapping[VersionId, Version],
    rounds: Sequence[Blocks],
    directives: Sequence[Directive],
    begun: Mapping[int, datetime] = MappingProxyType({}),
) -> TournamentSummary:
    """Return the summary of a tournament from its stored rounds."""
    now = progress_of(plan, seats, rounds, directives)
    late = {each.version for each in directives if each.kind is DirectiveKind.ENTER}
    named = [*plan.entrants, *(entrant for entrant in known if entrant in late)]
    names = labels({entrant: known[entrant] for entrant in named})
    matches = {
        meeting: [match for number, block in own for match in _block(rounds, number, block)]
        for meeting, own in now.blocks.items()
    }
    return TournamentSummary(plan, seats, names, now, matches, directives, begun)


def stored_summary(tx: "Transaction", plan: TournamentPlan, seats: int) -> TournamentSummary:
    """Return the summary of a tournament by what is stored of it."""
    from ladder.storage.tables import bots, directives  # noqa: PLC0415 - SQLAlchemy is slow to import

    known, given = bots.all_versions(tx), directives_of(tx)
    return summarize(plan, seats, known, stored_rounds(tx), given, directives.rounds_begun(tx))


def _block(rounds: Sequence[Blocks], number: int, block: int) -> Sequence[MatchLine]:
    """Return a block of a round, numbered from 1; empty if missing."""
    return [*rounds[number - 1], *[[]] * (block + 1)][block]


def score_text(value: Fraction) -> str:
    """Return a score as people read it."""
    return f"{float(value):.2f}"


def _float(value: Fraction) -> float:
    return round(float(value), _DECIMALS)
