"""Plans a tournament: meetings become blocks, and finished blocks become results.

The plan and the results of earlier rounds determine the next one, so only the plan is stored;
meetings are derived again from the matches whenever they are needed. A round of the format is a
round of the ladder: its blocks are the deals of each meeting, in order of the meetings. Each deal
of sudden death is a further round of the ladder, with one block for each meeting that plays on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import TYPE_CHECKING

from ladder.model.directives import ByePoints, Directive
from ladder.model.errors import SettingsError
from ladder.model.pairing import Block
from ladder.model.tournaments import USUAL_DEALS, USUAL_HALF_BYES, KeptApart, Kind, Seeding
from ladder.scheduling.ladder.balanced import VersionId
from ladder.scheduling.planner import check_tables
from ladder.scheduling.tournament.formats.apart import Apart, Pair, of_one_name
from ladder.scheduling.tournament.formats.base import Field, Format, Line, Meeting
from ladder.scheduling.tournament.formats.deciding import Decider
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.gauntlet import Gauntlet
from ladder.scheduling.tournament.formats.groups import Groups
from ladder.scheduling.tournament.formats.knockout import Knockout
from ladder.scheduling.tournament.formats.round_robin import RoundRobin
from ladder.scheduling.tournament.formats.swiss import Swiss
from ladder.scheduling.tournament.meeting_results import Blocks, by_round_and_block, is_open
from ladder.scheduling.tournament.reconstruction import (
    Departure,
    Reconstruction,
    in_force,
    rounds_in_all,
)

if TYPE_CHECKING:
    from ladder.storage.db.database import Transaction


RULES = 2
"""The version of the tournament rules: pairing, advancement and places. Plans without a version
follow version 1."""
PAIRING = 2
"""The version of pairing within the rules; a tournament keeps its own."""
ELIMINATING = (Kind.KNOCKOUT, Kind.DOUBLE_ELIMINATION, Kind.GROUPS)
"""The formats in which bots are eliminated."""


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """The plan of a tournament, fixed before the first match."""

    kind: Kind
    entrants: tuple[VersionId, ...]
    """In the order of their seeds."""
    rounds: int | None = None
    """The rounds of a Swiss tournament, or the cycles of a round robin or gauntlet; None:
    default."""
    group_size: int | None = None
    """The most entrants of a group; None: default."""
    advancing: int | None = None
    """How many of each group go on; None: default."""
    deals: int = 1
    """With how many deals each meeting is played, each over all rotations of the seats."""
    seeding: Seeding = Seeding.GIVEN
    """How the entrants got their seeds."""
    sudden_death: int | None = None
    """The most deals of sudden death at a level table; None: default."""
    draw: str = ""
    """The seed of the lots."""
    rules: int = RULES
    """The version of the rules under which it began."""
    authors: tuple[str, ...] = ()
    """The author of each entrant, empty if unknown; none if all are."""
    teams: tuple[str, ...] = ()
    """The club or team of each entrant, likewise."""
    late_bye: ByePoints | None = None
    """The points of a late entrant of a Swiss tournament for each round that it missed. None in
    tournaments that began before there was a choice: as for a bye of the pairing."""
    half_byes: int | None = None
    """The most half-point byes of an entrant, on request or for being late; None: default."""
    pairing: int = PAIRING
    """The version of what rules 2 leave open: the tables of small round robins, and how lots are
    drawn. Plans without it began under version 1."""
    shared_places: bool = True
    """Whether equals share a place; plans without it began before they could."""

    apart: KeptApart | None = None
    """Which bots do not meet where that can be avoided. None in tournaments that began before there
    was a choice: all may meet."""
    forbidden: tuple[Pair, ...] = ()
    """The pairs that may not meet, each once; a director of a Swiss may allow them later."""

    start: str | None = None
    """When the first round may begin: UTC, ISO 8601; None: at once."""
    every_s: int | None = None
    """How many seconds after the start of a round the next one may begin; None: at once."""

    def form(self) -> Format:
        """Return the format; raise `SettingsError` if an option does not belong to it.

        Raise it too if the tournament began under another version of the rules: its next rounds
        would not follow from those already played.
        """
        if self.rules != RULES:
            raise SettingsError(
                f"this tournament began under version {self.rules} of the rules, and this "
                f"Courtyard plays by version {RULES}: use the Courtyard that began it to show or "
                "finish it"
            )
        unused = {
            "--rounds": self.rounds if self.kind in ELIMINATING else None,
            "--group-size": self.group_size if self.kind is not Kind.GROUPS else None,
            "--advancing": self.advancing if self.kind is not Kind.GROUPS else None,
            "--late-bye": self.late_bye if self.kind is not Kind.SWISS else None,
            "--half-byes": self.half_byes if self.kind is not Kind.SWISS else None,
            "--sudden-death": None if self.kind in ELIMINATING else self.sudden_death,
        }
        for option, value in unused.items():
            if value is not None:
                raise SettingsError(f"{option} does not apply to the format {self.kind}")
        return _FORMS[self.kind](self)

    @property
    def most_half_byes(self) -> int:
        """The most half-point byes of an entrant, on request or for being late."""
        return USUAL_HALF_BYES if self.half_byes is None else self.half_byes

    @property
    def half_if_late(self) -> int | None:
        """How many of the rounds that a late entrant missed score 1/2; None: all of them."""
        if self.late_bye is None:
            return None
        return self.most_half_byes if self.late_bye is ByePoints.HALF else 0

    def author(self, entrant: VersionId) -> str:
        """Return an entrant's author; empty if unknown, as of late entrants."""
        return dict(zip(self.entrants, self.authors, strict=False)).get(entrant, "")

    def team(self, entrant: VersionId) -> str:
        """Return an entrant's club or team, likewise."""
        return dict(zip(self.entrants, self.teams, strict=False)).get(entrant, "")

    def pairs_apart(self) -> Apart:
        """Return which entrants should not meet."""
        whose = {KeptApart.AUTHOR: self.authors, KeptApart.TEAM: self.teams}
        names = whose.get(self.apart or KeptApart.NONE, ())
        both = (pair for one, other in self.forbidden for pair in ((one, other), (other, one)))
        return Apart(of_one_name(dict(zip(self.entrants, names, strict=False))), frozenset(both))

    def check_field(self, entrants: int) -> None:
        """Raise `SettingsError` if an entrant would be alone in its group."""
        if self.group_size == 2 and entrants % 2:  # noqa: PLR2004 - pairs
            raise SettingsError(
                f"{entrants} bots do not fit into groups of 2, as one would be alone in its "
                "group: use --group-size 3 or more"
            )


