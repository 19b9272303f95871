"""The public matches of a ladder at one moment, read from its database when they are asked for.

A page shows a few of very many matches, so only the newest are kept. A later reading still
shows that moment: matches that became public since are left out. Nor does it show matches that must
no longer be shown: each match is judged by the deals that are in play when it is read, too.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, islice
from typing import overload

from ladder.model.bots import Version
from ladder.model.errors import UnknownMatchError
from ladder.model.matches import MatchLine
from ladder.results import queries
from ladder.results.visibility import visible
from ladder.storage.db.database import Database, Transaction
from ladder.storage.tables import bot_results, match_lines
from ladder.storage.tables import matches as stored
from ladder.storage.tables.bot_results import Opponent, SeatSummary
from ladder.storage.tables.bots import all_versions
from ladder.storage.tables.match_lines import EVERY, Wanted
from ladder.storage.tables.matches import BEGIN, Place, RoundSpan

AT_HAND = 25
"""The number of newest matches that are kept."""
_AT_ONCE = 500
"""Matches read at once."""
_SPAN = 500
"""The matches from one mark in the schedule to the next, or those of a round that has more."""


@dataclass(frozen=True, slots=True)
class BotResults:
    """A bot's results in its public matches."""

    matches: int
    opponents: Sequence[Opponent]
    """The most frequent ones first."""
    seats: Sequence[SeatSummary]
    faults: Sequence[tuple[str, int]]
    """Kinds of faults with their counts."""
    latest: Sequence[MatchLine]
    """The newest first."""


class PublicRounds:
    """The matches of a ladder's rounds; those that are over are added up once."""

    def __init__(self) -> None:
        """Begin before the first round."""
        self._generation: int | None = None
        self._over: list[RoundSpan] = []

    def read(
        self, tx: Transaction, generation: int, first_open: int | None, embargoed: Collection[str]
    ) -> Sequence[RoundSpan]:
        """Return the matches of all rounds. Those before the first open one are not read again.

        The times of `embargoed` deals are left out. Another `generation` begins anew.
        """
        reopened = self._over and first_open is not None and first_open <= self._over[-1].last
        if generation != self._generation or reopened:
            self._generation, self._over = generation, []
        after = self._over[-1].last if self._over else 0
        a_match = stored.last_round(tx) / max(1, stored.planned(tx))
        more = stored.spans(tx, after, max(1, int(_SPAN * a_match)), embargoed)
        is_over = [first_open is None or span.last < first_open for span in more]
        for span in compress(more, is_over):
            if self._over and self._over[-1].done + span.done <= _SPAN:
                self._over[-1] = self._over[-1].with_next(span)
            else:
                self._over.append(span)
        return [*self._over, *(span for span, over in zip(more, is_over, strict=True) if not over)]


@dataclass(frozen=True, slots=True)
class StateRead:
    """When a state of a ladder was read: what was planned and in play by then."""

    last: Place
    """The place of the last planned match."""
    in_play: frozenset[str]
    """The deals that had still to be played."""


