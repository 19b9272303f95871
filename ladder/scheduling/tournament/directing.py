"""The actions of a tournament's director.

Each decision is stored and applies to the rounds planned after it; a pause applies at once. Played
matches are neither changed nor removed.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from ladder.model.bots import Version, labels
from ladder.model.directives import BYES, ByePoints, Directive, DirectiveKind
from ladder.model.errors import LadderError, UnknownBotError, UnknownMatchError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.tournaments import Kind
from ladder.results import queries
from ladder.scheduling import contest
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament.formats.base import ABSENT, Meeting
from ladder.scheduling.tournament.formats.double_elimination import DoubleElimination
from ladder.scheduling.tournament.formats.swiss import rounds_needed
from ladder.scheduling.tournament.meeting_results import Blocks
from ladder.scheduling.tournament.reconstruction import in_force, last_about
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, directives, matches


@dataclass(frozen=True, slots=True)
class _State:
    """A tournament between two decisions."""

    tx: Transaction
    plan: tournament.TournamentPlan
    seats: int
    now: tournament.TournamentProgress
    given: Sequence[Directive]
    """The decisions so far."""
    rounds: Sequence[Blocks]
    """All rounds that the ladder has stored."""
    last_round: int
    """The last planned round of the ladder."""

    def decide(
        self,
        kind: DirectiveKind,
        why: str | None,
        version: int | None = None,
        match_id: str | None = None,
        number: int | None = None,
        starts_at: str | None = None,
        other: int | None = None,
    ) -> tournament.TournamentProgress:
        """Store a decision, and return the tournament with it."""
        directive = Directive(
            kind, self.last_round, why, version, match_id, number, starts_at, other
        )
        directives.add(self.tx, directive)
        given = [*self.given, directive]
        return tournament.progress_of(self.plan, self.seats, self.rounds, given)

    @property
    def next_round(self) -> int:
        """The first round of the tournament, from 1, to which a decision applies."""
        under_way = self.last_round > self.now.begun and not self.now.plays_on
        return self.now.field.rounds + under_way + 1

    @property
    def rounds_of_swiss(self) -> int:
        """The number of rounds of a Swiss tournament."""
        return self.plan.rounds or rounds_needed(len(self.plan.entrants), self.now.field.seats)

    def entrants(self) -> dict[str, int]:
        """Return the version ids of the entrants, by label."""
        known = bots.all_versions(self.tx)
        taking_part = {entrant: known[entrant] for entrant in self.now.field.entrants}
        return {name: e for e, name in labels(taking_part).items()}

    def entrant(self, name: str) -> int:
        """Return the version id of an entrant; raise `UnknownBotError` if it is none."""
        entrants = self.entrants()
        if name not in entrants:
            known = ", ".join(entrants)
            raise UnknownBotError(
                f"{name!r} does not take part in this tournament; its bots: {known}"
            )
        return entrants[name]


@contextmanager
def _deciding(ladder: Ladder) -> Iterator[_State]:
    """Yield the state of a tournament and let a decision be stored while planning is locked."""
    plan = plan_of(ladder)
    with ladder.home.unplanned(), ladder.database.write() as tx:
        seats = ladder.settings.seats
        rounds, given = tournament.stored_rounds(tx), directives.all_of(tx)
        now = tournament.progress_of(plan, seats, rounds, given)
        yield _State(tx, plan, seats, now, given, rounds, matches.last_round(tx))


def plan_of(ladder: Ladder) -> tournament.TournamentPlan:
    """Return the plan of the ladder's tournament; raise `LadderError` if it plays none."""
    plan = contest.read(ladder)
    if isinstance(plan, tournament.TournamentPlan):
        return plan
    if plan is None:
        raise LadderError(
            f"{ladder.home.path}: this is a standing ladder, not a tournament; use "
            "`ladder retire BOT` to retire a bot, and `ladder void MATCH` to void a match"
        )
    raise LadderError(
        f"{ladder.home.path}: this is a duel, which has no director: stop it, or let it end"
    )


