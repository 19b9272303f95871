"""The visibility of matches: the one rule that pages, API, CLI, export and feed follow.

Anyone may know at any time which bots play, where, and how far a match is. Its result is under an
embargo while another match with the same deal has still to be played, as it would help the
next bot with that deal; then it is public. Until then an author sees the view of the author's own
bots. The rule is a pure function; the deals in play come from `ladder.storage.tables.matches`.
"""

from collections.abc import Collection
from typing import NamedTuple

from ladder.model.matches import MatchLine, MatchState


class Visible(NamedTuple):
    """The parts of a match that one viewer may see."""

    result: bool
    """How every seat came out, how long the match was and when it ended: it is public."""
    record: bool
    """The whole record, with everything that was hidden from the seats."""
    embargoed: bool
    """Whether it has a result that is not public yet."""
    own_seats: tuple[int, ...]
    """The seats of the viewer's bots: of these also the results and the seat's view."""

    def replay(self, seat: int | None) -> bool:
        """Return whether the viewer may see the match as a seat saw it; None: with everything."""
        return self.record or seat in self.own_seats

    def outcome(self, seat: int) -> bool:
        """Return whether the viewer may see how a seat came out."""
        return self.result or seat in self.own_seats


def visible(match: MatchLine, in_play: Collection[str], own: Collection[str] = ()) -> Visible:
    """Return what the author of some bots may see of a match; without bots, what anyone may.

    `in_play` names the deals that have still to be played, of all matches that were ever planned.
    """
    is_done = match.state.has_result
    is_over = is_done or (match.state is MatchState.VOID and not match.postponed)
    is_retired = match.deal not in in_play
    return Visible(
        result=is_done and is_retired,
        record=is_over and is_retired,
        embargoed=is_done and not is_retired,
        own_seats=_seats_of(match, own) if own else (),
    )


def _seats_of(match: MatchLine, own: Collection[str]) -> tuple[int, ...]:
    taken = enumerate(match.seats)
    return tuple(number for number, seat in taken if seat.version and seat.version.bot in own)
