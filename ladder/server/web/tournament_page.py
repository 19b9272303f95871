"""A tournament's page: its table, the meetings of each round, and its progress.

Of the current round the page reveals the number of finished matches, and the results of the deals
that are over.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from ladder.model.incidents import Incident
from ladder.model.matches import MatchLine
from ladder.model.tournaments import Kind
from ladder.results.visibility import visible
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.tournament.cross_tables import Cross, Pair
from ladder.scheduling.tournament.formats.base import Line, Meeting, MeetingResult, StageKind
from ladder.scheduling.tournament.formats.bracket import THIRD
from ladder.scheduling.tournament.formats.double_elimination import BRACKETS
from ladder.scheduling.tournament.irregularities import is_walkover, mark, status_of
from ladder.scheduling.tournament.meeting_results import Deal, is_open, result_of
from ladder.scheduling.tournament.team_standings import TeamStandings, of_interest
from ladder.server.public.snapshot import Contest, Snapshot

_BETWEEN = " \N{EN DASH} "
"""Between those who meet; names have hyphens."""


@dataclass(frozen=True, slots=True)
class EntrantView:
    """A bot in the tournament."""

    name: str
    bot: str
    seed: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class SideView:
    """One entrant of a meeting."""

    entrant: EntrantView
    score: float | None
    """From 0 to 1, of the deals that are over; None before."""
    ahead: bool
    """Whether it advances or, if the meeting eliminates no bot, came first."""
    mark: str = ""
    """The mark of forfeits: "-" with the kind, or "+" if all others forfeited."""


@dataclass(frozen=True, slots=True)
class MeetingView:
    """A meeting."""

    number: int
    """The number in its round, from 1."""
    stage: str
    kind: StageKind
    sides: Sequence[SideView]
    """Ordered by score; by seed until the meeting is finished."""
    over: int
    """The number of finished matches."""
    matches: int
    void: bool
    """Whether the meeting could not be played; then all its bots are level."""
    why: str
    """The criterion that decided; empty if no bot is eliminated, and until its deals are over."""
    decided: bool
    """Whether a criterion decided: the meeting is neither level, nor do all advance."""
    uncounted: bool
    """Whether the meeting is finished and does not count for some of its bots."""
    public: Sequence[MatchLine]
    """Its public matches."""
    walkover: bool = False
    """Whether no match is played because too few bots are left."""


@dataclass(frozen=True, slots=True)
class Bye:
    """A bot without a table in a round."""

    entrant: EntrantView
    points: str
    """The points of a bye on request or of a late bot; empty for a bye by pairing."""


@dataclass(frozen=True, slots=True)
class Happened:
    """An event out of the ordinary in a match."""

    incident: Incident
    shown: bool
    """Whether the match has a page."""


@dataclass(frozen=True, slots=True)
class Round:
    """The meetings of a round."""

    number: int
    """From 1."""
    stages: str
    """The name of the stage, such as "final"; often empty."""
    tables: Sequence[MeetingView]
    byes: Sequence[Bye]
    playing: bool
    """Whether the round is unfinished."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A tree of tables, and the rounds that it plays."""

    name: str
    rounds: Sequence[Round]