def leave(ladder: Ladder, name: str, why: str | None, *, disqualified: bool) -> int:
    """Withdraw or disqualify a bot; return the first round, from 1, without it.

    Raise `UnknownBotError` if the bot does not take part, and `LadderError` if it has already left
    or is to be withdrawn after the tournament is over.
    """
    with _deciding(ladder) as state:
        entrant = state.entrant(name)
        before = state.now.gone.get(entrant)
        if before and (before.disqualified or not disqualified):
            how = "disqualified" if before.disqualified else "withdrawn"
            raise LadderError(f"{name} has already been {how}")
        if state.now.over and not disqualified:
            raise LadderError(f"the tournament is over: {name} has nothing left to play")
        kind = DirectiveKind.DISQUALIFY if disqualified else DirectiveKind.WITHDRAW
        state.decide(kind, why, version=entrant)
        return state.next_round


def give_bye(ladder: Ladder, name: str, number: int, points: ByePoints, why: str) -> None:
    """Give a bot of a Swiss tournament a bye in a coming round, from 1.

    Raise `UnknownBotError` if the bot does not take part, and `LadderError` if the rules forbid it.
    """
    with _deciding(ladder) as state:
        if state.plan.kind is not Kind.SWISS:
            raise LadderError(
                f"a {state.plan.kind} gives no byes on request: its meetings are fixed at the "
                "start; a Swiss tournament does"
            )
        entrant = state.entrant(name)
        _check_bye(state, entrant, name, number)
        if points is ByePoints.HALF:
            _check_half_bye(state, entrant, name, number)
        kind = DirectiveKind.HALF_BYE if points is ByePoints.HALF else DirectiveKind.ZERO_BYE
        state.decide(kind, why, version=entrant, number=number)


def _check_bye(state: _State, entrant: int, name: str, number: int) -> None:
    last, given = state.rounds_of_swiss, state.now.field.given_byes
    if entrant in state.now.gone:
        raise LadderError(f"{name} has already left the tournament")
    if number > last:
        raise LadderError(f"the tournament has {last} rounds: there is no round {number}")
    _check_to_come(state, number)
    if (number - 1, entrant) in given:
        raise LadderError(
            f"{name} already has a bye in round {number}; `ladder retract {name}` takes it back"
        )
    others = [e for e in state.now.field.pairable(number - 1) if e != entrant]
    if len(others) < 2:  # noqa: PLR2004 - a round needs two
        raise LadderError(f"without {name}, fewer than two bots would play round {number}")


def _check_to_come(state: _State, number: int) -> None:
    """Raise `LadderError` if a round, from 1, is planned, so that no decision changes its byes."""
    if state.now.over or number < state.next_round:
        raise LadderError(f"it is too late: round {number} is planned, with its byes")


def _check_half_bye(state: _State, entrant: int, name: str, number: int) -> None:
    given, most = state.now.field.given_byes, state.plan.most_half_byes
    had = sum(points > 0 for (_, e), points in given.items() if e == entrant)
    if number == state.rounds_of_swiss:
        raise LadderError(
            f"round {number} is the last, which has no half-point byes; `--points 0` gives a bye "
            "without points"
        )
    if had >= most:
        raise LadderError(
            f"{name} has had {had} of at most {most} half-point byes (--half-byes); `--points 0` "
            "gives a bye without points"
        )


def forbid(ladder: Ladder, name: str, other: str, why: str) -> tuple[int, str]:
    """Forbid that two bots of a Swiss tournament meet.

    Return the first round, from 1, for which that holds, and why it has no pairing then, or an
    empty text. Raise `UnknownBotError` if a bot does not take part, and `LadderError` if it cannot
    be forbidden.
    """
    with _deciding(ladder) as state:
        if state.plan.kind is not Kind.SWISS:
            raise LadderError(
                f"the meetings of a {state.plan.kind} are fixed at the start: only a Swiss "
                "tournament forbids pairs later"
            )
        pair = state.entrant(name), state.entrant(other)
        if name == other:
            raise LadderError(f"name two bots: {name} never meets itself")
        if pair in state.now.field.apart.forbidden:
            raise LadderError(f"{name} and {other} may not meet already")
        if state.now.over or state.next_round > state.rounds_of_swiss:
            raise LadderError("no round follows: the last one has begun")
        after = state.decide(DirectiveKind.FORBID, why, version=pair[0], other=pair[1])
        names = {e: label for label, e in state.entrants().items()}
        return state.next_round, after.why_unpaired(names)


