"""Prints a tournament in a terminal: the table first, and as many parts as fit on a screen.

A last line names the parts that did not fit: first the early rounds, then the rules.
"""

import math
import textwrap
from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from ladder.cli import tables
from ladder.cli.bracket_text import BracketEntry, BracketTable, bracket_lines
from ladder.cli.console import console, say_heading, say_plainly
from ladder.cli.until_round import summary_of
from ladder.model.errors import SettingsError
from ladder.model.moments import local, now
from ladder.model.tournaments import By, Kind
from ladder.scheduling import contest
from ladder.scheduling.tournament.cross_tables import Cross
from ladder.scheduling.tournament.formats.base import Line, MeetingResult, StageKind
from ladder.scheduling.tournament.formats.bracket import THIRD
from ladder.scheduling.tournament.formats.double_elimination import BRACKETS
from ladder.scheduling.tournament.irregularities import legend
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.scheduling.tournament.summary import Pairings, TournamentSummary, score_text
from ladder.scheduling.tournament.team_standings import TeamStandings, team_standings
from ladder.storage.ladder import Ladder
from referee.core.plain import plain

MOST_LINES = 49
"""The maximum number of lines without --all; the command adds a few."""
_LONGEST_TABLE = 40
"""The maximum number of entrants in a single column; a larger table has several columns."""
_MOST_CROSSED = 12
"""The maximum number of entrants in a cross table."""
_MOST_SEEDS = 16
"""The maximum number of seeds that the rules list; the table always shows them."""
_WIDEST_HEADING, _NARROW_HEADING = 99, 10
"""Letters in a line of a heading."""
_ONE_GOES_ON = 3
"""The largest table from which only one bot advances."""


def print_tournament(
    console: Console, shown: TournamentSummary, title: str, game: str, *, everything: bool
) -> None:
    """Print a tournament; without `everything`, only the parts that fit into `MOST_LINES`."""
    page = _Page(console, everything=everything)
    page.add("", [Text(shown.title(game), style="bold"), *_title(title)])
    signs = [Text(text, style="dim")] if (text := legend(shown.progress)) else []
    page.add("", [_standings(shown, console, everything=everything), *signs])
    page.add("", [Text(plain(line)) for line in (*_outcome(shown), *shown.notes())])
    if pairings := shown.pairings():
        heading = _heading(pairings)
        if not page.add("", [heading, _pairings_table(shown, pairings)]):
            page.add("the pairings", [heading, _in_a_row(shown, pairings)])
    crosses: list[RenderableType] = []
    for cross in _crosses(shown):
        crosses += [*[Text()] * bool(crosses), _cross_table(shown, cross, console)]
    page.add("the cross tables", [*crosses, *signs] if crosses else [])
    page.add("", _bracket(shown, console.width, page.room))
    every_round = [rounds_table(shown)] if shown.progress.field.rounds else []
    if not page.add("", every_round, narrow=True):
        last = page.add("", [_round(shown, shown.progress.field.rounds - 1)])
        page.left_out.append("the rounds before" if last else "the rounds")
    page.add("the rules", [_rules(shown, everything=everything)])
    page.add("the schedule", _schedule(shown))
    if page.left_out:
        missing = ", ".join(dict.fromkeys(page.left_out))
        console.print(Text(f"\nLeft out: {missing}; --all shows everything."))


def print_pairings(console: Console, shown: TournamentSummary) -> None:
    """Print the pairings of the current or next round, if any."""
    if pairings := shown.pairings():
        console.print(_heading(pairings))
        tables.print_table(console, _pairings_table(shown, pairings))


def final_table(shown: TournamentSummary, without: Collection[str] = ()) -> Table:
    """Return the table, the first place first, without some of its columns."""
    if shown.plan.kind is Kind.GAUNTLET:
        return _gauntlet_table(shown)
    stages = any(line.reached for line in shown.progress.lines)
    headings = ["#", "bot", "seed", "score", "meetings", "byes", *shown.tie_breaks()]
    headings += ["reached"] * stages
    table = _table([each for each in headings if each not in without], left=("bot", "reached"))
    for line in shown.progress.lines:
        cells = [*_cells(shown, line), str(line.meetings), str(line.byes)]
        cells += [*shown.tie_break_values(line), *[shown.reached(line)] * stages]
        table.add_row(
            *[cell for name, cell in zip(headings, cells, strict=True) if name not in without],
            style="bold" if line.place == 1 and shown.progress.over else "",
        )
    return table


