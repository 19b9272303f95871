"""Where what the pages show comes from: the one place that knows the store."""

import math
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ladder.model.bots import Version
from ladder.model.directives import Directive
from ladder.model.errors import UnknownMatchError
from ladder.model.matches import MatchLine, MatchState
from ladder.model.ratings import Tally
from ladder.model.settings import SURE, TOP
from ladder.results.strengths import rating_of_record
from ladder.scheduling import contest
from ladder.scheduling.duel import summary as duel_summary
from ladder.scheduling.tournament import planner as tournament
from ladder.scheduling.tournament import summary as tournament_summary
from ladder.scheduling.tournament.meeting_results import by_round_and_block
from ladder.server.public.curves import Looks, curves
from ladder.server.public.snapshot import About, Contest, Duel, Prospect, Snapshot
from ladder.storage import bots, directives, match_lines, matches, tokens
from ladder.storage.database import Transaction
from ladder.storage.folder import Home
from ladder.storage.ladder import Ladder
from referee.core.errors import UsageError
from referee.games import game_named
from referee.hosting.manifest import load_manifest

_LONGEST_TICK_NS = 50_000_000
_OPEN = (MatchState.PLANNED, MatchState.RUNNING)


class Source:
    """Reads one ladder again and again."""

    def __init__(self, ladder: Ladder) -> None:
        """Read from a ladder that stays open."""
        self._ladder = ladder
        self._looks = Looks()
        self._about: dict[int, About] = {}
        self._over: list[MatchLine] = []
        """The matches of the first rounds, which are over: they do not change any more."""
        self._next = 0
        """The round that follows them."""

    @property
    def ladder(self) -> Ladder:
        """The ladder itself."""
        return self._ladder

    def snapshot(self) -> Snapshot:
        """Return the ladder's state now."""
        ladder = self._ladder
        record = rating_of_record(ladder)
        with ladder.database.read() as tx:
            settings = ladder.refresh(tx)
            known = bots.all_versions(tx)
            every = self._lines(tx, known)
            looks = self._looks.through(tx, settings, self._next - 1)
            decided = directives.all_of(tx)
        shown = [version for version in known.values() if version.rejected is None]
        waiting = [line for line in every if line.state in _OPEN]
        in_play = {line.deal for line in every if _may_change(line)}
        done = [line for line in every if line.state is MatchState.DONE]
        finished = [line for line in done if line.deal not in in_play]
        return Snapshot(
            ladder_id=settings.ladder_id,
            game=settings.game,
            game_title=game_named(settings.game).title,
            title=ladder.title,
            seats=settings.seats,
            clock=settings.clock,
            rated_by=settings.rated_by,
            tallies=_tallies(shown, finished),
            strengths=record.strengths,
            about={version.id: self._about_of(version) for version in shown},
            curves=curves(looks, finished, record.strengths),
            finished=finished,
            waiting=waiting,
            kept=len(done) - len(finished),
            void=sum(line.state is MatchState.VOID for line in every),
            sizes=Counter(line.round for line in every),
            prospect=Prospect(settings.aim, TOP, record.chance, SURE, record.provisional),
            contest=self._contest(known, every, decided),
        )

    def _lines(self, tx: Transaction, known: Mapping[int, Version]) -> list[MatchLine]:
        """Return all matches in order; those of rounds that were over are not read again."""
        lines = [*self._over, *match_lines.from_round(tx, known, self._next)]
        first_open = min((line.round for line in lines if _may_change(line)), default=None)
        self._next = first_open or (lines[-1].round + 1 if lines else 0)
        self._over = [line for line in lines if line.round < self._next]
        return lines

    def _contest(
        self,
        known: Mapping[int, Version],
        every: Sequence[MatchLine],
        decided: Sequence[Directive],
    ) -> Contest | Duel | None:
        plan, seats = contest.read(self._ladder), self._ladder.settings.seats
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
        """Return the packed records of matches; raise `UnknownMatchError` if one is not public.

        Asked of the store again: whoever holds an old state learns no more than that was allowed.
        """
        with self._ladder.database.read() as tx:
            found = matches.public_records(tx, [line.match_id for line in lines])
        for line in lines:
            if line.match_id not in found:
                raise UnknownMatchError(f"match {line.match_id} is not public")
        return [found[line.match_id] for line in lines]

    def author_of(self, token: str) -> str | None:
        """Return the author who is known by a token; None if nobody is."""
        return tokens.author_of(self._ladder, token)

    def bots_of(self, author: str) -> Sequence[str]:
        """Return the names of an author's bots, in order."""
        with self._ladder.database.read() as tx:
            return bots.of_author(tx, author)

    def kept_seats(self, author: str) -> list[tuple[MatchLine, int, str]]:
        """Return the author's seats of matches that are over but not public, the newest first.

        Each is the match, the seat, and the bot that sat there.
        """
        with self._ladder.database.read() as tx:
            known, own = bots.all_versions(tx), set(bots.of_author(tx, author))
            kept = match_lines.kept(tx, known)
        return [
            (line, seat, taken.version.bot)
            for line in reversed(kept)
            for seat, taken in enumerate(line.seats)
            if taken.version and taken.version.bot in own
        ]

    def kept_match(self, match_id: str, seat: int, author: str) -> tuple[MatchLine, bytes] | None:
        """Return a match that is over but not public, with its packed record, which is secret.

        None if there is no such match, or if the seat is not the author's.
        """
        found = [
            line
            for line, own, _ in self.kept_seats(author)
            if (line.match_id, own) == (match_id, seat)
        ]
        if not found:
            return None
        with self._ladder.database.read() as tx:
            packed = matches.record(tx, match_id)
        return None if packed is None else (found[0], packed)

    def stamp(self) -> object:
        """Return what changes whenever the ladder's database does; costs next to nothing.

        Files have the time of the clock's last tick. One that has changed just now may change again
        and show the same, so its stamp is like no other.
        """
        found = [_stamp_of(self._ladder.home, suffix) for suffix in ("", "-wal")]
        just_now = time.time_ns() - _LONGEST_TICK_NS
        changing = any(each is not None and each[0] > just_now for each in found)
        return (found, object()) if changing else found

    def _about_of(self, version: Version) -> About:
        """Return what a version's manifest says; it never changes, so it is read once."""
        if version.id not in self._about:
            try:
                manifest = load_manifest(self._ladder.home.bundle(version.digest))
            except UsageError:  # the files are lost; `ladder verify` says so
                self._about[version.id] = About()
            else:
                self._about[version.id] = About(manifest.language, manifest.description)
        return self._about[version.id]


def _tallies(versions: Iterable[Version], finished: Iterable[MatchLine]) -> list[Tally]:
    """Return what the public matches add up to; the store's own sums know of the others too."""
    played, points, forfeits = Counter[int](), Counter[int](), Counter[int]()
    won: dict[int, list[float]] = {}
    for line in finished:
        winners = sum(seat.result.rank == 1 for seat in line.seats if seat.result)
        for seat in line.seats:
            if seat.version and seat.result:
                played[seat.version.id] += 1
                points[seat.version.id] += seat.result.points
                forfeits[seat.version.id] += seat.result.forfeit is not None
                if seat.result.rank == 1:
                    won.setdefault(seat.version.id, []).append(1 / winners)
    return [
        Tally(
            version=version,
            matches=played[version.id],
            wins=math.fsum(won.get(version.id, [])),
            points=points[version.id],
            forfeits=forfeits[version.id],
        )
        for version in versions
    ]


def _may_change(line: MatchLine) -> bool:
    """Tell whether a match has still to be played, now or when the ladder is run again."""
    return line.state in _OPEN or line.postponed


def _stamp_of(home: Home, suffix: str) -> tuple[int, int] | None:
    file = home.database.with_name(home.database.name + suffix)
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
