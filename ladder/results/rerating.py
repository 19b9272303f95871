"""Compares the ratings shown with those that follow from the stored results alone.

The ratings shown use what is kept of the older rounds, which is not compared with their results at
every look. So they differ if results were edited by hand, or by a bug of ours.
"""

from collections.abc import Iterator, Mapping

from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.ratings import Rating, RatingOfRecord, agree
from ladder.results.strengths import by_results, rating_of_record, read
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, strengths


def rerate(ladder: Ladder) -> dict[Version, tuple[Rating, Rating]]:
    """Rate all bots anew by all stored results; return the ratings shown before that differ.

    Raise `LockedError` while matches are played, and `StoreError` if the database is damaged.
    """
    with ladder.locked():
        with ladder.database.read() as tx:
            known, shown = bots.all_versions(tx), read(tx, ladder.settings).rating
        with ladder.database.write() as tx:
            strengths.forget(tx)
        return _differing(known, shown, rating_of_record(ladder))


def problems(ladder: Ladder) -> Iterator[str]:
    """Yield the shown ratings that do not follow from the results, and the remedy."""
    try:
        with ladder.database.read() as tx:
            known, shown = bots.all_versions(tx), read(tx, ladder.settings).rating
            found = _differing(known, shown, by_results(tx, ladder.settings))
    except StoreError as error:
        yield f"the ratings cannot be checked: {error}"
        return
    for version, (before, due) in found.items():
        yield (
            f"{version}: its rating is {before}, by the matches {due}; `ladder rerate` mends that"
        )


def _differing(
    known: Mapping[int, Version], shown: RatingOfRecord, due: RatingOfRecord
) -> dict[Version, tuple[Rating, Rating]]:
    """Return the ratings that differ, as they are shown and as they are due."""
    both = sorted(shown.strengths.keys() & due.strengths.keys())
    pairs = {known[v]: (shown.strengths[v].rating, due.strengths[v].rating) for v in both}
    return {version: pair for version, pair in pairs.items() if not agree(*pair)}
