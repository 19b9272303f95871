"""Reads the public state of a ladder, and what its authors may see before it is public."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ladder.model.bots import Version
from ladder.model.errors import LadderError, UnknownMatchError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.settings import SURE, TOP, Settings
from ladder.results import incidents, queries, strengths
from ladder.results.older import chunk_ends
from ladder.results.visibility import visible
from ladder.scheduling import contest
from ladder.scheduling.duel import summary as duel_summary
from ladder.scheduling.ladder.opponents import may_any_meet
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament import summary as tournament_summary
from ladder.scheduling.tournament.meeting_results import by_round_and_block
from ladder.server.public.curves import Looks, curves, look_before
from ladder.server.public.matches import AT_HAND, PublicMatches, PublicRounds, StateRead
from ladder.server.public.report import PublicReport
from ladder.server.public.snapshot import About, Contest, Duel, Prospect, Snapshot
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, directives, match_lines, matches, rules
from ladder.storage.tables import strengths as kept
from ladder.storage.tables.matches import RoundSpan
from referee.core.errors import UsageError
from referee.games import game_named
from referee.hosting.manifest import load_manifest


class RatingBasis(NamedTuple):
    """What ratings follow from, beside results."""

    founders: set[int]
    """Version ids."""
    uncounted: set[str]
    """The ids of the matches done that count in no rating."""
    chunks: tuple[int, ...]
    """The last rounds of the chunks that are condensed."""


class PublicReader:
    """Reads one ladder, as often as it is asked."""

    def __init__(self, ladder: Ladder) -> None:
        """Read from a ladder, which must stay open."""
        self._ladder = ladder
        self.report = PublicReport(ladder)
        self._looks = Looks(ladder)
        self._about: dict[int, About] = {}
        self._past = PublicRounds()
        self._before: StateRead | None = None
        """When the last snapshot was read."""
        self._over: list[MatchLine] = []
        """The matches of a contest's first rounds that are over; they are not read again."""
        self._next = 0
        """The first round of a contest to read."""

    @property
    def ladder(self) -> Ladder:
        """The ladder itself."""
        return self._ladder

    @property
    def behind(self) -> bool:
        """Whether the curves of the last snapshot lack looks that another snapshot will have."""
        return self._looks.behind

    def snapshot(self, patience_s: float = math.inf) -> Snapshot:
        """Return the public state now, as one transaction sees it.

        Once it took longer than `patience_s` to work out past ratings, leave the rest of them to
        the next snapshot.
        """
        ladder = self._ladder
        with ladder.database.read() as tx:
            settings = ladder.refresh(tx)
            found = strengths.read(tx, settings)
            known = bots.all_versions(tx)
            now = StateRead(matches.last_place(tx), matches.deals_in_play(tx))
            waiting = match_lines.waiting(tx, known)
            embargoed = queries.embargoed(tx, known, now.in_play)
            deals = {line.deal for line in embargoed}
            generation, first_open = kept.generation(tx), matches.first_open(tx)
            spans = self._past.read(tx, generation, first_open, deals)
            finished = self._finished(tx, known, now, spans, embargoed)
            first = matches.first_in_play(tx)
            over = (matches.last_round(tx) + 1 if first is None else first) - 1
            looks = self._looks.through(tx, settings, over, patience_s)
            shown = [version for version in known.values() if version.rejected is None]
            playing = [version for version in shown if version.active]
            here = [version for version in playing if not version.is_remote]
            may_meet, may_meet_here = (may_any_meet(tx, settings, v) for v in (playing, here))
            tallies = queries.public_tallies(tx, shown, embargoed, found.older)
            fresh = self._fresh(tx, known, now)
            number = max([line.round for line in (*finished[-1:], *waiting[:1])], default=0)
            round_size = matches.planned_in(tx, number)
            contest = self._contest(tx, settings, known, now.in_play)
            descriptions, authors = bots.descriptions(tx), bots.authors(tx)
            played_by = rules.played(tx)
        strengths.keep(ladder, found)
        self._before = now
        record = found.rating
        return Snapshot(
            ladder_id=settings.ladder_id,
            game=settings.game,
            game_title=game_named(settings.game).title,
            title=ladder.title,
            seats=settings.seats,
            clock=settings.clock,
            rated_by=settings.rated_by,
            tallies=tallies,
            rules=played_by,
            strengths=record.strengths,
            about={version.id: self.about(version, descriptions) for version in shown},
            authors=authors,
            past=look_before(looks, over),
            curves=curves(looks, tallies, record.strengths),
            finished=finished,
            fresh=fresh,
            waiting=waiting,
            embargoed=len(embargoed),
            in_play=now.in_play,
            void=sum(span.void for span in spans),
            round=number,
            round_size=round_size,
            updated_at=max(filter(None, (span.finished_at for span in spans)), default=None),
            prospect=Prospect(settings.aim, TOP, record.chance, SURE, record.provisional),
            may_meet=may_meet,
            may_meet_here=may_meet_here,
            contest=contest,
        )

    def _finished(
        self,
        tx: Transaction,
        known: Mapping[int, Version],
        now: StateRead,
        spans: Sequence[RoundSpan],
        embargoed: Sequence[MatchLine],
    ) -> PublicMatches:
        """Return the public matches."""
        last = match_lines.newest(tx, known, AT_HAND + len(embargoed))
        newest = [line for line in last if visible(line, now.in_play).result]
        return PublicMatches(self._ladder.database, now, spans, embargoed, newest)

    def _fresh(
        self, tx: Transaction, known: Mapping[int, Version], now: StateRead
    ) -> list[MatchLine]:
        """Return the matches that have become public since the last snapshot, in order."""
        before = self._before
        if before is None:
            return []
        lines = match_lines.done_since(tx, known, before.in_play - now.in_play, before.last)
        return [line for line in lines if visible(line, now.in_play).result]

    def _lines(
        self, tx: Transaction, known: Mapping[int, Version], in_play: Collection[str]
    ) -> list[MatchLine]:
        """Return all matches in order; read only those of rounds that were not over.

        Read all of them again once the owner has voided a match of an older round.
        """
        lines = [*self._over, *match_lines.from_round(tx, known, self._next)]
        void = sum(line.state is MatchState.VOID for line in lines)
        if void != matches.count(tx, MatchState.VOID):
            lines = match_lines.from_round(tx, known, 0)
        first_open = min((line.round for line in lines if line.deal in in_play), default=None)
        self._next = first_open or (lines[-1].round + 1 if lines else 0)
        self._over = [line for line in lines if line.round < self._next]
        return lines

    def _contest(
        self,
        tx: Transaction,
        settings: Settings,
        known: Mapping[int, Version],
        in_play: Collection[str],
    ) -> Contest | Duel | None:
        plan, seats = contest.of(settings, self._ladder.home), settings.seats
        if plan is None or (
            isinstance(plan, tournament.TournamentPlan) and plan.rules != tournament.RULES
        ):
            return None
        every = self._lines(tx, known, in_play)
        if not isinstance(plan, tournament.TournamentPlan):
            return Duel(duel_summary.summarize(plan, seats, known, every))
        blocks = by_round_and_block(every)
        given, begun = directives.all_of(tx), directives.rounds_begun(tx)
        show = tournament_summary.summarize(plan, seats, known, blocks, given, begun)
        return Contest(show, [*blocks, []][show.progress.begun], incidents.public(tx, given))

    def records(self, lines: Sequence[MatchLine]) -> list[bytes]:
        """Return the packed records of matches; raise `UnknownMatchError` if one is not public."""
        with self._ladder.database.read() as tx:
            in_play = matches.deals_in_play(tx)
            shown = [line.match_id for line in lines if visible(line, in_play).record]
            found = matches.records_of(tx, shown)
        for line in lines:
            if line.match_id not in found:
                raise UnknownMatchError(f"match {line.match_id} is not public")
        return [found[line.match_id] for line in lines]

    def basis(self) -> RatingBasis:
        """Return what ratings follow from, beside results."""
        with self._ladder.database.read() as tx:
            ends, _ = chunk_ends(matches.sizes(tx, 0, matches.last_over(tx)))
            return RatingBasis(matches.founders(tx), matches.uncounted(tx), tuple(ends))

    def stamp(self) -> object:
        """Return a value that changes whenever the ladder's database does; costs next to nothing.

        If the database cannot be reached, the value equals no other.
        """
        try:
            return self._ladder.database.stamp()
        except LadderError:
            return object()

    def about(self, version: Version, descriptions: Mapping[str, str]) -> About:
        """Return a version's language and description; `descriptions` are later ones, by bot.

        A manifest never changes, so it is read once.
        """
        if version.id not in self._about:
            try:
                manifest = load_manifest(self._ladder.home.bundle(version.digest))
            except UsageError:  # the files are lost; `ladder verify` reports that
                self._about[version.id] = About()
            else:
                self._about[version.id] = About(manifest.language, manifest.description)
        found = self._about[version.id]
        later = descriptions.get(version.bot)
        return found if later is None else replace(found, description=later)
