"""Plays a season: round after round, sessions, submissions, matches.

Everything that happened is in the journal or on the ladder, so that a season that is interrupted or
killed goes on: with the sessions that have not ended, the bots that have not been submitted, and
the matches that have not been played. What a killed session had used counts in its budget. A season
with all its sessions in the journal runs none: so it is played again from its sealed folders.
"""

import shutil
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial

from ladder.model.bots import SubmissionOutcome
from ladder.model.errors import BundleError, LadderError, QuotaError
from ladder.model.settings import Deals, Scheduling
from ladder.scheduling.ladder.planner import LadderPlanner
from ladder.scheduling.planner import Planner
from ladder.season import workspace
from ladder.season.folder import Entry, Interrupted, SeasonFolder, Session, Submitted
from ladder.season.plan import SeasonPlan, read_plan
from ladder.season.session import SPARE_S, Turn, sandbox_of, seal, session
from ladder.season.workspace import Spent
from ladder.storage.files.bundles import store_bundle
from ladder.storage.ladder import Ladder, create
from ladder.storage.tables import matches
from ladder.submission.process import do_each, submit_each
from referee.core.clock import ClockConfig
from referee.core.errors import CourtyardError
from referee.hosting.build import Say
from referee.hosting.manifest import load_manifest

Play = Callable[[Ladder, Planner], object]
"""Plays what a planner plans; ends by an exception if it is interrupted."""


def begin(season: SeasonFolder, plan: SeasonPlan, secret: str) -> None:
    """Make the folder of a season; seal its bots and agents. Raise `UsageError`, `BundleError`."""
    manifests = plan.bots()
    agents = [plan.agent(planned) for planned in plan.entrants]
    season.sealed.bots.mkdir(parents=True, exist_ok=True)
    entries = [
        Entry(
            manifest.name,
            seal(manifest.directory, season.sealed),
            None if agent is None else store_bundle(agent, season.sealed),
        )
        for manifest, agent in zip(manifests, agents, strict=True)
    ]
    _create(season, plan, secret)
    season.begin(plan.text, entries)


def repeat(season: SeasonFolder, again: SeasonFolder) -> int:
    """Make a season of the sealed folders of another; return how many rounds can be played again.

    Raise `LadderError` if no round of the other is over.
    """
    plan = read_plan(season.plan)
    with Ladder.open(season.ladder) as ladder:
        secret = ladder.settings.secret
        rounds = rounds_played(ladder, plan)
    if not rounds:
        raise LadderError(f"{season.path}: no round of this season is over")
    lines = season.lines()
    shutil.copytree(season.sealed.bots, again.sealed.bots, symlinks=True)
    _create(again, plan, secret)
    again.begin(plan.text, [line for line in lines if isinstance(line, Entry)])
    for line in lines:
        if isinstance(line, Session) and line.round <= rounds:
            again.write(line)
    return rounds


def _create(season: SeasonFolder, plan: SeasonPlan, secret: str) -> None:
    create(
        season.ladder.path,
        game=plan.game,
        seats=plan.seats,
        config=plan.config,
        clock=ClockConfig(),
        secret=secret,
        scheduler=Scheduling.BALANCED,
        deals=Deals.INDEPENDENT,
        title=plan.title,
    )


def rounds_played(ladder: Ladder, plan: SeasonPlan) -> int:
    """Return how many rounds of a season are over."""
    with ladder.database.read() as tx:
        return matches.last_over(tx) // plan.deals


def run(season: SeasonFolder, ladder: Ladder, play: Play, say: Say, until: int) -> None:
    """Play a season until this round is over.

    `play` plays the matches that a planner plans, and ends by an exception if it is interrupted.
    Raise `LadderError` if the bot of an entrant may not play from the beginning, or if its command
    cannot be contained.
    """
    plan = read_plan(season.plan)
    running = _Season(season, plan, ladder, say)
    running.check_contained(until)
    for number in range(1, until + 1):
        running.edit(number)
        running.submit(number)
        with ladder.database.read() as tx:
            left = number * plan.deals - matches.last_round(tx)
            open_matches = matches.first_open(tx) is not None
        if left > 0 or open_matches:
            say(f"Round {number} of {plan.rounds} is played.")
            play(ladder, LadderPlanner(ladder, max(0, left)))


