"""Rates a ladder anew from its stored results."""

from ladder.model.bots import Version
from ladder.model.errors import SettingsError, StoreError
from ladder.model.ratings import Rating
from ladder.model.settings import Settings, Tuning
from ladder.rating.trueskill.match_by_match import TrueSkill
from ladder.results.strengths import rating_of_record
from ladder.storage import bots, ratings, strengths
from ladder.storage import settings as stored_settings
from ladder.storage.database import Transaction
from ladder.storage.ladder import Ladder


def rerate(
    ladder: Ladder, *, tune: bool = False
) -> dict[Version, tuple[Rating | None, Rating | None]]:
    """Rebuild the ratings match by match; return those that were not what they should be.

    With `tune`, first measure by the results what that rating should take the game to be; it holds
    from then on. Raise `LockedError` while matches are played, `SettingsError` if nothing can be
    measured yet and `StoreError` if the database is damaged.
    """
    with ladder.locked(), ladder.changing_settings() as tx:
        versions = bots.all_versions(tx)
        tuning = _measured(tx, ladder.settings) if tune else ladder.settings.tuning
        stored_settings.tune(tx, tuning)
        changed = ratings.rebuild(tx, TrueSkill(tuning))
        strengths.forget(tx)
        if unknown := changed.keys() - versions:
            raise StoreError(
                f"{ladder.database.place}: the database is damaged: it has a rating of version "
                f"{min(unknown)}, which there is not; nothing was changed"
            )
    rating_of_record(ladder)
    return {versions[version]: pair for version, pair in changed.items()}


def _measured(tx: Transaction, settings: Settings) -> Tuning:
    from ladder.results.evidence import measured  # noqa: PLC0415 - needs scipy, which is slow to import

    found = measured(tx, settings)
    if found is None:
        raise SettingsError("there is nothing to measure yet: no block is rated")
    return found