@dataclass(frozen=True, slots=True)
class Place:
    """A row of the table."""

    number: int | None
    """The place; None before the first result."""
    line: Line
    entrant: EntrantView
    tie_breaks: Sequence[str]
    """The tie-breaks in the order of comparison, without the seed."""
    status: str
    """That the bot left or entered late; otherwise empty."""
    reached: str
    """The stage that the bot reached; empty if there is only one stage."""
    people: str
    """Its author and team, as far as they are known."""


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The scores of some entrants against each other."""

    name: str
    """The name of the group; empty for the whole field."""
    places: Sequence[Place]
    cells: Sequence[Sequence[Pair | None]]
    """A row and a column for each entrant, both in the order of the places."""
    going_on: Sequence[str]
    """The reason why each bot advances from a finished group; "" if it does not; empty before."""


@dataclass(frozen=True, slots=True)
class TournamentPage:
    """The content of a tournament's page."""

    title: str
    rules: Sequence[tuple[str, str]]
    """Topics with their rules."""
    over: bool
    winners: Sequence[str]
    """The bots in first place; none before the end, and in formats without a winner."""
    places: Sequence[Place]
    challenger: str
    """The bot of a gauntlet whose scores the table shows; empty in other formats."""
    tie_breaks: Sequence[str]
    """The names of the tie-breaks, without the seed."""
    uncompared: bool
    """Whether some tie-break was not compared for some bot."""
    stages: bool
    """Whether the places show the stages reached."""
    bracket: Sequence[Round]
    """The rounds in which losers are eliminated."""
    brackets: Sequence[Bracket]
    """The same, each round by its brackets."""
    rounds: Sequence[Round]
    """The other rounds."""
    single: bool
    """Whether each of the other rounds has a single table."""
    teams: Sequence[TeamStandings]
    """The standings of teams, and of authors if some have several bots."""
    cross: Sequence[CrossTable]
    """The cross table of a round robin, or those of the groups."""
    notes: Sequence[str]
    """Bots that never finished a match, and the director's decisions."""
    happened: Sequence[Happened]
    """Events out of the ordinary in matches, the newest first."""
    paused: bool
    """Whether the director has paused the tournament."""
    schedule: Sequence[tuple[int, Sequence[str]]]
    """The rounds after the last one shown, with their meetings."""
    live: bool
    """Whether the table already counts deals of the current round."""
    number: int
    """The current or next round, from 1."""
    rounds_in_all: int | None
    """How many rounds there are; None if that depends on results."""
    played: int
    """The number of finished matches in the current round."""
    planned: int
    """The number of matches in the current round."""
    byes: bool
    """Whether any bot had a bye."""
    unpaired: str
    """Why the next round has no pairing; empty if it has one."""
    starts_at: str
    """When the next round may begin: UTC, ISO 8601; empty if it has begun, or begins at once."""


def tournament_page(snapshot: Snapshot, contest: Contest) -> TournamentPage:
    """Return a tournament's page."""
    return _Page(snapshot, contest).page()


def matches_of_tables(page: TournamentPage) -> dict[str, tuple[str, str]]:
    """Return name and path of the table of each public match, by its id."""
    return {
        match.match_id: (
            f"Round {each.number}, table {table.number}",
            f"tournament.html#round-{each.number}-table-{table.number}",
        )
        for each in (*page.bracket, *page.rounds)
        for table in each.tables
        for match in table.public
    }