class _Season:
    """A season that is run, and its journal so far."""

    def __init__(self, season: SeasonFolder, plan: SeasonPlan, ladder: Ladder, say: Say) -> None:
        self._season = season
        self._plan = plan
        self._ladder = ladder
        self._say = say
        lines = season.lines()
        self._entries = [line for line in lines if isinstance(line, Entry)]
        self._sessions = {(s.round, s.bot): s for s in lines if isinstance(s, Session)}
        self._interrupted = [line for line in lines if isinstance(line, Interrupted)]
        for entry in self._entries:
            self._count_unended(entry.bot)
        self._submitted = {(s.round, s.bot): s for s in lines if isinstance(s, Submitted)}
        self._planned = {
            entry.bot: planned for entry, planned in zip(self._entries, plan.entrants, strict=True)
        }

    def _count_unended(self, bot: str) -> None:
        """Write what a session used that was killed with the season."""
        running = self._season.unended(bot)
        if running is not None and (running[0], bot) not in self._sessions:
            number, began, seconds = running
            spent = Spent()
            with suppress(BundleError):
                spent = workspace.spent(self._season.workspace(bot))
            used = Interrupted(number, bot, began, round(seconds, 3), spent.tokens, spent.cost)
            if began not in [one.began for one in self._interrupted if one.bot == bot]:
                self._season.write(used)
                self._interrupted.append(used)
        self._season.end_session(bot)

    def check_contained(self, until: int) -> None:
        """Raise `LadderError` if a command that is to run cannot be contained on this machine."""
        for bot, planned in self._planned.items():
            if planned.command and (until, bot) not in self._sessions:
                sandbox_of(self._ladder, planned, bot)

    def edit(self, number: int) -> None:
        """Run the sessions before a round that the journal lacks; the first round has none."""
        due = [entry for entry in self._entries if (number, entry.bot) not in self._sessions]
        turns = [turn for entry in due if (turn := self._turn(number, entry)) is not None]
        edited = {turn.before.bot for turn in turns}
        for entry in due:
            if entry.bot not in edited:
                self._keep(self._unchanged(number, entry))
        jobs = [partial(session, turn=turn) for turn in turns]
        seconds = self._plan.budget.seconds + SPARE_S
        with closing(do_each(self._ladder.home, jobs, seconds, self._say)) as done:
            for turn, outcome in zip(turns, done, strict=True):
                ended = self._ended(number, turn, outcome)
                if ended.problem:
                    self._say(f"Round {number}: {ended.bot}: {ended.problem}")
                self._keep(ended)

    def submit(self, number: int) -> None:
        """Submit the sealed folders that have not been since they changed."""
        due = [entry for entry in self._entries if (number, entry.bot) not in self._submitted]
        changed = list[Session]()
        for entry in due:
            own = self._sessions[number, entry.bot]
            before = self._submitted.get((number - 1, entry.bot))
            if before is not None and own.digest == self._sessions[number - 1, entry.bot].digest:
                self._enter(replace(before, round=number))
            elif why := self._obstacle(own):
                self._enter(self._rejected(own, why))
            else:
                changed.append(own)
        paths = [self._season.sealed.bundle(own.digest) for own in changed]
        authors = [own.bot for own in changed]
        submitted = submit_each(self._ladder, paths, self._say, authors)
        for own, (path, outcome) in zip(changed, submitted, strict=True):
            if isinstance(outcome, BundleError | QuotaError):
                self._enter(self._rejected(own, str(outcome).removeprefix(f"{path}: ")))
            elif isinstance(outcome, CourtyardError):  # this machine's, not the bot's
                raise outcome
            elif outcome.outcome is SubmissionOutcome.REJECTED:
                self._enter(self._rejected(own, outcome.version.rejected or ""))
            else:
                self._enter(Submitted(number, own.bot, outcome.version.number, ""))

    def _turn(self, number: int, entry: Entry) -> Turn | None:
        """Return what an entrant's command is told; None if none is to run."""
        planned, budget = self._planned[entry.bot], self._plan.budget
        if number == 1 or not planned.command:
            return None
        seconds, tokens, _ = self._used(number, entry.bot)
        budget = replace(budget, seconds=budget.seconds - seconds)
        if budget.seconds <= 0:
            return None
        if budget.tokens is not None:
            own = [s for s in self._sessions.values() if s.bot == entry.bot]
            left = budget.tokens - sum(one.tokens for one in own) - tokens
            if left <= 0:
                return None
            budget = replace(budget, tokens=left)
        return Turn(
            season=self._season,
            planned=planned,
            budget=budget,
            before=self._sessions[number - 1, entry.bot],
            agent=entry.agent,
            after=(number - 2) * self._plan.deals,
            about=self._submitted[number - 1, entry.bot].rejected,
        )

    def _ended(self, number: int, turn: Turn, outcome: Session | CourtyardError) -> Session:
        """Return a session, also one that took too long; raise what is this machine's fault."""
        if isinstance(outcome, BundleError):
            nothing = _nothing_done(number, turn.before.bot, turn.before.digest)
            return replace(nothing, seconds=turn.budget.seconds, problem=str(outcome))
        if isinstance(outcome, CourtyardError):
            raise outcome
        return outcome

    def _unchanged(self, number: int, entry: Entry) -> Session:
        before = self._sessions.get((number - 1, entry.bot))
        return _nothing_done(number, entry.bot, before.digest if before else entry.digest)

    def _obstacle(self, own: Session) -> str:
        """Return why a sealed folder cannot be submitted; empty if it can."""
        try:
            manifest = load_manifest(self._season.sealed.bundle(own.digest))
        except CourtyardError as error:
            return str(error).replace(f"{self._season.sealed.bundle(own.digest)}/", "")
        if manifest.name != own.bot:
            return f"its bot.toml names it {manifest.name}: it must stay {own.bot}"
        return "a remote bot cannot play a season" if manifest.is_remote else ""

    def _rejected(self, own: Session, why: str) -> Submitted:
        """Return that the version before plays on; raise `LadderError` if there is none."""
        before = self._submitted.get((own.round - 1, own.bot))
        if before is None:
            raise LadderError(f"{own.bot} may not play, so the season cannot begin: {why}")
        self._say(f"Round {own.round}: {own.bot} is rejected: {why}")
        return replace(before, round=own.round, rejected=why)

    def _used(self, number: int, bot: str) -> tuple[float, int, float]:
        """Return the seconds, tokens and cost of sessions that were interrupted before a round."""
        own = [one for one in self._interrupted if (one.round, one.bot) == (number, bot)]
        return (
            sum(one.seconds for one in own),
            sum(one.tokens for one in own),
            sum(one.cost for one in own),
        )

    def _keep(self, ended: Session) -> None:
        """Write that a session has ended, with all that was used for it."""
        seconds, tokens, cost = self._used(ended.round, ended.bot)
        ended = replace(
            ended,
            seconds=round(ended.seconds + seconds, 3),
            tokens=ended.tokens + tokens,
            cost=ended.cost + cost,
        )
        self._season.write(ended)
        self._season.end_session(ended.bot)
        self._sessions[ended.round, ended.bot] = ended

    def _enter(self, submitted: Submitted) -> None:
        self._season.write(submitted)
        self._submitted[submitted.round, submitted.bot] = submitted


def _nothing_done(number: int, bot: str, digest: str) -> Session:
    return Session(number, bot, digest, "", 0.0, 0, 0.0, 0, 0)