class PublicMatches(Sequence[MatchLine]):
    """The matches with a public result, in the order in which they were scheduled."""

    def __init__(
        self,
        database: Database,
        moment: StateRead,
        spans: Sequence[RoundSpan],
        embargoed: Sequence[MatchLine],
        newest: Sequence[MatchLine],
    ) -> None:
        """Read from a database.

        `spans` are what all rounds hold, `embargoed` the matches that are done but not public, and
        `newest` at least the last public ones.
        """
        self._database = database
        self._moment = moment
        self._rounds = [span.last for span in spans]
        hidden = [line.round for line in embargoed]  # in order
        done = accumulate(span.done for span in spans)
        self._through = [
            count - bisect_right(hidden, number)
            for count, number in zip(done, self._rounds, strict=True)
        ]
        """How many are public up to each of the rounds in `_rounds`."""
        self._newest = newest[-AT_HAND:]

    def __len__(self) -> int:
        """Return how many there are."""
        return self._through[-1] if self._through else 0

    @overload
    def __getitem__(self, chosen: int) -> MatchLine: ...

    @overload
    def __getitem__(self, chosen: slice) -> list[MatchLine]: ...

    def __getitem__(self, chosen: int | slice) -> MatchLine | list[MatchLine]:
        """Read a match, or some; fewer if the owner has voided some since."""
        if isinstance(chosen, int):
            number = range(len(self))[chosen]
            return self[number : number + 1][0]
        numbers = range(len(self))[chosen]
        if not numbers:
            return []
        first, end = min(numbers[0], numbers[-1]), max(numbers[0], numbers[-1]) + 1
        lines = self._between(first, end)
        return [lines[number - first] for number in numbers if number - first < len(lines)]

    def __iter__(self) -> Iterator[MatchLine]:
        """Read all, some at a time."""
        return self._after(BEGIN)

    def find(self, match_id: str) -> MatchLine | None:
        """Return the match of an id; None if it is not one of these."""
        with self._database.read() as tx:
            try:
                line = queries.match_in(tx, match_id)
            except UnknownMatchError:
                return None
            shown = line.match_id == match_id and self._has(line, stored.deals_in_play(tx))
        return line if shown else None

    def beside(self, line: MatchLine) -> tuple[MatchLine | None, MatchLine | None]:
        """Return the matches before and after one of these; None at the ends."""
        place = (line.round, line.index)
        with self._database.read() as tx:
            known, in_play = all_versions(tx), stored.deals_in_play(tx)

            def nearest(read: Callable[[int], list[MatchLine]], end: int) -> MatchLine | None:
                asked = 1
                while True:
                    lines = read(asked)
                    shown = [each for each in lines if self._has(each, in_play)]
                    if shown or len(lines) < asked:
                        return shown[end] if shown else None
                    asked *= 4

            earlier = Wanted(before=place)
            return (
                nearest(lambda limit: match_lines.newest(tx, known, limit, earlier), -1),
                nearest(lambda limit: match_lines.done(tx, known, limit, place), 0),
            )

    def latest(self, limit: int, wanted: Wanted = EVERY) -> list[MatchLine]:
        """Return the last matches of those wanted, newest first."""
        with self._database.read() as tx:
            return self._latest(tx, all_versions(tx), limit, wanted)

    def of_bot(self, bot: str) -> BotResults:
        """Return what a bot has achieved, and its last `AT_HAND` matches."""
        with self._database.read() as tx:
            deals = self._moment.in_play | stored.deals_in_play(tx)
            of = (tx, bot, deals, self._moment.last)
            return BotResults(
                matches=bot_results.matches_of(*of),
                opponents=bot_results.opponents(*of),
                seats=bot_results.by_seat(*of),
                faults=bot_results.faults(*of),
                latest=self._latest(tx, all_versions(tx), AT_HAND, Wanted(bot)),
            )

    def _has(self, line: MatchLine, in_play: Collection[str]) -> bool:
        """Return whether a match was public at the moment, and still is."""
        known = (line.round, line.index) <= self._moment.last
        return known and all(visible(line, p).result for p in (self._moment.in_play, in_play))

    def _between(self, first: int, end: int) -> Sequence[MatchLine]:
        """Return the matches of these numbers, from 0."""
        at_hand = len(self) - len(self._newest)
        if first >= at_hand:
            return self._newest[first - at_hand : end - at_hand]
        mark = bisect_right(self._through, first)
        before = self._through[mark - 1] if mark else 0
        place = (self._rounds[mark - 1] + 1, -1) if mark else BEGIN
        return list(islice(self._after(place), first - before, end - before))

    def _after(self, place: Place) -> Iterator[MatchLine]:
        """Yield the matches after a place in the schedule."""
        while True:
            with self._database.read() as tx:
                known, in_play = all_versions(tx), stored.deals_in_play(tx)
                lines = match_lines.done(tx, known, _AT_ONCE, after=place)
            yield from (line for line in lines if self._has(line, in_play))
            if len(lines) < _AT_ONCE:
                return
            place = (lines[-1].round, lines[-1].index)

    def _latest(
        self, tx: Transaction, known: Mapping[int, Version], limit: int, wanted: Wanted
    ) -> list[MatchLine]:
        in_play, asked = stored.deals_in_play(tx), limit
        while True:
            lines = match_lines.newest(tx, known, asked, wanted)
            shown = [line for line in reversed(lines) if self._has(line, in_play)]
            if len(shown) >= limit or len(lines) < asked:
                return shown[:limit]
            asked *= 2
