"""The stored results of a ladder, read as they come in, and the rating of record that they give.

All versions that ever played are rated, retired ones too: they link the others. Whole blocks count
only, and not those of which a match was given up. What is rated at once, and what is condensed
before (`older`), follows from the planned rounds. So the rating depends on the results alone, to
the last bit, not on when or how often one looked.
"""

import hashlib
import io
import json
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from ladder.model.bots import Version
from ladder.model.errors import StoreError
from ladder.model.history import History
from ladder.model.ratings import Count
from ladder.model.settings import Settings
from ladder.rating.arrays import Floats
from ladder.rating.condensed import Condensed, Sums, nothing
from ladder.rating.families import Lineage
from ladder.rating.fit import Fit
from ladder.rating.rater import condense, rate
from ladder.rating.results import Log, Matches, by_match, numbered
from ladder.results.older import LAG, Older, chunk_ends
from ladder.results.ranking import Ranking
from ladder.storage.db.database import Transaction
from ladder.storage.tables import bots, matches, results
from ladder.storage.tables.tallies import counted
from referee.core.errors import RefereeError


class Evidence:
    """The results of a ladder, read as they come in; chunks that are over are condensed."""

    def __init__(
        self,
        versions: Sequence[Version],
        settings: Settings,
        older: Older = Older(),  # noqa: B008 -- it is frozen
        *,
        whole: bool = False,
    ) -> None:
        """Begin with what is kept of `older` rounds, by default nothing.

        `versions` are all that may have played, in the order of submission. If the `whole` log is
        wanted, it must begin with nothing.
        """
        self.versions = versions
        self._settings = settings
        self._index = {version.id: i for i, version in enumerate(versions)}
        self._log = Log(len(versions))
        self._whole = Log(len(versions)) if whole else None
        self._past = nothing(len(versions))
        self._fit: Fit | None = None
        self._families: Sequence[Sequence[int]] = ()
        """The versions of each author, in the order of submission."""
        self._founders: Collection[int] = ()
        self._blocks = 0
        self._through = 0
        self._condensed = 0
        """The last round of the last chunk."""
        self._older = Older()
        """The chunks that are over, but not the last one before others may need it."""
        self._digest, self._of_last = hashlib.sha256(), hashlib.sha256()
        """Of the results after what may be kept, and after the last chunk."""
        self._planned = 0
        """The blocks planned since the last chunk, in the rounds that were read."""
        if older.through and set(older.versions) <= self._index.keys():
            numbers = np.array([self._index[version] for version in older.versions], np.int64)
            self._past = unpacked(older.condensed).among(len(versions), numbers)
            self._older = older
            self._through = self._condensed = older.through

    @property
    def log(self) -> Log:
        """All that was read, if it was wanted; its versions are the indices of `versions`."""
        if self._whole is None:
            raise RefereeError("the log of the results was not kept")
        return self._whole

    @property
    def matches(self) -> int:
        """The number of matches that were read."""
        return self._past.sums.matches + len(self._log)

    @property
    def through(self) -> int:
        """The last round that was read."""
        return self._through

    @property
    def older(self) -> Older:
        """The chunks that are over, to be kept: not the last one before others may need it.

        A ladder's planner goes by results that are a little older than the newest.
        """
        return self._older

    @property
    def digest(self) -> bytes:
        """The digest of the results that were read after the `older` ones (`results_digest`)."""
        return self._digest.digest()

    def read(self, tx: Transaction, through: int | None = None) -> None:
        """Add the rounds up to one, without the blocks still open; None: all complete blocks.

        A reader of rounds with open blocks reads anew when these are over. After None nothing can
        be added.
        """
        self._families = families_of(self.versions, bots.authors(tx))
        over = matches.last_over(tx)
        over = over if through is None else min(through, over)
        for end in self._ends(tx, over):
            self._let_keep(tx)
            self._add(tx, end)
            self._condense(end)
        if self._planned >= LAG:
            self._let_keep(tx)
        self._add(tx, through)
        founders = matches.founders(tx)
        self._founders = [i for version, i in self._index.items() if version in founders]

    def _ends(self, tx: Transaction, over: int) -> list[int]:
        """Return the last rounds of the next chunks, up to a round; count the blocks after them."""
        sizes = matches.sizes(tx, self._through, over) if over > self._through else []
        found, self._planned = chunk_ends(sizes, self._through + 1, self._planned)
        return found

    def _add(self, tx: Transaction, through: int | None) -> None:
        """Add the results up to a round."""
        if through is not None and through <= self._through:
            return
        self._fit = None
        found = results.rated_seats(tx, self._through, through)
        for digest in (self._digest, self._of_last):
            digest.update(found.text)
        more = self._matches(found)
        for log in (self._log, self._whole):
            if log is not None:
                log.add(more)
        self._through = self._through if through is None else through

    def _condense(self, through: int) -> None:
        """Condense what was read, which ends with a chunk."""
        by = self._settings.rated_by
        self._past = condense(self._log, self._past, lineage=self._lineage(), by=by)
        self._log = Log(len(self.versions))
        self._condensed, self._of_last = through, hashlib.sha256()

    def _let_keep(self, tx: Transaction) -> None:
        """Let the last chunk be kept, too."""
        if self._condensed == self._older.through:
            return
        tallies = dict(self._older.tallies)
        for version, more in counted(tx, self._older.through, self._condensed).items():
            tallies[version] = tallies.get(version, Count()).with_more(more)
        history = History.unpacked(self._older.history)
        for table in matches.tables(tx, self._older.through, self._condensed):
            history.add(table)
        ids = [version.id for version in self.versions]
        past = packed(self._past)
        self._older = Older(self._condensed, ids, tallies, past, history.packed())
        self._digest = self._of_last.copy()

    def ranking(self, listed: Sequence[Version]) -> Ranking:
        """Rate all, and list these."""
        indices = sorted(self._index[version.id] for version in listed)
        return Ranking(self.versions, indices, self.fit(), self._founders, self._families)

    def fit(self) -> Fit:
        """Rate all, unless nothing was read since they were rated."""
        if self._fit is None:
            by = self._settings.rated_by
            self._fit = rate(self._log, self._past, lineage=self._lineage(), by=by)
        return self._fit

    def _matches(self, of: results.RatedSeats) -> Matches:
        """Return matches as a log has them, in blocks of their own."""
        if unknown := set(of.versions) - self._index.keys():
            raise StoreError(f"the database is damaged: there is no version {min(unknown)} to rate")
        if strange := [seat for seat in of.seats if seat >= self._settings.seats]:
            raise StoreError(f"the database is damaged: there is no seat {max(strange)} at a table")
        blocks = numbered(of.deals) + self._blocks
        self._blocks = int(blocks.max(initial=self._blocks - 1)) + 1
        return by_match(
            numbered(of.matches),
            block=blocks,
            table=self._settings.seats,
            versions=[self._index[version] for version in of.versions],
            seats=of.seats,
            ranks=[result.rank for result in of.results],
            crashed=[result.crashed for result in of.results],
            points=[result.points for result in of.results],
        )

    def _lineage(self) -> Lineage:
        return lineage(self.versions, self._families)


