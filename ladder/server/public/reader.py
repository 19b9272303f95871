"""Reads the public state of a ladder, and what its authors may see before it is public."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from ladder.model.bots import Version
from ladder.model.directives import Directive
from ladder.model.errors import LadderError, UnknownMatchError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.ratings import Tally
from ladder.model.settings import SURE, TOP, Settings
from ladder.results import strengths
from ladder.results.older import Older
from ladder.results.visibility import visible
from ladder.scheduling import contest
from ladder.scheduling.duel import summary as duel_summary
from ladder.scheduling.ladder.opponents import may_any_meet
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament import summary as tournament_summary
from ladder.scheduling.tournament.meeting_results import by_round_and_block
from ladder.server.public.curves import Looks, curves
from ladder.server.public.snapshot import About, Contest, Duel, Prospect, Snapshot
from ladder.storage import bots, directives, match_lines, matches, ratings, tokens
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder
from referee.core.errors import UsageError
from referee.games import game_named
from referee.hosting.manifest import load_manifest

_OPEN = (MatchState.PLANNED, MatchState.RUNNING)


class Source:
    """Reads one ladder, as often as it is asked."""

    def __init__(self, ladder: Ladder) -> None:
        """Read from a ladder, which must stay open."""
        self._ladder = ladder
        self._looks = Looks()
        self._about: dict[int, About] = {}
        self._over: list[MatchLine] = []
        """The matches of the first rounds that are over; they are not read again."""
        self._next = 0
        """The first round to read."""

    @property
    def ladder(self) -> Ladder:
        """The ladder itself."""
        return self._ladder

    def snapshot(self) -> Snapshot:
        """Return the public state now, as one transaction sees it."""
        ladder = self._ladder
        with ladder.database.read() as tx:
            settings = ladder.refresh(tx)
            found = strengths.read(tx, settings)
            known = bots.all_versions(tx)
            in_play = matches.deals_in_play(tx)
            every = self._lines(tx, known, in_play)
            looks = self._looks.through(tx, settings, self._next - 1)
            decided = directives.all_of(tx)
            shown = [version for version in known.values() if version.rejected is None]
            playing = [version for version in shown if version.active]
            here = [version for version in playing if not version.is_remote]
            may_meet, may_meet_here = (may_any_meet(tx, settings, v) for v in (playing, here))
            seen = [(line, visible(line, in_play)) for line in every]
            embargoed = [line for line, may in seen if may.embargoed]
            tallies = _tallies(tx, shown, embargoed, found.older)
        strengths.keep(ladder, found)
        record = found.rating
        waiting = [line for line in every if line.state in _OPEN]
        finished = [line for line, may in seen if may.result]
        return Snapshot(
            ladder_id=settings.ladder_id,
            game=settings.game,
            game_title=game_named(settings.game).title,
            title=ladder.title,
            seats=settings.seats,
            clock=settings.clock,
            rated_by=settings.rated_by,
            tallies=tallies,
            strengths=record.strengths,
            about={version.id: self._about_of(version) for version in shown},
            curves=curves(looks, finished, record.strengths),
            finished=finished,
            waiting=waiting,
            embargoed=len(embargoed),
            in_play=in_play,
            void=sum(line.state is MatchState.VOID for line in every),
            sizes=Counter(line.round for line in every),
            prospect=Prospect(settings.aim, TOP, record.chance, SURE, record.provisional),
            may_meet=may_meet,
            may_meet_here=may_meet_here,
            contest=self._contest(settings, known, every, decided),
        )

    def _lines(
        self, tx: Transaction, known: Mapping[int, Version], in_play: Collection[str]
    ) -> list[MatchLine]:
        """Return all matches in order; read only those of rounds that were not over.

        Read all of them again once the owner has voided a match of an older round.
        """
        lines = [*self._over, *match_lines.from_round(tx, known, self._next)]
        void = sum(line.state is MatchState.VOID for line in lines)
        if void != matches.count(tx, MatchState.VOID):
            self._looks, lines = Looks(), match_lines.from_round(tx, known, 0)
        first_open = min((line.round for line in lines if line.deal in in_play), default=None)
        self._next = first_open or (lines[-1].round + 1 if lines else 0)
        self._over = [line for line in lines if line.round < self._next]
        return lines

    def _contest(
        self,
        settings: Settings,
        known: Mapping[int, Version],
        every: Sequence[MatchLine],
        decided: Sequence[Directive],
    ) -> Contest | Duel | None:
        plan, seats = contest.of(settings, self._ladder.home), settings.seats
        if plan is None or (
            isinstance(plan, tournament.TournamentPlan) and plan.rules != tournament.RULES
        ):
            return None
        if not isinstance(plan, tournament.TournamentPlan):
            return Duel(duel_summary.summarize(plan, seats, known, every))
        rounds = by_round_and_block(every)
        show = tournament_summary.summarize(plan, seats, known, rounds, decided)
        return Contest(show, [*rounds, []][show.progress.begun])

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

    def author_of(self, token: str) -> str | None:
        """Return the author that a token belongs to; None if there is none."""
        return tokens.author_of(self._ladder, token)

    def bots_of(self, author: str) -> Sequence[str]:
        """Return the names of an author's bots, in order."""
        with self._ladder.database.read() as tx:
            return bots.of_author(tx, author)

    def embargoed_seats(self, author: str) -> list[tuple[MatchLine, int, str]]:
        """Return the author's seats in matches under embargo, the newest match first.

        Each is the match, the seat, and the bot that sat there.
        """
        with self._ladder.database.read() as tx:
            return list(_embargoed(tx, author))

    def embargoed_match(
        self, match_id: str, seat: int, author: str
    ) -> tuple[MatchLine, bytes] | None:
        """Return a match under embargo with its packed record, of which only the seat may be shown.

        None if there is no such match, or if the seat is not the author's.
        """
        with self._ladder.database.read() as tx:
            for line, own, _ in _embargoed(tx, author):
                if (line.match_id, own) == (match_id, seat):
                    packed = matches.record(tx, match_id)
                    return None if packed is None else (line, packed)
        return None

    def stamp(self) -> object:
        """Return a value that changes whenever the ladder's database does; costs next to nothing.

        If the database cannot be reached, the value equals no other.
        """
        try:
            return self._ladder.database.stamp()
        except LadderError:
            return object()

    def _about_of(self, version: Version) -> About:
        """Return what a version's manifest says of it; it never changes, so read it once."""
        if version.id not in self._about:
            try:
                manifest = load_manifest(self._ladder.home.bundle(version.digest))
            except UsageError:  # the files are lost; `ladder verify` says so
                self._about[version.id] = About()
            else:
                self._about[version.id] = About(manifest.language, manifest.description)
        return self._about[version.id]


def _tallies(
    tx: Transaction, shown: Sequence[Version], embargoed: Sequence[MatchLine], older: Older
) -> list[Tally]:
    """Return the tallies of versions without the matches under embargo."""
    if any(line.round <= older.through for line in embargoed):
        older = Older()  # it counts them
    deals = {line.deal for line in embargoed}
    return ratings.tallies(tx, shown, deals, older=older.tallies, through=older.through)


def _embargoed(tx: Transaction, author: str) -> Iterator[tuple[MatchLine, int, str]]:
    """Yield the author's seats in matches under embargo, the newest match first."""
    own, in_play = bots.of_author(tx, author), matches.deals_in_play(tx)
    for line in reversed(match_lines.done_in_play(tx, bots.all_versions(tx))):
        may = visible(line, in_play, own)
        if may.embargoed:
            for seat in may.own_seats:
                if version := line.seats[seat].version:
                    yield line, seat, version.bot