def _fitting_table(shown: TournamentSummary, console: Console) -> Table:
    """Return the table with the columns that fit: the last tie-breaks go first."""
    dispensable = [*shown.tie_breaks()[::-1], "byes", "meetings"]
    for cut in range(len(dispensable) + 1):
        for heading in (_WIDEST_HEADING, _NARROW_HEADING):
            table = final_table(shown, dispensable[:cut])
            for column in table.columns:
                column.header = textwrap.fill(str(column.header), heading)
                column.no_wrap = True
            if tables.natural_width(console, table) <= console.width:
                return table
    return final_table(shown, dispensable)


def _gauntlet_table(shown: TournamentSummary) -> Table:
    """Return a line per opponent, the hardest first; the challenger is the first seed."""
    score = f"score of {shown.signed(shown.plan.entrants[0])}"
    table = _table(["against", "seed", score, "95 % interval", "meetings"], left=("against",))
    for line in shown.progress.lines:
        low, high = line.interval or (0.0, 1.0)
        table.add_row(
            Text(shown.signed(line.entrant)),
            str(1 + shown.plan.entrants.index(line.entrant)),
            score_text(line.score) if line.meetings else "-",
            f"{low:.2f} to {high:.2f}",
            str(line.meetings),
        )
    return table


def rounds_table(shown: TournamentSummary) -> Table:
    """Return a line for every meeting, with the scores of its entrants."""
    field = shown.progress.field
    stages = any(result.meeting.stage for result in field.results)
    decided = any(result.meeting.kind.eliminates for result in field.results)
    headings = ["round", "table", *["stage"] * stages, "result", *["goes on"] * decided]
    table = _table(headings, left=("stage", "result", "goes on"))
    for number in range(field.rounds):
        for i, result in enumerate(shown.results(number), start=1):
            first = str(number + 1) if i == 1 else ""
            stage = [result.meeting.stage] * stages
            goes_on = [Text(shown.goes_on(result))] * decided
            table.add_row(first, str(i), *stage, _scores(shown, result), *goes_on)
        if resting := shown.resting(number):
            names = ", ".join(
                f"{shown.names[e]} {shown.bye_points(number, e)}".rstrip() for e in resting
            )
            table.add_row("", "bye", *[""] * stages, Text(names, style="dim"), *[""] * decided)
    return table


def _scores(shown: TournamentSummary, result: MeetingResult) -> Text:
    """Return the entrants of a meeting with their scores, the best first."""
    text = Text("void: " if shown.is_void(result) else "")
    for i, (named, ahead) in enumerate(shown.scored(result)):
        text.append(", " if i else "").append(named, style="bold" if ahead else "")
    return text


def _pairings_table(shown: TournamentSummary, pairings: Pairings) -> Table:
    """Return a line for each meeting of a round, with the entrants' scores so far."""
    stages = any(meeting.stage for meeting in pairings.meetings)
    table = _table(["table", *["stage"] * stages, "bots"], left=("stage", "bots"))
    for number, stage, bots in shown.pairing_rows(pairings):
        table.add_row(number, *[stage] * stages, Text(bots))
    return table