class _Page:
    def __init__(self, snapshot: Snapshot, contest: Contest) -> None:
        self._shown = contest.shown
        self._contest = contest
        self._title = contest.shown.title(snapshot.game_title)
        self._bots = {tally.version.id: tally.version.bot for tally in snapshot.tallies}
        self._in_play = snapshot.in_play

    def page(self) -> TournamentPage:
        shown, now = self._shown, self._shown.progress
        rounds = [*self._finished(), *self._playing()]
        bracket = [r for r in rounds if any(table.kind.eliminates for table in r.tables)]
        others = [r for r in rounds if r not in bracket]
        crosses = shown.crosses() if shown.plan.kind in (Kind.ROUND_ROBIN, Kind.GROUPS) else []
        current = [match for block in self._contest.playing for match in block]
        gauntlet = shown.plan.kind is Kind.GAUNTLET
        places = [self._place(line, shown.place(line)) for line in now.lines]
        with_pages = {m.match_id for r in rounds for table in r.tables for m in table.public}
        return TournamentPage(
            title=self._title,
            rules=[*shown.rules().items()],
            over=now.over,
            winners=shown.winners(),
            places=places,
            challenger=shown.names[shown.plan.entrants[0]] if gauntlet else "",
            tie_breaks=shown.tie_breaks(),
            uncompared=any("-" in place.tie_breaks for place in places),
            stages=any(line.reached for line in shown.progress.lines),
            bracket=bracket,
            brackets=_brackets(bracket, "Knockout" if others else "Bracket"),
            rounds=others,
            single=all(len(r.tables) == 1 for r in others),
            teams=of_interest(shown),
            cross=[self._cross_table(cross) for cross in crosses],
            notes=shown.notes(),
            happened=[
                Happened(each, each.match_id in with_pages) for each in self._contest.incidents
            ],
            paused=shown.paused,
            schedule=self._schedule(),
            live=now.live is not None,
            number=max((r.number for r in rounds), default=1),
            rounds_in_all=shown.rounds_in_all(),
            played=sum(not is_open(match) for match in current),
            planned=len(current),
            byes=any(line.byes for line in shown.progress.lines),
            unpaired=now.why_unpaired(shown.names),
            starts_at=self._starts_at(),
        )

    def _entrant(self, number: VersionId) -> EntrantView:
        return EntrantView(self._shown.names[number], self._bots[number], self._shown.seed(number))

    def _place(self, line: Line, number: int | None) -> Place:
        shown, plan = self._shown, self._shown.plan
        people = filter(None, (plan.author(line.entrant), plan.team(line.entrant)))
        return Place(
            number,
            line,
            self._entrant(line.entrant),
            shown.tie_break_values(line),
            status_of(shown.progress, line.entrant),
            shown.reached(line),
            ", ".join(people),
        )

    def _starts_at(self) -> str:
        pairings = self._shown.pairings()
        return pairings.starts_at.isoformat() if pairings and pairings.starts_at else ""

    def _schedule(self) -> list[tuple[int, list[str]]]:
        names, now = self._shown.names, self._shown.progress
        return [
            (
                number + 1,
                [_BETWEEN.join(names[e] for e in meeting.entrants) for meeting in meetings],
            )
            for number, meetings in self._shown.schedule().items()
            if number > now.field.rounds - now.plays_on
        ]

    def _finished(self) -> Iterator[Round]:
        """Yield the rounds that are over."""
        shown = self._shown
        last = shown.progress.field.rounds - 1
        for number in range(last + 1):
            results = shown.results(number)
            tables = [self._finished_table(i, result) for i, result in enumerate(results)]
            byes = [
                Bye(self._entrant(e), shown.bye_points(number, e)) for e in shown.resting(number)
            ]
            playing = shown.progress.plays_on and number == last
            yield Round(number + 1, _stages(tables), tables, byes, playing)

    def _finished_table(self, index: int, result: MeetingResult) -> MeetingView:
        """Return a table whose deals are over, but for those that it plays on with."""
        course = self._shown.progress
        matches = [*self._shown.matches.get(result.meeting, ())]
        if course.plays_on and result.meeting in course.pending:
            i = course.pending.index(result.meeting)
            matches += [match for block in self._contest.playing[i : i + 1] for match in block]
        return self._over(index, result, matches)

    def _over(self, index: int, result: MeetingResult, matches: Sequence[MatchLine]) -> MeetingView:
        scores, void = result.scores(), result.meeting in self._shown.progress.void
        sides = [
            SideView(
                self._entrant(e),
                float(scores[e]) if e in scores else None,
                ahead=self._shown.is_ahead(result, e),
                mark=mark(result, e),
            )
            for e in self._shown.ordered(result)
        ]
        public = [match for match in matches if visible(match, self._in_play).result]
        over = sum(not is_open(match) for match in matches)
        decision = self._shown.decision(result)
        return MeetingView(
            index + 1,
            result.meeting.stage,
            result.meeting.kind,
            sides,
            over,
            len(matches),
            void,
            self._shown.why(result),
            decision is not None and decision.by != "",
            len(result.counted) < len(result.meeting.entrants),
            public,
            is_walkover(result),
        )

    def _playing(self) -> Iterator[Round]:
        """Yield the current or next round, if any."""
        shown, pending = self._shown, [*self._shown.progress.pending]
        if not pending or shown.progress.plays_on:
            return
        deals, number = shown.plan.deals, shown.progress.field.rounds
        tables = []
        for i, meeting in enumerate(pending):
            blocks = self._contest.playing[i * deals : (i + 1) * deals]
            tables.append(self._under_way(i, meeting, blocks))
        for meeting in shown.progress.walkovers:
            sides = [SideView(self._entrant(e), None, ahead=False) for e in meeting.entrants]
            number_of = len(tables) + 1
            tables.append(_open_table(number_of, meeting, sides, 0, 0, walkover=True))
        meetings = [*pending, *shown.progress.walkovers]
        resting = shown.plan.form().resting(shown.progress.field, meetings)
        byes = [Bye(self._entrant(e), shown.bye_points(number, e)) for e in resting]
        yield Round(number + 1, _stages(tables), tables, byes, playing=True)

    def _under_way(
        self, index: int, meeting: Meeting, blocks: Sequence[Sequence[MatchLine]]
    ) -> MeetingView:
        matches = [match for block in blocks for match in block]
        over = sum(not is_open(match) for match in matches)
        there = [e for e in meeting.entrants if e not in self._shown.progress.absent]
        planned = self._shown.plan.deals * len(there)
        result = result_of(meeting, [Deal(block) for block in blocks])
        if over == planned and result:
            return self._over(index, result, matches)
        scores = result.scores() if result else {}
        sides = [
            SideView(self._entrant(e), float(scores[e]) if e in scores else None, ahead=False)
            for e in meeting.entrants
        ]
        public = [match for match in matches if visible(match, self._in_play).result]
        return replace(_open_table(index + 1, meeting, sides, over, planned), public=public)

    def _cross_table(self, cross: Cross) -> CrossTable:
        order = [line.entrant for line in cross.lines]
        cells = [[cross.pairs.get((one, other)) for other in order] for one in order]
        going_on = [cross.why(line) for line in cross.lines] if cross.going_on else []
        places = [self._place(line, cross.place(line)) for line in cross.lines]
        return CrossTable(cross.name, places, cells, going_on)