@dataclass(frozen=True, slots=True)
class Retracted:
    """A decision that was retracted."""

    kind: DirectiveKind
    others: str
    """The bots that it was about, apart from the one that was named; empty if none."""
    returns: int | None = None
    """From which round, from 1, the bot plays again, if a round was planned without it."""


def set_paused(ladder: Ladder, why: str | None, *, paused: bool) -> None:
    """Pause or resume the tournament; raise `LadderError` if it is already paused or not paused."""
    with _deciding(ladder) as state:
        if (directives.pause(state.tx) is not None) == paused:
            raise LadderError(f"the tournament is {'already paused' if paused else 'not paused'}")
        if paused and state.now.over:
            raise LadderError("the tournament is over: there is nothing to pause")
        state.decide(DirectiveKind.PAUSE if paused else DirectiveKind.RESUME, why)


def set_start(ladder: Ladder, at: datetime, why: str | None) -> int:
    """Let the next round begin at a time, UTC, and no earlier; return its number, from 1.

    Raise `LadderError` if no round is to come.
    """
    with _deciding(ladder) as state:
        number, is_swiss = state.next_round, state.plan.kind is Kind.SWISS
        if state.now.over or (is_swiss and number > state.rounds_of_swiss):
            raise LadderError("no round follows: the last one has begun")
        state.decide(DirectiveKind.START, why, number=number, starts_at=at.isoformat())
        return number


def annul(ladder: Ladder, match: MatchLine, why: str) -> None:
    """Annul a match; raise `LadderError` if that is impossible.

    Where bots are eliminated, it is impossible once the next round is planned, with those who went
    on.
    """
    if match.state is not MatchState.DONE:
        raise LadderError(f"match {match.match_id} is {match.state}, so there is nothing to annul")
    with _deciding(ladder) as state:
        if match.match_id in state.now.annulled:
            raise LadderError(f"match {match.match_id} has already been annulled")
        _check_open(state, match)
        state.decide(DirectiveKind.ANNUL, why, match_id=match.match_id)


def retract(ladder: Ladder, about: str, other: str | None, why: str) -> Retracted:
    """Retract the last decision about a bot or match, or about a pair, and return what it was.

    If a round was planned by it, a bot returns. A bye is taken back until its round is planned.
    Raise `UnknownBotError` if the other bot does not take part, and `LadderError` if there is
    nothing to retract, if it is too late for a bye, or if others have gone on by the decision.
    """
    with _deciding(ladder) as state:
        entrants = state.entrants()
        named = (about,) if other is None else (about, other)
        version = entrants.get(about) if other is None else state.entrant(about)
        match = _match_meant(ladder, about, entrants) if version is None else None
        match_id = None if match is None else match.match_id
        versions = () if version is None else [state.entrant(name) for name in named]
        if (last := last_about(in_force(state.plan, state.given), versions, match_id)) is None:
            raise LadderError(f"there is no decision about {' and '.join(named)} to take back")
        if last.kind is DirectiveKind.FORBID and state.plan.kind is not Kind.SWISS:
            raise LadderError(
                f"the meetings of a {state.plan.kind} are fixed at the start: only a Swiss "
                "tournament allows a forbidden pair later"
            )
        if last.kind in BYES:
            _check_to_come(state, last.round or 1)
        planned_by_it = last.after_round < state.last_round and last.kind not in BYES
        if match is not None and planned_by_it:
            _check_open(state, match)
        after = state.decide(
            DirectiveKind.RETRACT, why, last.version, last.match_id, other=last.other
        )
        others = {last.version, last.other} - {*versions}
        taken = Retracted(last.kind, ", ".join(n for n, e in entrants.items() if e in others))
        leaves = last.kind in (DirectiveKind.WITHDRAW, DirectiveKind.DISQUALIFY)
        if version is None or not leaves or version in after.gone or not planned_by_it:
            return taken
        if reason := why_out(state.plan, after, version):
            raise LadderError(f"{about} cannot return: {reason}")
        return replace(taken, returns=None if after.over else after.number + after.under_way)


