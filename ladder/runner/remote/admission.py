"""Admits a remote bot to the gateway if it presents a token of its author."""

from ladder.model.bots import Version
from ladder.storage import tokens
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots
from referee.transports.gateway import NotAdmittedError


class Admission:
    """Checks tokens and names against a ladder."""

    def __init__(self, ladder: Ladder) -> None:
        """Check against this ladder."""
        self._ladder = ladder

    def __call__(self, token: str, name: str) -> str:
        """Return the gateway name of the version that joins as `name`, NAME or NAME@VERSION.

        Raise `NotAdmittedError`, the same for another author's bots as for unknown ones.
        """
        author = tokens.author_of(self._ladder, token)
        if author is None:
            raise NotAdmittedError("the token is wrong, expired or revoked", known=False)
        bot, at, number = name.partition("@")
        with self._ladder.database.read() as tx:
            versions = bots.of_bot(tx, bot) if bots.author(tx, bot) == author else []
        fit = [v for v in versions if v.is_remote and v.rejected is None]
        if not fit:
            raise NotAdmittedError(f"you have no remote bot {bot!r} in this ladder", known=True)
        return _chosen(fit, number if at else None).gateway_name


def _chosen(fit: list[Version], number: str | None) -> Version:
    """Return the version of this number, by default the active one."""
    for version in fit:
        if version.active if number is None else str(version.number) == number:
            return version
    what = "is retired" if number is None else f"has no remote version {number}"
    raise NotAdmittedError(f"{fit[0].bot} {what}", known=True)