def _groups(plan: TournamentPlan) -> Format:
    usual = Groups()
    size, advancing = plan.group_size or usual.size, plan.advancing or usual.advancing
    if advancing >= size:
        raise SettingsError(
            f"{advancing} of a group of {size} cannot go on: no bot would be eliminated"
        )
    round_robin = RoundRobin(arranged=plan.pairing > 1, shared_places=plan.shared_places)
    return Groups(size=size, advancing=advancing, round_robin=round_robin, knockout=_knockout(plan))


def _knockout(plan: TournamentPlan) -> Knockout:
    return Knockout(_decider(plan), plan.shared_places)


def _decider(plan: TournamentPlan) -> Decider:
    deals = USUAL_DEALS if plan.sudden_death is None else plan.sudden_death
    return Decider(deals, plan.draw, lots_by_id=plan.pairing == 1)


_FORMS: Mapping[Kind, Callable[[TournamentPlan], Format]] = {
    Kind.ROUND_ROBIN: lambda plan: RoundRobin(
        plan.rounds or 1, plan.pairing > 1, plan.shared_places
    ),
    Kind.SWISS: lambda plan: Swiss(plan.rounds, plan.pairing == 1, plan.shared_places),
    Kind.GAUNTLET: lambda plan: Gauntlet(cycles=plan.rounds or 1),
    Kind.KNOCKOUT: _knockout,
    Kind.DOUBLE_ELIMINATION: lambda plan: DoubleElimination(_decider(plan)),
    Kind.GROUPS: _groups,
}


@dataclass(frozen=True, slots=True)
class TournamentProgress:
    """The progress of a tournament."""

    field: Field
    """The results of the rounds that are over."""
    void: frozenset[Meeting]
    """Meetings without a result, which count as if all entrants were level."""
    pending: Sequence[Meeting]
    """The meetings that are next, or being played; none at the end."""
    due: Sequence[Block]
    """Their deals, in order, as they are planned or will be."""
    plays_on: bool
    """Whether the pending meetings are in sudden death: each plays one more deal."""
    blocks: Mapping[Meeting, Sequence[tuple[int, int]]]
    """The deals of each meeting: the round of the ladder, from 1, and the block, from 0."""
    begun: int
    """The number of finished rounds of the ladder."""
    lines: Sequence[Line]
    """The table by the results so far, including the deals of the current round that are over."""
    walkovers: Sequence[Meeting] = ()
    """Meetings of the current or next round that need not be played."""
    absent: frozenset[VersionId] = frozenset()
    """The entrants that left before that round."""
    gone: Mapping[VersionId, Departure] = dataclass_field(default_factory=dict)
    """The entrants that were withdrawn or disqualified."""
    late: Mapping[VersionId, int] = dataclass_field(default_factory=dict)
    """The late entrants, with the number of rounds they missed."""
    missed: Mapping[VersionId, Sequence[int]] = dataclass_field(default_factory=dict)
    """The rounds, from 0, that entrants missed before they returned."""
    applied: Mapping[Directive, int] = dataclass_field(default_factory=dict)
    """The first round, from 0, without a bot that left, or with a late or returned one."""
    annulled: Mapping[str, Directive] = dataclass_field(default_factory=dict)
    """The annulled matches, by id."""
    live: Field | None = None
    """The results including finished deals of the round under way; None without such
    meetings."""
    begun_next: bool = False
    """Whether the pending meetings are planned; until then, a decision may change them."""
    unpaired: Sequence[Pair] = ()
    """The forbidden pairs that would meet in the next round: it has no meetings as yet."""

    @property
    def number(self) -> int:
        """The current or next round of the tournament, from 1."""
        if self.pending:
            return self.pending[0].round + 1
        return self.field.rounds + bool(self.unpaired)

    @property
    def under_way(self) -> bool:
        """Whether that round has begun."""
        return self.begun_next or self.plays_on

    @property
    def over(self) -> bool:
        """Whether the tournament is over."""
        return not self.pending and not self.unpaired

    def why_unpaired(self, names: Mapping[VersionId, str]) -> str:
        """Return why the next round has no pairing, and what to do; empty if it has one."""
        if not self.unpaired:
            return ""
        pairs = ", ".join(f"{names[one]} and {names[other]}" for one, other in self.unpaired)
        return (
            f"round {self.number} has no pairing in which no forbidden pair meets (at best {pairs} "
            "do): retract a pair (`ladder retract BOT BOT`), give a bot a bye (`ladder bye BOT`), "
            "or withdraw it (`ladder withdraw BOT`)"
        )


