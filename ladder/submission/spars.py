"""Asks for spars: unrated matches of an author's bot against named opponents."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from ladder.model import ids, moments
from ladder.model.bots import Version
from ladder.model.errors import LadderError, NotOwnerError, SparBudgetError, SparError
from ladder.model.ids import ID_DIGITS
from ladder.model.spars import MOST_MATCHES, Spar, tables
from ladder.storage.db.database import Transaction
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, spars
from ladder.submission import disk_quota


def ask(
    ladder: Ladder, author: str | None, bot: str, opponents: Sequence[str], matches: int
) -> Spar:
    """Store that an author's bot is to play unrated matches; None is the ladder's owner.

    Raise `SparError` if these bots cannot play them, `NotOwnerError` for another author's bot,
    `UnknownBotError`, `QuotaError`, and `SparBudgetError` if the author has had today's matches.
    """
    if ladder.settings.contest is not None:
        raise SparError("this ladder plays a tournament or duel: spar on a standing ladder")
    _check_words(bot, opponents, matches, ladder.settings.seats)
    now = moments.now()
    if author is not None:
        with ladder.database.read() as tx:
            quota = disk_quota.Quota(ladder.refresh(tx).author_disk_mib)
            used = disk_quota.of_author(tx, ladder.home, author)
        quota.check(author, used, "already uses")
    with ladder.home.files_stay(), ladder.database.write() as tx:
        if author is not None and bots.author(tx, bot) != author:
            bots.known(tx, bot)
            raise NotOwnerError(f"the bot {bot!r} is another author's: spar with one of your own")
        challenger = _playing(tx, bot)
        others = [_opponent(tx, name, author) for name in opponents]
        left = left_today(tx, ladder, author, now)
        if left is not None and matches > left:
            raise _exceeded(ladder.settings.spar_matches_a_day, left, now)
        spar = spars.add(tx, author, challenger)
        seated = tables(challenger.id, [v.id for v in others], matches, ladder.settings.seats)
        secret = ladder.settings.secret
        planned = {ids.spar_match_id(secret, spar, n): table for n, table in enumerate(seated)}
        spars.add_matches(tx, spar, planned)
        found = spars.numbered(tx, spar)
    if found is None:
        raise SparError(f"spar {spar} is gone")
    return found


def change(
    ladder: Ladder, spar: Spar, *, shared: bool | None = None, withdrawn: bool | None = None
) -> None:
    """Share a spar's results by an unguessable link, or no longer; withdraw what waits."""
    with ladder.database.write() as tx:
        if shared is False or (shared and spar.shared_as is None):
            spars.share(tx, spar.id, secrets.token_hex(ID_DIGITS // 2) if shared else None)
        if withdrawn:
            spars.withdraw(tx, spar.id)


def left_today(tx: Transaction, ladder: Ladder, author: str | None, now: datetime) -> int | None:
    """Return how many more matches an author may ask for today, in UTC; None: any number."""
    if author is None:
        return None
    asked = spars.asked_since(tx, author, _today(now).isoformat())
    return max(0, ladder.settings.spar_matches_a_day - asked)


def opponents_of(tx: Transaction, author: str | None) -> list[str]:
    """Return the names of the bots with which an author may let a bot spar, in order."""
    authors, is_open = bots.authors(tx), spars.open_bots(tx)
    return sorted(
        version.bot
        for version in bots.active(tx)
        if not _obstacle(version, author, authors, is_open)
    )


def _check_words(bot: str, opponents: Sequence[str], matches: int, seats: int) -> None:
    if not opponents:
        raise SparError("name at least one opponent")
    if bot in opponents:
        raise SparError(f"{bot} cannot be its own opponent")
    twice = next((name for name in opponents if opponents.count(name) > 1), None)
    if twice is not None:
        raise SparError(f"{twice} is named twice: opponents take turns anyway")
    if not 1 <= matches <= MOST_MATCHES:
        raise SparError(f"ask for 1 to {MOST_MATCHES} matches, not {matches}")
    if len(opponents) > matches * (seats - 1):
        raise SparError(
            f"in {matches} matches at tables of {seats} at most {matches * (seats - 1)} opponents "
            f"find a seat, not {len(opponents)}: ask for more matches"
        )


def _playing(tx: Transaction, bot: str) -> Version:
    """Return the version of a bot that plays; raise `SparError` if none does."""
    for version in bots.known(tx, bot):
        if version.active:
            return version
    raise SparError(f"{bot} does not play: it is retired, or no version of it was accepted")


def _opponent(tx: Transaction, name: str, author: str | None) -> Version:
    version = _playing(tx, name)
    if why := _obstacle(version, author, bots.authors(tx), spars.open_bots(tx)):
        raise SparError(why)
    return version


def _obstacle(
    version: Version, author: str | None, authors: dict[str, str], is_open: set[str]
) -> str:
    """Return why an author may not spar with another's bot; empty if the author may."""
    if author is None or authors.get(version.bot) == author:
        return ""
    if version.bot not in is_open:
        return f"the author of {version.bot} does not let others spar with it"
    if version.is_remote:
        return f"{version.bot} is a remote bot: its author would see the matches"
    return ""


def _exceeded(budget: int, left: int, now: datetime) -> LadderError:
    if not budget:
        return SparError("on this ladder authors cannot ask for matches")
    tomorrow = _today(now) + timedelta(days=1)
    return SparBudgetError(
        f"you may ask for {left} more of today's {budget} matches; the next day begins at 00:00 "
        "UTC",
        (tomorrow - now).total_seconds(),
    )


def _today(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