def lineage(versions: Sequence[Version], families: Sequence[Sequence[int]]) -> Lineage:
    """Return which versions may play alike: those of a bot, and of an author's bots."""
    last: dict[str, int] = {}
    predecessors, siblings = {}, {}
    for family in families:
        for n, i in enumerate(family):
            bot = versions[i].bot
            if bot in last:
                predecessors[i] = last[bot]
            elif n:
                siblings[i] = family[n - 1]
            last[bot] = i
    return Lineage(predecessors, siblings)


def families_of(versions: Sequence[Version], authors: Mapping[str, str]) -> Sequence[Sequence[int]]:
    """Return the indices of the versions of each author; of the owner's bots, those of each bot."""
    found: dict[tuple[str, str], list[int]] = {}
    for i, version in enumerate(versions):
        author = authors.get(version.bot)
        found.setdefault(("bot", version.bot) if author is None else ("author", author), []).append(
            i
        )
    return [*found.values()]


def may_have_played(tx: Transaction) -> list[Version]:
    """Return all versions that were not rejected, in the order of submission."""
    return [version for version in bots.all_versions(tx).values() if version.rejected is None]


def evidence(tx: Transaction, settings: Settings, older: Older) -> Evidence:
    """Return all that is stored, read on from what is kept of the `older` rounds."""
    found = Evidence(may_have_played(tx), settings, older)
    found.read(tx)
    return found


_SQUARES = ("precision", "met", "weight")
_FAST = 1
"""Zlib's level: counts are mostly zeros, and floats do not shrink anyway."""


def packed(condensed: Condensed) -> bytes:
    """Return condensed results as bytes, of symmetric arrays one half."""
    half = np.triu_indices(len(condensed.pull))
    arrays = {name: getattr(condensed, name)[half] for name in _SQUARES}
    sums = json.dumps(asdict(condensed.sums)).encode()
    file = io.BytesIO()
    np.savez(
        file,
        allow_pickle=False,
        pull=condensed.pull,
        margins=condensed.margins,
        blocks=condensed.blocks,
        sums=np.frombuffer(sums, np.uint8),
        **arrays,
    )
    return zlib.compress(file.getvalue(), _FAST)


def unpacked(body: bytes) -> Condensed:
    """Return what `packed` packed."""
    with np.load(io.BytesIO(zlib.decompress(body)), allow_pickle=False) as arrays:
        n = len(arrays["pull"])
        squares = {name: _square(arrays[name], n) for name in _SQUARES}
        precision = squares.pop("precision")
        return Condensed(
            precision=precision + np.triu(precision, 1).T,
            pull=arrays["pull"],
            margins=arrays["margins"],
            blocks=arrays["blocks"],
            sums=Sums(**json.loads(arrays["sums"].tobytes())),
            **squares,
        )


def _square(half: Floats, n: int) -> Floats:
    found = np.zeros((n, n))
    found[np.triu_indices(n)] = half
    return found
