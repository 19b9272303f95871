"""The possible opponents of versions: all others, but for those of one author if kept apart."""

from collections import Counter
from collections.abc import Sequence

from ladder.model.bots import Version
from ladder.model.errors import NoPlayersError
from ladder.model.settings import SameAuthor, Settings
from ladder.scheduling.ladder.balanced import Authors, group_size
from ladder.storage.db.database import Transaction
from ladder.storage.tables import bots


def kept_apart(tx: Transaction, settings: Settings, playing: Sequence[Version]) -> dict[int, str]:
    """Return the authors, by version id, of the versions that must not meet each other."""
    if settings.same_author is not SameAuthor.APART:
        return {}
    whose = bots.authors(tx)
    number_of = Counter(whose.get(version.bot) for version in playing)
    return {
        version.id: whose[version.bot]
        for version in playing
        if version.bot in whose and number_of[whose[version.bot]] > 1
    }


def may_any_meet(tx: Transaction, settings: Settings, playing: Sequence[Version]) -> bool:
    """Return whether two of these versions may sit at one table; then each has an opponent."""
    return _may_any_meet(playing, kept_apart(tx, settings, playing))


def _may_any_meet(playing: Sequence[Version], authors: Authors) -> bool:
    return group_size([version.id for version in playing], 2, authors) > 1


def check(playing: Sequence[Version], authors: Authors, *, needed: bool) -> None:
    """Raise `NoPlayersError` if there are no versions, or if they may not meet each other.

    A single one may play against stand-ins, unless an opponent is `needed`: no rank is settled so.
    """
    if not playing:
        raise NoPlayersError(
            "no bot plays in this ladder, or all are remote and disconnected; submit one with "
            "`ladder submit PATH`"
        )
    if _may_any_meet(playing, authors):
        return
    if len(playing) > 1:
        raise NoPlayersError(
            f"all {len(playing)} bots that could play are of one author, "
            f"{authors[playing[0].id]}, and may not meet: submit another author's "
            "bot, or use `ladder settings --same-author together`"
        )
    if needed:
        raise NoPlayersError(
            f"{playing[0].bot} has no opponent, as no other bot can play: submit one with "
            "`ladder submit PATH`, or connect a remote one"
        )


def notice(playing: Sequence[Version], at_a_table: int, seats: int) -> str:
    """Return a notice if seats are left to stand-ins for want of opponents; else an empty text.

    `at_a_table` is how many of the versions can sit at one table.
    """
    if len(playing) == 1:
        return (
            f"Only {playing[0].bot} can play: stand-ins take the other seats, and such "
            "matches change no rating."
        )
    if at_a_table >= min(len(playing), seats):
        return ""
    return (
        f"Bots of one author may not meet, so {at_a_table} of the {len(playing)} "
        f"bots can sit at a table for {seats}; stand-ins take the other seats. "
        "`ladder settings --same-author together` lets them meet."
    )