def _open_table(
    number: int,
    meeting: Meeting,
    sides: Sequence[SideView],
    over: int,
    matches: int,
    *,
    walkover: bool = False,
) -> MeetingView:
    """Return a table that has no result yet."""
    return MeetingView(
        number,
        meeting.stage,
        meeting.kind,
        sides,
        over,
        matches,
        void=False,
        why="",
        decided=False,
        uncounted=False,
        public=(),
        walkover=walkover,
    )


def _brackets(rounds: Sequence[Round], name: str) -> list[Bracket]:
    """Return the brackets of rounds; if there is only one, it has this name.

    Byes of a round with several are of the last: winners have byes in the first round only.
    """
    found: dict[StageKind, list[Round]] = {}
    for round_ in rounds:
        by_kind = sorted(round_.tables, key=lambda table: table.kind.value)  # walkovers come last
        for kind, own in groupby(by_kind, key=lambda table: table.kind):
            tables = [*own]
            byes = round_.byes if tables[-1] is by_kind[-1] else ()
            part = replace(round_, tables=tables, stages=_stages(tables), byes=byes)
            found.setdefault(kind, []).append(part)
    return [
        Bracket(BRACKETS.get(kind, name).capitalize(), _as_tree(own)) for kind, own in found.items()
    ]


def _as_tree(rounds: Sequence[Round]) -> list[Round]:
    """Order the tables of each round by the tables that their winners go to."""
    ordered: list[Round] = []
    places: dict[int, int] = {}
    for round_ in reversed(rounds):

        def leads_to(table: MeetingView, places: dict[int, int] = places) -> int:
            found = [places[s.entrant.seed] for s in table.sides if s.entrant.seed in places]
            return min(found, default=len(places))

        tables = sorted(round_.tables, key=leads_to)
        sides = [side.entrant.seed for table in tables for side in table.sides]
        places = {**places, **{seed: place for place, seed in enumerate(sides)}}
        ordered.append(replace(round_, tables=tables))
    return ordered[::-1]


def _stages(tables: Sequence[MeetingView]) -> str:
    """Return the name of a round's stage; empty if it has none or several."""
    stages = {table.stage for table in tables} - {THIRD}
    return stages.pop() if len(stages) == 1 else ""