def why_out(
    plan: tournament.TournamentPlan, now: tournament.TournamentProgress, entrant: int
) -> str:
    """Return why a returned bot has no place in a bracket; empty if it has one, or needs none.

    `now` is the tournament with its return.
    """
    results = [r for r in now.field.results if r.meeting.kind.eliminates]
    own = [r for r in results if entrant in r.meeting.entrants]
    lost = [r.meeting for r in own if ABSENT in r.forfeits_of(entrant)]
    begun = [r.meeting for r in results]
    missing: list[Meeting] = []
    if now.under_way:
        current = [m for m in (*now.pending, *now.walkovers) if m.kind.eliminates]
        missing = [m for m in current if entrant in now.absent & {*m.entrants}]
        lost += missing
        begun += current
    first = min((m.round for m in begun), default=None)
    if plan.kind is Kind.GROUPS and first in now.missed.get(entrant, ()):
        return "the knockout was drawn without it"
    form = plan.form()
    if isinstance(form, DoubleElimination):
        before = now.field.before(now.number - 1) if missing else now.field
        if form.eliminations(before, entrant) + bool(missing) < 2:  # noqa: PLR2004 - it plays on
            return ""
    if lost:
        return f"it lost its table of round {lost[-1].round + 1} by absence, and others went on"
    return ""


def _match_meant(ladder: Ladder, prefix: str, entrants: Iterable[str]) -> MatchLine:
    try:
        return queries.match(ladder, prefix)
    except UnknownMatchError as error:
        raise LadderError(
            f"{prefix!r} is not a bot of this tournament ({', '.join(entrants)}), and {error}"
        ) from error


def check_late(ladder: Ladder, name: str) -> None:
    """Raise `LadderError` unless a bot of this name may enter a tournament late."""
    with _deciding(ladder) as state:
        _check_late(state, name)


def enter_late(ladder: Ladder, version: Version) -> int:
    """Enter a validated version late; return how many rounds it missed."""
    with _deciding(ladder) as state:
        _check_late(state, version.bot)
        state.decide(DirectiveKind.ENTER, None, version=version.id)
        return state.next_round - 1


def _check_late(state: _State, name: str) -> None:
    known = bots.all_versions(state.tx)
    if name in {known[entrant].bot for entrant in state.now.field.entrants}:
        raise LadderError(
            f"{name} already takes part in this tournament, where bots cannot change; "
            f"`ladder withdraw {name}` withdraws it"
        )
    if state.plan.kind is not Kind.SWISS:
        raise LadderError(
            f"a {state.plan.kind} takes no late entrants: its meetings are fixed at the start; "
            "a Swiss tournament does"
        )
    rounds = state.rounds_of_swiss
    if state.now.over or state.next_round > rounds:
        raise LadderError(f"it is too late to enter: the last round, {rounds}, is planned")


def _begun(state: _State) -> list[Meeting]:
    """Return the meetings of all planned rounds."""
    under_way = state.now.pending if state.last_round > state.now.begun else []
    return [*state.now.blocks, *under_way]


def _check_open(state: _State, match: MatchLine) -> None:
    """Raise `LadderError` if a later round with other bots follows from the match."""
    played = _meeting_of(state, match)
    if played is not None and any(
        later.round > played.round and later.kind.eliminates for later in _begun(state)
    ):
        raise LadderError(
            f"match {match.match_id} stays: those who went on from its table already play in a "
            "later round; `ladder disqualify` and `ladder withdraw` affect that round"
        )


def _meeting_of(state: _State, match: MatchLine) -> Meeting | None:
    """Return the meeting of a match; None if its round is under way."""
    for meeting, own in state.now.blocks.items():
        for number, block in own:
            if any(match.match_id == one.match_id for one in state.rounds[number - 1][block]):
                return meeting
    return None
