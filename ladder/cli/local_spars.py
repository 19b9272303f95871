"""The spars of a local ladder, as `ladder.cli.remote.client` gives those of a remote one."""

from collections.abc import Sequence

from ladder.model.matches import MatchLine, SeatLog
from ladder.results import spars
from ladder.server.api import encode, schemas
from ladder.storage.ladder import Ladder
from ladder.submission.spars import change

_OWNER = None


class LocalSpars:
    """What the owner of a ladder sees of its spars, and may change."""

    def __init__(self, ladder: Ladder) -> None:
        """Read from this ladder."""
        self._ladder = ladder

    def spars(self) -> list[schemas.Spar]:
        """Return the owner's last spars, the newest first."""
        return [encode.spar(each) for each in spars.latest(self._ladder, _OWNER)]

    def spar(self, number: int) -> schemas.Spar:
        """Return the results so far of a spar, of any author."""
        return encode.spar(spars.spar(self._ladder, _OWNER, number))

    def spar_matches(self, number: int) -> Sequence[MatchLine]:
        """Return its matches, in order."""
        return spars.spar(self._ladder, _OWNER, number).matches

    def spar_log(self, number: int, match_id: str) -> tuple[MatchLine, SeatLog | None]:
        """Return a match and the log of the spar's bot in it; None without a result."""
        found = spars.spar(self._ladder, _OWNER, number)
        line = spars.match(found, match_id)
        return line, spars.seat_log(self._ladder, found, line)

    def change_spar(self, number: int, *, shared: bool | None, withdrawn: bool | None) -> None:
        """Share its results by a link, or no longer; withdraw what waits."""
        found = spars.spar(self._ladder, _OWNER, number)
        change(self._ladder, found, shared=shared, withdrawn=withdrawn)
