"""An author's view of the own spars, and changes of them; the ladder's owner has all."""

import json

from ladder.model.matches import MatchLine
from ladder.model.spars import Spar
from ladder.results import spars
from ladder.server.api import encode, schemas
from ladder.storage.ladder import Ladder
from ladder.submission import spars as asking
from referee.match.record import Record
from referee.view.frames import film_of_record, view


class SparAnswers:
    """Answers one author of a ladder, or its owner (None), on spars."""

    def __init__(self, ladder: Ladder, author: str | None) -> None:
        """Read from this ladder."""
        self._ladder, self._author = ladder, author

    def spars(self) -> list[schemas.Spar]:
        """Return the author's last spars, the newest first."""
        return [encode.spar(each) for each in spars.latest(self._ladder, self._author)]

    def spar(self, number: int) -> schemas.Spar:
        """Return the author's spar."""
        return encode.spar(self._spar(number))

    def ask_for_spar(self, wanted: schemas.SparRequest) -> schemas.Spar:
        """Store that unrated matches are to be played."""
        found = asking.ask(self._ladder, self._author, wanted.bot, wanted.opponents, wanted.matches)
        return encode.spar(found)

    def change_spar(self, number: int, changed: schemas.SparChange) -> schemas.Spar:
        """Share the author's spar by a link, or no longer, or withdraw what waits."""
        asking.change(
            self._ladder, self._spar(number), shared=changed.shared, withdrawn=changed.withdrawn
        )
        return self.spar(number)

    def spar_matches(self, number: int) -> list[schemas.Match]:
        """Return the matches of the author's spar, in order."""
        found = self._spar(number)
        return [encode.spar_match(found, line) for line in found.matches]

    def spar_log(self, number: int, match_id: str) -> schemas.Log:
        """Return how the author's bot fared in a match of a spar."""
        found = self._spar(number)
        line = spars.match(found, match_id)
        seat_log = spars.seat_log(self._ladder, found, line)
        return encode.log(encode.spar_match(found, line), seat_log, [], whole=True)

    def spar_replay(self, number: int, match_id: str) -> str:
        """Return what the author's bot saw of a match of a spar."""
        _, record, seat = self.spar_seat(number, match_id)
        return json.dumps(view(film_of_record(record), seat))

    def spar_seat(self, number: int, match_id: str) -> tuple[MatchLine, Record, int]:
        """Return a match of a spar with its record and the author's seat, which alone is shown."""
        found = self._spar(number)
        line = spars.match(found, match_id)
        return line, spars.record(self._ladder, line), found.seat(line)

    def _spar(self, number: int) -> Spar:
        return spars.spar(self._ladder, self._author, number)
