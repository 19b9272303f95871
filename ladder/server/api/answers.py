"""An author's view of a ladder, question by question, and changes of the own bots.

`ladder.results.visibility` decides what an author may see of a match. All of it waits for the
database: call it in a thread.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ladder.model import moments
from ladder.model.bots import Submission, Version
from ladder.model.errors import DealInPlayError, UnknownBotError, UnknownMatchError
from ladder.model.matches import MatchLine
from ladder.results import author_log, incidents, queries
from ladder.results.visibility import Visible, visible
from ladder.server.api import encode, schemas
from ladder.server.api.context import Served
from ladder.server.api.feed import PublicState
from ladder.server.api.spar_answers import SparAnswers
from ladder.server.api.status import ApiRefusal, invalid
from ladder.server.public.snapshot import Contest
from ladder.server.public.tournament_lines import TournamentLine, tournament_lines
from ladder.storage.files.archive import LARGEST_ARCHIVE_BYTES
from ladder.storage.files.bundles import LARGEST_BYTES, MOST_FILES
from ladder.storage.sweep import sweep
from ladder.storage.tables import bots, matches, spars
from ladder.storage.tables.match_lines import Wanted
from ladder.storage.tables.records import unpack
from ladder.submission import spars as asking
from referee.core.plain import plain
from referee.match.record import Record, record_to_json
from referee.view.frames import film_of_record, view


class Answers:
    """Answers one author of a ladder, by its newest public state."""

    def __init__(self, served: Served, state: PublicState, author: str) -> None:
        """Read from a ladder, and from a public state what is public anyhow."""
        self._served, self._ladder = served, served.ladder
        self._state = state
        self._author = author
        self.sparring = SparAnswers(served.ladder, author)

    def ladder(self) -> schemas.Ladder:
        """Return what the ladder is."""
        settings = self._ladder.settings
        clock = settings.clock
        return schemas.Ladder(
            ladder_id=settings.ladder_id,
            title=self._ladder.title,
            game=settings.game,
            seats=settings.seats,
            clock=schemas.Clock(
                startup_ms=clock.startup_ms,
                decision_limit_ms=clock.decision_limit_ms,
                bank_ms=clock.bank_ms,
                increment_ms=clock.increment_ms,
            ),
            author=self._author,
            takes_submissions=self._served.obstacle is None,
            largest_archive_bytes=LARGEST_ARCHIVE_BYTES,
            largest_bundle_bytes=LARGEST_BYTES,
            most_files=MOST_FILES,
            spar_matches_a_day=settings.spar_matches_a_day,
            spar_matches_left=self._spar_matches_left(),
        )

    def versions(self, bot: str | None) -> list[schemas.Version]:
        """Return the versions of one bot, or of all."""
        own = self._own()
        found = queries.versions(self._ladder, bot) if bot else queries.all_versions(self._ladder)
        shown = (each for each in found if each.rejected is None or each.bot in own)
        return [self._version(each, own) for each in shown]

    def bot(self, name: str) -> schemas.Bot:
        """Return a bot."""
        own, versions = self._own(), self.versions(name)
        ranks = {row.bot: row.rank for row in self._state.standings.standings}
        newest = next((each for each in reversed(versions) if each.active), None)
        described = newest or (versions[-1] if versions else None)
        return schemas.Bot(
            name=name,
            own=name in own,
            active=newest is not None,
            description=described.description if described else "",
            rank=ranks.get(name) if newest else None,
            versions=versions,
            open_to_spars=name in self._open_to_spars,
        )

    def own_bots(self) -> list[schemas.Bot]:
        """Return the author's bots, in order."""
        return [self.bot(name) for name in self._own()]

    @property
    def game(self) -> str:
        """The name of the ladder's game."""
        return self._ladder.settings.game

    def newest_files(self, name: str) -> Path | None:
        """Return the folder of the newest version of the author's bot; None if there is none."""
        if name not in self._own():
            return None
        return self._ladder.home.bundle(queries.versions(self._ladder, name)[-1].digest)

    def change(self, name: str, changed: schemas.BotChange) -> schemas.Bot:
        """Retire the author's bot or let it play again, or change its description."""
        self._check_own(name, "change it")
        description = changed.description
        if description is not None and plain(description) != description:
            raise invalid("BAD_REQUEST", "a description is one line of printable characters")
        if changed.active is not None and self._ladder.settings.contest is not None:
            raise ApiRefusal(
                "IN_A_CONTEST",
                "this ladder plays a tournament or duel: ask its director to withdraw a bot",
            )
        with self._ladder.database.write() as tx:
            if description is not None:
                bots.describe(tx, name, description or None)
            if changed.open_to_spars is not None:
                spars.let(tx, name, is_open=changed.open_to_spars)
                vars(self).pop("_open_to_spars", None)
            if changed.active is False:
                bots.retire(tx, name)
            elif changed.active and not any(each.active for each in bots.of_bot(tx, name)):
                fit = [each for each in bots.of_bot(tx, name) if each.rejected is None]
                if not fit:
                    raise ApiRefusal("NOT_FIT", f"no version of {name} was accepted: submit one")
                bots.resume(tx, name, fit[-1].digest)
        sweep(self._ladder)
        return self.bot(name)

    def matches(self, bot: str | None, limit: int) -> list[schemas.Match]:
        """Return the last matches that are public."""
        snapshot = self._state.snapshot
        if bot:
            queries.versions(self._ladder, bot)
        own = self._own()
        lines = snapshot.finished.latest(limit, Wanted(bot or ""))
        return [encode.match(line, visible(line, snapshot.in_play, own)) for line in lines]

    def played(self, bot: str, limit: int) -> list[schemas.Match]:
        """Return the last matches of the author's bot, public or not, the newest first."""
        self._check_own(bot, "see all its matches")
        lines, own = queries.latest(self._ladder, limit, bot), self._own()
        with self._ladder.database.read() as tx:
            in_play = matches.deals_in_play(tx)
        return [encode.match(line, visible(line, in_play, own)) for line in lines]

    def match(self, match_id: str) -> schemas.Match:
        """Return a match that is public, to be played, or the author's."""
        line, may = self._seen(match_id)
        if may.embargoed and not may.own_seats:
            raise _in_play(line, may)
        return encode.match(line, may)

    def record(self, match_id: str) -> str:
        """Return the record of a match that is public, as JSON."""
        return record_to_json(self._record(*self._seen(match_id)))

    def replay(self, match_id: str, seat: int | None) -> str:
        """Return what to show of a match: as the author's seat, or of a public one as anybody."""
        line, may = self._seen(match_id)
        if seat is not None and seat >= len(line.seats):
            raise invalid("BAD_REQUEST", f"there is no seat {seat} in this match")
        return json.dumps(view(film_of_record(self._record(line, may, seat)), seat))

    def seat(self, match_id: str, seat: int) -> tuple[MatchLine, Record]:
        """Return a match with its record, of which only the view of the author's seat is shown.

        Raise `UnknownMatchError` unless the seat is the author's and the match is over.
        """
        line, may = self._seen(match_id)
        if seat not in may.own_seats or not line.state.has_result:
            raise UnknownMatchError(f"seat {seat} of match {match_id} is not yours to see")
        return line, self._record(line, may, seat)

    def logs(self, bot: str, limit: int) -> list[schemas.Log]:
        """Return how the author's bot fared in its last matches, the newest first."""
        self._check_own(bot, "read its logs")
        return [
            encode.log(
                encode.match(*self._seen(line.match_id)),
                author_log.seat_log(self._ladder, line, bot),
                happened,
                whole=False,
            )
            for line, happened in incidents.of_bot(self._ladder, bot, limit)
        ]

    def log(self, bot: str, match_id: str) -> schemas.Log:
        """Return how the author's bot fared in a match."""
        self._check_own(bot, "read its logs")
        line, may = self._seen(match_id)
        return encode.log(
            encode.match(line, may),
            author_log.seat_log(self._ladder, line, bot),
            incidents.for_author(self._ladder, line),
            whole=True,
        )

    def validation(self, bot: str, number: int) -> schemas.Validation:
        """Return the outcome of building and validating a version of the author's."""
        version = self._own_version(bot, number)
        validation = queries.validation(self._ladder, version)
        shown = self._version(version, [bot])
        if validation is None:
            return schemas.Validation(version=shown)
        return schemas.Validation(
            version=shown,
            tried_at=validation.tried_at,
            build_log=validation.build_log,
            printed=validation.printed,
            has_record=validation.record is not None,
        )

    def validation_record(self, bot: str, number: int) -> str:
        """Return the record of a validation match, as JSON."""
        version = self._own_version(bot, number)
        validation = queries.validation(self._ladder, version)
        if validation is None or validation.record is None:
            raise UnknownMatchError(f"{version} has played no validation match")
        return record_to_json(unpack(validation.record))

    def opponents(self) -> list[str]:
        """Return the names of the bots with which the author's may spar."""
        with self._ladder.database.read() as tx:
            return asking.opponents_of(tx, self._author)

    def _spar_matches_left(self) -> int:
        with self._ladder.database.read() as tx:
            left = asking.left_today(tx, self._ladder, self._author, moments.now())
        return left or 0

    def tournaments(self) -> list[TournamentLine]:
        """Return the tournaments that the ladder's pages list, the newest first."""
        below = self._served.following.tournaments.shown()
        return tournament_lines({name: each.newest for name, each in below.items()})

    def tournament(self, name: str | None = None) -> str:
        """Return one of these, or the one that the ladder itself is played for.

        It is JSON as docs/tournament.schema.json describes it.
        """
        snapshot = self._state.snapshot
        if name is not None:
            below = self._served.following.tournaments.shown()
            if name not in below:
                raise ApiRefusal("NO_TOURNAMENT", f"this ladder lists no tournament {name!r}")
            snapshot = below[name].newest
        contest = snapshot.contest
        if not isinstance(contest, Contest):
            raise ApiRefusal("NO_TOURNAMENT", "no tournament is played on this ladder")
        return contest.shown.to_json(contest.shown.title(snapshot.game_title), snapshot.game)

    def submitted(self, done: Submission) -> dict[str, Any]:
        """Return what a submission did, as fields of `schemas.Submission`."""
        return {
            "outcome": done.outcome,
            "version": self._version(done.version, [done.version.bot]),
            "replaced": done.replaced.number if done.replaced else None,
            "was_retired": done.was_retired,
        }

    def _version(self, version: Version, own: Collection[str]) -> schemas.Version:
        about = self._served.source.about(version, self._descriptions)
        return encode.version(version, about, own=version.bot in own)

    @cached_property
    def _descriptions(self) -> Mapping[str, str]:
        """The descriptions that authors gave their bots after submitting them."""
        with self._ladder.database.read() as tx:
            return bots.descriptions(tx)

    @cached_property
    def _open_to_spars(self) -> Collection[str]:
        with self._ladder.database.read() as tx:
            return spars.open_bots(tx)

    def _own(self) -> Sequence[str]:
        with self._ladder.database.read() as tx:
            return bots.of_author(tx, self._author)

    def _check_own(self, bot: str, what: str) -> None:
        """Raise `ApiRefusal` unless a bot is the author's, and if there is none of that name."""
        if bot not in self._own():
            queries.versions(self._ladder, bot)
            raise ApiRefusal(
                "NOT_YOUR_BOT", f"the bot {bot!r} is another author's; only they {what}"
            )

    def _own_version(self, bot: str, number: int) -> Version:
        self._check_own(bot, "read its logs")
        versions = queries.versions(self._ladder, bot)
        if not 0 < number <= len(versions):
            raise UnknownBotError(
                f"{bot} has no version {number}: its versions are 1 to {len(versions)}"
            )
        return versions[number - 1]

    def _seen(self, match_id: str) -> tuple[MatchLine, Visible]:
        """Return a match and what its author may see of it."""
        with self._ladder.database.read() as tx:
            line, own = queries.match_in(tx, match_id), bots.of_author(tx, self._author)
            return line, visible(line, matches.deals_in_play(tx), own)

    def _record(self, line: MatchLine, may: Visible, seat: int | None = None) -> Record:
        """Return the record to show a seat's view of, or all; raise if that is not allowed."""
        if line.decisions is not None and not may.replay(seat):
            raise _in_play(line, may)
        return queries.record(self._ladder, line)


def _in_play(line: MatchLine, may: Visible) -> DealInPlayError:
    own = ", ".join(map(str, may.own_seats))
    what_else = f"; your seats, till then: {own}" if own else ""
    return DealInPlayError(
        f"match {line.match_id} is kept secret until its deal is played on all seats{what_else}"
    )