def progress_of(
    plan: TournamentPlan, seats: int, rounds: Sequence[Blocks], directives: Sequence[Directive] = ()
) -> TournamentProgress:
    """Return the progress of a tournament, given all stored rounds in order.

    `directives` are the director's decisions, in order. Raise `StoreError` if the stored tables are
    not those that follow from the plan, the results and the decisions.
    """
    state = Reconstruction(plan, seats, in_force(plan, directives))
    under_way: Blocks = ()
    for number, blocks in enumerate(rounds, start=1):
        check_tables(f"round {number} of the ladder", blocks, state.due())
        if any(is_open(match) for block in blocks for match in block):
            under_way = blocks
            break
        state.add_round(blocks)
    pending, absent, due = state.pending, state.absent, state.due()
    walkovers = [meeting for meeting in state.round if meeting not in pending]
    state.apply_all()
    live = state.live(pending, under_way)
    return TournamentProgress(
        field=state.field(),
        void=frozenset(state.void),
        pending=pending,
        due=due,
        plays_on=state.plays_on,
        blocks=state.blocks,
        begun=state.begun,
        lines=state.table(live or state.field()),
        walkovers=walkovers,
        absent=absent,
        gone=state.gone,
        late=state.late,
        missed=state.missed,
        applied=state.applied,
        annulled=state.annulled,
        live=live,
        begun_next=bool(under_way),
        unpaired=state.unpaired,
    )


class TournamentPlanner:
    """Plans each round of a tournament when the previous one is over."""

    def __init__(self, plan: TournamentPlan, seats: int, last: int | None = None) -> None:
        """Plan for tables of `seats` seats, and no round after `last`, from 1."""
        self._plan = plan
        self._seats = seats
        self._last = last
        self._progress = progress_of(plan, seats, [])

    def plan(self, tx: "Transaction") -> Sequence[Block] | None:
        """Return the blocks of the next round; none while a round is open, None at the end."""
        rounds = stored_rounds(tx)
        self._progress = progress_of(self._plan, self._seats, rounds, directives_of(tx))
        if self._has_ended:
            return None
        if len(rounds) > self._progress.begun:
            return ()
        return self._progress.due

    def settled(self) -> str:
        """Return the progress in words."""
        if self._progress.over:
            return "the tournament is over"
        pending = self._progress.pending
        if not pending:
            return f"round {self._progress.number} waits for the director"
        stages = dict.fromkeys(meeting.stage for meeting in pending if meeting.stage)
        more = ["sudden death"] if self._progress.plays_on else []
        whole = rounds_in_all(self._plan, self._seats)
        number = f"round {pending[0].round + 1}{f' of {whole}' if whole else ''}"
        return ", ".join([number, *stages, *more])

    def ahead(self) -> int | None:
        """Return 0 at the end; else None, as later rounds depend on results."""
        return 0 if self._has_ended else None

    @property
    def _has_ended(self) -> bool:
        now = self._progress
        return not now.pending or (self._last is not None and now.number > self._last)


def stored_rounds(tx: "Transaction") -> list[Blocks]:
    """Return all stored matches, by round and block, in order."""
    from ladder.storage.tables import bots, match_lines  # noqa: PLC0415 - SQLAlchemy is slow to import

    return by_round_and_block(match_lines.from_round(tx, bots.all_versions(tx), 0))


def directives_of(tx: "Transaction") -> Sequence[Directive]:
    """Return the director's decisions, in order."""
    from ladder.storage.tables import directives  # noqa: PLC0415 - the same

    return directives.all_of(tx)