def _table(headings: Sequence[str], left: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in headings:
        justify: Literal["left", "right"] = "left" if name in left else "right"
        table.add_column(name, justify=justify, overflow="fold")
    return table


def _heading(pairings: Pairings) -> Text:
    starts_at = pairings.starts_at
    when = f", which starts at {local(starts_at)}" if starts_at and starts_at > now() else ""
    return Text(f"Pairings of round {pairings.number}{when}", style="bold")


class _Page:
    """Prints parts while there is room."""

    def __init__(self, console: Console, *, everything: bool) -> None:
        self._console = console
        self._everything = everything
        self.left = MOST_LINES
        """The number of lines left."""
        self.left_out: list[str] = []
        self._begun = False

    @property
    def room(self) -> float:
        """The most lines of a part that is printed whole or not at all."""
        return math.inf if self._everything else min(self.left - 1, MOST_LINES // 2)

    def add(self, name: str, parts: Sequence[RenderableType], *, narrow: bool = False) -> bool:
        """Print a part after an empty line if it fits; return whether it did.

        A `narrow` part does not fit if it is wider than the terminal.
        """
        if not parts:
            return True
        with self._console.capture() as captured:
            for part in parts:
                self._print(part)
        lines = captured.get().count("\n") + self._begun
        wide = narrow and max(map(len, captured.get().splitlines())) > self._console.width
        if not self._everything and (lines > self.left or wide):
            self.left_out += [name] if name else []
            return False
        if self._begun:
            self._console.print()
        for part in parts:
            self._print(part)
        self.left -= lines
        self._begun = True
        return True

    def _print(self, part: RenderableType) -> None:
        if isinstance(part, Table) and part.show_header:
            tables.print_table(self._console, part)
        else:
            self._console.print(part)


def _title(title: str) -> list[Text]:
    return [Text(plain(title))] if title else []


def _outcome(shown: TournamentSummary) -> list[str]:
    """Return who has won, or the progress."""
    now = shown.progress
    if now.over:
        *others, last = shown.winners() or [""]
        if others:
            return [f"{', '.join(others)} and {last} share first place."]
        return [f"{last} wins."] if last else []
    if why := now.why_unpaired(shown.names):
        return [f"{why[0].upper()}{why[1:]}."]
    stages = {meeting.stage for meeting in now.pending}
    stage = f" ({stages.pop()})" if len(stages) == 1 and any(stages) else ""
    what = "is in progress" if now.under_way else "is next"
    return [f"Round {now.number}{stage} {'continues with sudden death' if now.plays_on else what}."]


def _standings(shown: TournamentSummary, console: Console, *, everything: bool) -> RenderableType:
    """Return the table; for a large field without tie-breaks and in several columns."""
    lines = shown.progress.lines
    if everything or len(lines) <= _LONGEST_TABLE:
        return _fitting_table(shown, console) if console.is_terminal else final_table(shown)
    columns = 2 if len(lines) <= 2 * _LONGEST_TABLE else 3
    height = -(-len(lines) // columns)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for number in range(columns):
        for name in ("#", "bot", "seed", "score"):
            right = name != "bot"
            table.add_column(name, justify="right" if right else "left", no_wrap=True)
        if number < columns - 1:
            table.add_column("", width=2)
    for row in range(height):
        cells: list[str | Text] = []
        for number in range(columns):
            at = number * height + row
            cells += _cells(shown, lines[at]) if at < len(lines) else [""] * 4
            cells += [""] if number < columns - 1 else []
        table.add_row(*cells)
    return table


def _cells(shown: TournamentSummary, line: Line) -> list[str | Text]:
    return [
        str(shown.place(line) or ""),
        Text(shown.signed(line.entrant)),
        str(shown.seed(line.entrant)),
        score_text(line.score),
    ]


def _crosses(shown: TournamentSummary) -> list[Cross]:
    """Return the cross tables of the groups, or of a small round robin."""
    small = len(shown.progress.lines) <= _MOST_CROSSED and bool(shown.progress.field.results)
    fits = shown.plan.kind is Kind.GROUPS or (shown.plan.kind is Kind.ROUND_ROBIN and small)
    return shown.crosses() if fits else []


def _cross_table(shown: TournamentSummary, cross: Cross, console: Console) -> Table:
    """Return a cross table with the names above its columns; if too wide, with the places."""
    named = _crossed(shown, cross, [shown.names[line.entrant] for line in cross.lines])
    fits = tables.natural_width(console, named) <= console.width
    places = [str(cross.place(line) or "") for line in cross.lines]
    return named if fits else _crossed(shown, cross, places)


def _crossed(shown: TournamentSummary, cross: Cross, columns: Sequence[str]) -> Table:
    """Return a cross table: scores, each with the number of meetings if more than one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right")
    table.add_column(cross.name or "cross table")
    for heading in columns:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    table.add_column("score", justify="right")
    table.add_column("meetings", justify="right")
    if cross.going_on:
        table.add_column("advances by")
    for line in cross.lines:
        cells = []
        for other in cross.lines:
            pair = cross.pairs.get((line.entrant, other.entrant))
            more = f"x{pair.meetings}" if pair and pair.meetings > 1 else ""
            cells.append(f"{score_text(pair.score)}{more}" if pair else "")
        name = Text(shown.signed(line.entrant))
        score = score_text(line.score)
        goes_on = [cross.why(line)] * bool(cross.going_on)
        table.add_row(
            str(cross.place(line) or ""), name, *cells, score, str(line.meetings), *goes_on
        )
    return table


def _bracket(shown: TournamentSummary, width: int, room: float) -> list[Text]:
    """Return as many last rounds of each bracket as fit; none where several bots advance."""
    if shown.seats > _ONE_GOES_ON:
        return []
    brackets = _brackets(shown)
    rounds = [table.round for own in brackets.values() for table in own]
    for last in range(len(set(rounds)), 0, -1):
        lines: list[str] = []
        for name, own in brackets.items():
            lines += [*[""] * bool(lines), *[name] * bool(name), *bracket_lines(own, last)]
        if len(lines) <= room and max(map(len, lines)) <= width:
            return [Text("\n".join(lines))]
    return []


def _brackets(shown: TournamentSummary) -> dict[str, list[BracketTable]]:
    """Return the tables of each bracket by its name, with its rounds numbered from 0.

    The name is empty if there is only one. Each final stands alone, as none leads to the next.
    """
    played = {r.meeting: _bracket_table(shown, r) for r in shown.progress.field.results}
    next_ones = [] if shown.progress.plays_on else shown.progress.pending
    waiting = {
        m: BracketTable(
            m.round, [BracketEntry(e, shown.names[e], "", ahead=False) for e in m.entrants]
        )
        for m in next_ones
    }
    found: dict[str, list[BracketTable]] = {}
    for meeting, table in {**played, **waiting}.items():
        if meeting.kind.eliminates and meeting.stage != THIRD:
            is_final = meeting.kind is StageKind.FINAL
            name = meeting.stage if is_final else BRACKETS.get(meeting.kind, "")
            found.setdefault(name.capitalize(), []).append(table)
    return {name: _numbered(own) for name, own in found.items()}


def _numbered(own: Sequence[BracketTable]) -> list[BracketTable]:
    """Return tables with rounds from 0, without those that another bracket plays alone."""
    rounds = sorted({table.round for table in own})
    return [replace(table, round=rounds.index(table.round)) for table in own]


def _bracket_table(shown: TournamentSummary, result: MeetingResult) -> BracketTable:
    scores = result.scores()
    sides = [
        BracketEntry(
            entrant,
            shown.names[entrant],
            score_text(scores.get(entrant, Fraction(0))),
            ahead=shown.is_ahead(result, entrant),
        )
        for entrant in result.meeting.entrants
    ]
    return BracketTable(result.meeting.round, sides)


def _round(shown: TournamentSummary, number: int) -> RenderableType:
    """Return the meetings of one round as a paragraph."""
    results = "; ".join(shown.text(result) for result in shown.results(number))
    return Group(Text(f"Round {number + 1}", style="bold"), Text(results))


def _rules(shown: TournamentSummary, *, everything: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for topic, text in shown.rules().items():
        long = topic == "seeds" and len(shown.progress.field.entrants) > _MOST_SEEDS
        line = f"{text.partition(':')[0]}, see the table" if long and not everything else text
        table.add_row(topic, Text(line))
    return table


def _in_a_row(shown: TournamentSummary, pairings: Pairings) -> Text:
    """Return pairings as a paragraph, for a field whose table does not fit."""
    tables = [", ".join(shown.names[e] for e in m.entrants) for m in pairings.meetings]
    byes = ", ".join(shown.names[e] for e in pairings.byes)
    numbered = [f"{i} {table}" for i, table in enumerate(tables, start=1)]
    return Text("; ".join([*numbered, *[f"bye {byes}"] * bool(byes)]))


def _schedule(shown: TournamentSummary) -> list[Text]:
    """Return the known future meetings after the shown pairings, one line per round."""
    next_one = shown.pairings()
    return [
        Text(
            f"Round {number + 1}: "
            + "; ".join(", ".join(shown.names[e] for e in m.entrants) for m in meetings)
        )
        for number, meetings in shown.schedule().items()
        if next_one is None or number >= next_one.number
    ]


def standings_of(ladder: Ladder, by: By) -> TeamStandings:
    """Return the standings of authors or teams; raise `SettingsError` if there are none."""
    plan = contest.read(ladder)
    if not isinstance(plan, TournamentPlan):
        raise SettingsError(f"--by {by}: {ladder.home.path} holds no tournament")
    return team_standings(summary_of(ladder, plan), by)


def print_teams(shown: TeamStandings, heading: str) -> None:
    """Print the standings of authors or teams."""
    say_heading(heading)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("#", shown.by.value, "places", "bots"):
        right = name in ("#", "places")
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for line in shown.lines:
        row = (str(line.place), Text(plain(line.name)), str(line.total), Text(line.bots()))
        table.add_row(*row)
    tables.print_table(console, table)
    for note in shown.notes():
        say_plainly(note)
