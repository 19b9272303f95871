"""Tournaments played by chance: results, forfeits and the director's decisions, without bots."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

from courtyard.v1 import record_pb2

from ladder.model.bots import Version
from ladder.model.directives import BYES, ByePoints, Directive, DirectiveKind
from ladder.model.errors import SettingsError
from ladder.model.matches import MatchLine, MatchState, SeatLine
from ladder.model.tournaments import By, KeptApart, Kind
from ladder.scheduling.tournament.directing import why_out
from ladder.scheduling.tournament.formats.base import StageKind
from ladder.scheduling.tournament.formats.swiss import rounds_needed
from ladder.scheduling.tournament.planner import (
    ELIMINATING,
    TournamentPlan,
    TournamentProgress,
    progress_of,
)
from ladder.scheduling.tournament.reconstruction import fixed_rounds, in_force, last_about
from ladder.scheduling.tournament.summary import TournamentSummary, summarize
from ladder.scheduling.tournament.team_standings import team_standings
from ladder.scheduling.tournament.trf import to_trf
from ladder.storage.tables.records import seat_results
from referee.core.faults import FaultKind
from referee.match.record import record_to_json

if TYPE_CHECKING:
    from ladder.scheduling.tournament.meeting_results import Blocks

PlayMatch = Callable[[str, Sequence[str]], Any]
"""Returns a match's record, by its id, between these bots."""
LATE = 900
"""Late entrants' first id."""


