"""Who may join at the gateway: a remote bot, with a token of its author."""

from ladder.model.bots import Version
from ladder.storage import bots, tokens
from ladder.storage.ladder import Ladder
from referee.transports.gateway import NotAdmittedError


class Admission:
    """Knows the tokens and bots of a ladder."""

    def __init__(self, ladder: Ladder) -> None:
        """Look into this ladder."""
        self._ladder = ladder

    def __call__(self, token: str, name: str) -> str:
        """Return as which version a bot joins; `name` is its name, or "NAME@VERSION".

        Raise `NotAdmittedError`. What is another author's is told as if it were not there.
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
    """Return the version of this number, or the one that plays."""
    for version in fit:
        if version.active if number is None else str(version.number) == number:
            return version
    what = "is retired" if number is None else f"has no remote version {number}"
    raise NotAdmittedError(f"{fit[0].bot} {what}", known=True)
