"""Remembers how far a ladder's matches were checked, so that the check can go on there.

The memory is with the user, not in the ladder's folder: the maker of that folder cannot claim that
it was checked. It holds a digest of all that the checks of these matches read. To go on, the digest
is made again, which takes a hundredth of the checks' time; if it differs, all is checked anew.
"""

import hashlib
from dataclasses import asdict, dataclass

from ladder.model.matches import MatchLine
from ladder.storage.files import user_files
from ladder.storage.ladder import Ladder
from referee.games import game_named
from referee.match.record import REFEREE_VERSION

_KIND = "verified"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The first matches of a ladder, as far as they were checked."""

    matches: int
    problems: int
    """How many were found in them."""
    digest: str
    """Of all that was checked; see `Seal`."""


class Seal:
    """The digest of a ladder's first matches, with their records, and of what checks them."""

    def __init__(self, ladder: Ladder) -> None:
        """Begin without matches."""
        of = ladder.settings
        given = (of.ladder_id, of.secret, of.game, of.seats, of.clock, of.contest)
        checks = (REFEREE_VERSION, game_named(of.game).rules_version)
        self._digest = hashlib.sha256(repr((checks, given)).encode())
        self.matches = 0

    def add(self, match: MatchLine, record: bytes | None) -> None:
        """Add the next match."""
        seats = [
            (seat.version and (seat.version.id, seat.version.bot, seat.version.digest), seat.result)
            for seat in match.seats
        ]
        place = (match.match_id, match.round, match.index, match.deal, match.attempts)
        facts = repr(
            (
                place,
                match.rules_version,
                match.decisions,
                match.finished_at,
                seats,
                record and len(record),
            )
        )
        self._digest.update(facts.encode(errors="surrogatepass") + (record or b""))
        self.matches += 1

    def checkpoint(self, problems: int) -> Checkpoint:
        """Return the checkpoint after these matches."""
        return Checkpoint(self.matches, problems, self._digest.hexdigest())


def read(ladder: Ladder) -> Checkpoint | None:
    """Return how far a ladder was checked; None if nothing is remembered."""
    try:
        found = Checkpoint(**user_files.remembered(_KIND, ladder.remembered_as))
    except TypeError:
        return None
    fits = [type(value) for value in asdict(found).values()] == [int, int, str]
    return found if fits else None


def remember(ladder: Ladder, point: Checkpoint) -> bool:
    """Remember how far a ladder was checked; return whether this user has a place for it."""
    return user_files.remember(_KIND, ladder.remembered_as, asdict(point))


def forget(ladder: Ladder) -> None:
    """Forget how far a ladder was checked."""
    user_files.forget(_KIND, ladder.remembered_as)