class Simulated:
    """A tournament made by a seed."""

    def __init__(
        self,
        seed: int,
        play: PlayMatch | None = None,
        plan: tuple[TournamentPlan, int] | None = None,
        most: int = 40,
    ) -> None:
        """Play it to its end, or sometimes not, with `most` bots at most.

        A plan brings the seats of a table.
        """
        self._random = Random(seed)
        self.plan, self.seats = plan or self._agreed(most)
        self.rounds: list[Blocks] = []
        self.directives: list[Directive] = []
        self.records: list[Any] = []
        self._record = play or self._by_chance
        self._faulty = self._random.choice([0, 0, 0.05, 0.3])
        self._decides = self._random.choice([0, 0, 0.4])
        self._most_points = self._random.choice([2, 5, 40])
        self._play(self._random.choice([99, 99, 99, 3]))

    def case(self) -> str:
        """Return what the arbiter reads, in JSON.

        This is the exported document, the records of its matches, the report file, empty if there
        is none, and the standings of authors and teams.
        """
        shown = self.summarize()
        document = json.loads(shown.to_json("a cup", "courtisans"))
        try:
            report = to_trf(shown, "a cup")
        except SettingsError:
            report = ""
        people = {}
        for by in By:
            with suppress(SettingsError):
                people[by.value] = json.loads(team_standings(shown, by).to_json())
        records = [json.loads(record_to_json(r)) for r in self.records]
        return json.dumps([document, records, report, people])

    def summarize(
        self, rounds: int | None = None, directives: Sequence[Directive] | None = None
    ) -> TournamentSummary:
        """Return its summary, or that after some of the ladder's rounds and decisions."""
        entrants = [*self.plan.entrants, *range(LATE, LATE + 9)]
        known = {number: _version(number) for number in entrants}
        given = self.directives if directives is None else directives
        return summarize(self.plan, self.seats, known, self.rounds[:rounds], given)

    def _agreed(self, most: int) -> tuple[TournamentPlan, int]:
        random = self._random
        kind = random.choice(list(Kind))
        n = random.randint(3, random.choice([6, min(12, most), most]))
        ids = random.sample(range(1, 100), n)
        numbers: dict[str, Any] = {}
        if kind is Kind.SWISS and random.random() < 0.5:
            numbers["rounds"] = random.randint(1, 7)
        if kind is Kind.SWISS:
            numbers["late_bye"] = random.choice([None, *ByePoints])
            numbers["half_byes"] = random.randint(0, 2)
        if kind in (Kind.GAUNTLET, Kind.ROUND_ROBIN) and n < 9:
            numbers["rounds"] = random.randint(1, 3)
        if kind in ELIMINATING:
            numbers["sudden_death"] = random.randint(0, 3)
        if kind is Kind.GROUPS:
            numbers["group_size"] = random.randint(3, 6)
            numbers["advancing"] = random.randint(1, numbers["group_size"] - 1)
        deals = random.choice([1, 1, 2])
        seats = random.randint(2, 5)
        numbers |= self._people(n)
        plan = TournamentPlan(kind, tuple(ids), deals=deals, draw="a seed", **numbers)
        return self._with_forbidden(plan, seats), seats

    def _with_forbidden(self, plan: TournamentPlan, seats: int) -> TournamentPlan:
        """Return a plan with some forbidden pairs, if its format can keep them apart."""
        random = self._random
        many = random.choice([0, 0, 1, 4])
        drawn = {frozenset(random.sample(plan.entrants, 2)) for _ in range(many)}
        pairs = tuple((one, other) for one, other in map(sorted, drawn))
        forbidding = replace(plan, forbidden=pairs)
        if plan.kind not in (Kind.SWISS, Kind.GAUNTLET, Kind.GROUPS):
            return plan
        fixed = fixed_rounds(forbidding, seats).values()
        tables = [meeting.entrants for meetings in fixed for meeting in meetings]
        return plan if forbidding.pairs_apart().forbidden_at(tables) else forbidding

    def _people(self, n: int) -> dict[str, Any]:
        """Return the authors and teams of n bots, if they have any, and who is kept apart."""
        random = self._random
        apart = random.choice([None, *KeptApart])
        if apart is None:
            return {}
        many = random.randint(1, n)
        names = [f"p{random.randrange(many)}" if random.random() < 0.9 else "" for _ in range(n)]
        return {"apart": apart, random.choice(["authors", "teams"]): tuple(names)}

    def _play(self, most: int) -> None:
        number = 0
        while len(self.rounds) < most:
            self._decide()
            now = progress_of(self.plan, self.seats, self.rounds, self.directives)
            if now.over or now.unpaired:
                break
            number, places = number + 1, count()
            self.rounds.append(
                [
                    [self._match(table, number, next(places)) for table in block.tables]
                    for block in now.due
                ]
            )
        self._decide()

    def _match(self, table: Sequence[int | None], number: int, index: int) -> MatchLine:
        versions = [_version(e) for e in table if e is not None]
        record = self._record(f"{number}.{index}", [version.bot for version in versions])
        self.records.append(record)
        results = seat_results(record)
        seats = tuple(SeatLine(*seat) for seat in zip(versions, results, strict=True))
        return MatchLine(record.match_id, number, index, MatchState.DONE, 0, None, 1, "", seats)

    def _by_chance(self, match_id: str, bots: Sequence[str]) -> Any:
        record = record_pb2.Record(match_id=match_id, game="courtisans")
        points = [self._random.randint(0, self._most_points) for _ in bots]
        forfeits = [
            self._random.choice(list(FaultKind)) if self._random.random() < self._faulty else 0
            for _ in bots
        ]
        for bot, own, forfeit in zip(bots, points, forfeits, strict=True):
            record.seats.add(name=bot, version="1", digest="")
            record.outcomes.add(rank=1 + sum(p > own for p in points), points=own, forfeit=forfeit)
        return record

    def _decide(self) -> None:
        """Now and then, let the director decide something that is allowed."""
        if self._random.random() >= self._decides:
            return
        now = progress_of(self.plan, self.seats, self.rounds, self.directives)
        what = self._random.choice(sorted(DirectiveKind))
        playing = [e for e in now.field.entrants if e not in now.gone]
        if what is DirectiveKind.ANNUL and (ids := self._may_be_annulled(now)):
            self._decided(what, match_id=self._random.choice(ids))
        elif what is DirectiveKind.DISQUALIFY:
            left = [e for e in now.field.entrants if not _is_out(now, e)]
            if left:
                self._decided(what, version=self._random.choice(left))
        elif what is DirectiveKind.WITHDRAW and playing and not now.over:
            self._decided(what, version=self._random.choice(playing))
        elif what is DirectiveKind.RETRACT:
            self._retract()
        elif what is DirectiveKind.ENTER and self.plan.kind is Kind.SWISS and not now.over:
            self._decided(what, version=LATE + len(now.late))
        elif what is DirectiveKind.FORBID and self.plan.kind is Kind.SWISS and not now.over:
            self._forbid(now)
        elif what in BYES and self.plan.kind is Kind.SWISS and playing and not now.over:
            self._give_bye(now, what, self._random.choice(playing))

    def _forbid(self, now: TournamentProgress) -> None:
        """Forbid a pair, if the next round has a pairing without it."""
        last = self.plan.rounds or rounds_needed(len(self.plan.entrants), self.seats)
        one, other = self._random.sample([*now.field.entrants], 2)
        if (one, other) in now.field.apart.forbidden or now.field.rounds >= last:
            return
        about = Directive(DirectiveKind.FORBID, len(self.rounds), "a reason", one, other=other)
        given = [*self.directives, about]
        if not progress_of(self.plan, self.seats, self.rounds, given).unpaired:
            self._decided(DirectiveKind.FORBID, version=one, other=other)

    def _give_bye(self, now: TournamentProgress, kind: DirectiveKind, entrant: int) -> None:
        """Give a bye in one of the next two rounds, if that is allowed."""
        last = self.plan.rounds or rounds_needed(len(self.plan.entrants), self.seats)
        number = now.field.rounds + self._random.randint(1, 2)
        given = now.field.given_byes
        half = kind is DirectiveKind.HALF_BYE
        had = sum(points > 0 for (_, e), points in given.items() if e == entrant)
        few = len(now.field.pairable(number - 1)) < 3
        spent = half and (number == last or had >= self.plan.most_half_byes)
        if number <= last and not few and not spent and (number - 1, entrant) not in given:
            self._decided(kind, version=entrant, round=number)

    def _decided(self, kind: DirectiveKind, **about: Any) -> None:
        self.directives.append(Directive(kind, len(self.rounds), "a reason", **about))
        if kind not in (DirectiveKind.ENTER, DirectiveKind.RETRACT) and self._random.random() < 0.2:
            self._decided(DirectiveKind.RETRACT, **{**about, "round": None})

    def _retract(self) -> None:
        """Take back a decision that still stands, if no bot has gone on by it."""
        after, given = len(self.rounds), in_force(self.plan, self.directives)
        about = dict.fromkeys((_bots_of(d), d.match_id) for d in given)
        standing = [last for each in about if (last := last_about(given, *each))]
        if not standing:
            return
        last = self._random.choice(standing)
        version, match_id = last.version, last.match_id
        if last.kind is DirectiveKind.FORBID and self.plan.kind is not Kind.SWISS:
            return
        retract = Directive(
            DirectiveKind.RETRACT, after, "a reason", last.version, match_id, other=last.other
        )
        if last.kind in BYES and (last.round or 0) <= after:
            return
        now = progress_of(self.plan, self.seats, self.rounds, [*self.directives, retract])
        if last.after_round < after and last.other is None:
            if version is not None and why_out(self.plan, now, version):
                return
            if match_id is not None and match_id not in self._may_be_annulled(now):
                return
        self.directives.append(retract)

    def _may_be_annulled(self, now: TournamentProgress) -> list[str]:
        """Return the matches that no later knockout round follows."""
        found = []
        last = now.field.rounds - 1
        in_knockout = any(m.kind.eliminates for m in now.blocks)
        for meeting, blocks in now.blocks.items():
            if in_knockout and (meeting.round < last or meeting.kind is StageKind.GROUP):
                continue
            matches = [
                match for number, block in blocks for match in self.rounds[number - 1][block]
            ]
            found += [m.match_id for m in matches if m.match_id not in now.annulled]
        return found


def _bots_of(directive: Directive) -> tuple[int, ...]:
    return tuple(e for e in (directive.version, directive.other) if e is not None)


def _is_out(now: TournamentProgress, entrant: int) -> bool:
    return entrant in now.gone and now.gone[entrant].disqualified


def _version(number: int) -> Version:
    return Version(number, f"bot-{number}", 1, f"{number}", ("run",), active=True, submitted_at="")
