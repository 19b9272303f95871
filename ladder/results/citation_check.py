"""Checks an export by its own files: records, and the ratings and standings that follow from them.

It reads no database. The standings are computed anew by the same rating as the ladder's.
"""

import hashlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, replace
from itertools import groupby
from math import isclose
from pathlib import Path
from typing import Any

from ladder.model.bots import Version
from ladder.model.matches import MatchState, SeatResult
from ladder.model.ratings import SAME_WITHIN, Count, Tally
from ladder.rating.condensed import nothing
from ladder.rating.rater import condense, rate
from ladder.rating.results import Log, MatchResult
from ladder.results.cited import NAME, Cited, CitedMatch, CitedVersion, record_path
from ladder.results.evidence import families_of, lineage
from ladder.results.ranking import Ranking
from ladder.results.standings import Standing, standings
from ladder.storage.tables.records import seat_results
from referee.core.errors import CourtyardError
from referee.games.base import ConfigError
from referee.match.record import Record, load_text, parse_record
from referee.match.verify import examine_json

Results = tuple[SeatResult, ...]
"""The result of each seat of a match."""
_Line = CitedVersion | Standing


class CitationCheck:
    """Checks one ladder of an export."""

    def __init__(self, folder: Path, cited: Cited, advance: Callable[[], object]) -> None:
        """Check the folder of a `ladder.json` that says this; call `advance` after each match."""
        self._folder = folder
        self._cited = cited
        self._advance = advance
        self._results: list[Results] = []
        """Those by the records that are as they are named, in order."""
        self.unreplayed = Counter[str]()
        """How many matches were not replayed, by which other rules played them."""

    def problems(self) -> Iterator[str]:
        """Yield how the files contradict each other, each in a line.

        The standings are computed anew only if all matches are there as they are named.
        """
        named = Counter(record_path(match.id) for match in self._cited.matches)
        there = [f"matches/{file.name}" for file in (self._folder / "matches").glob("*.json")]
        unnamed = sorted({*there} - named.keys())
        yield from (f"match {Path(file).stem}: {NAME} does not name it" for file in unnamed)
        twice = [path for path, times in named.items() if times > 1]
        yield from (f"match {Path(file).stem}: {NAME} names it twice" for file in twice)
        for match in self._cited.matches:
            yield from (f"match {match.id}: {problem}" for problem in self._of_match(match))
            self._advance()
        if len(self._results) == len(self._cited.matches) and not unnamed and not twice:
            yield from _of_standings(self._cited, recomputed(self._cited, self._results))

    def _of_match(self, match: CitedMatch) -> Iterator[str]:
        """Yield the problems of a match; remember its record if it has none."""
        file = self._folder / record_path(match.id)
        try:
            text = load_text(file)
            found = examine_json(text)
        except (CourtyardError, ConfigError) as error:
            yield f"its record cannot be read: {error}"
            return
        if hashlib.sha256(text.encode()).hexdigest() != match.sha256:
            why = "".join(f": {problem}" for problem in found.problems[:1])
            yield f"its record is not the one that {NAME} names{why}"
            return
        if found.problems:
            yield from found.problems
            return
        if found.other_rules:
            self.unreplayed[found.other_rules] += 1
        record, _, _ = parse_record(text)
        wrong = [name for name, recorded, said in self._both(match, record) if recorded != said]
        yield from (f"{name}: the record and {NAME} do not agree" for name in wrong)
        if not wrong:
            self._results.append(seat_results(record))

    def _both(self, match: CitedMatch, record: Record) -> Iterator[tuple[str, Any, Any]]:
        """Yield what the record and `ladder.json` say of a match."""
        seated = [None if i is None else self._cited.versions[i] for i in match.seats]
        yield "match_id", record.match_id, match.id
        yield "game", record.game, self._cited.game
        yield (
            "seats",
            [
                None if seat.stand_in else (seat.name, seat.version, seat.digest)
                for seat in record.seats
            ],
            [v and (v.bot, str(v.version), v.digest) for v in seated],
        )
        for name, said in asdict(self._cited.clock).items():
            yield f"clock.{name}", getattr(record.clock, name), said


def _of_standings(said: Cited, due: Cited) -> Iterator[str]:
    """Yield the versions of which the records say something else."""
    both = [*zip(said.standings, due.standings, strict=False)]
    if [(a.bot, a.version) for a in said.standings] != [(b.bot, b.version) for b in due.standings]:
        order = ", ".join(row.bot for row in due.standings)
        yield f"standings: by the records, the order is {order}"
        return
    if lacking := [
        f"{told.bot} has played {told.matches}, here are {here.matches}"
        for told, here in both
        if told.matches != here.matches
    ]:
        yield f"matches: {'; '.join(lacking)}"
        return
    wrong: dict[str, dict[str, None]] = {}
    lines: list[tuple[_Line, _Line]] = [*zip(said.versions, due.versions, strict=True), *both]
    for told, follows in lines:
        of_version = wrong.setdefault(f"{told.bot} version {told.version}", {})
        of_version.update(dict.fromkeys(_differing(told, follows)))
    yield from (f"{name}: {', '.join(found)}" for name, found in wrong.items() if found)


def _differing(told: _Line, due: _Line) -> Iterator[str]:
    """Yield the fields of a line that are not what is due, up to rounding."""
    for field in fields(told):
        one, other = (getattr(line, field.name) for line in (told, due))
        if not _same(one, other):
            yield f"{field.name} is {one}, by the records {other}"


def _same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=0, abs_tol=SAME_WITHIN)
    return one == other


def recomputed(cited: Cited, results: Sequence[Results]) -> Cited:
    """Return the same with the ratings and standings that follow from the records."""
    versions = [
        Version(i, v.bot, v.version, v.digest, (), v.active, submitted_at="")
        for i, v in enumerate(cited.versions)
    ]
    ranking = _ranking(cited, results, versions)
    strengths = ranking.strengths(cited.matches_a_block)
    return replace(
        cited,
        versions=tuple(
            replace(each, mu=strengths[i].mu, sigma=strengths[i].sigma)
            for i, each in enumerate(cited.versions)
        ),
        standings=tuple(standings(_tallies(cited, results, versions), strengths)),
    )


def _ranking(cited: Cited, results: Sequence[Results], versions: Sequence[Version]) -> Ranking:
    """Rate all by the matches that count; long ladders in chunks, as `ladder.results.evidence`."""
    authors = {v.bot: v.author for v in cited.versions if v.author is not None}
    families = families_of(versions, authors)
    related = lineage(versions, families)
    past, log = nothing(len(versions)), Log(len(versions))
    both = zip(cited.matches, results, strict=True)
    for chunk, played in groupby(both, key=lambda pair: bisect_left(cited.chunks, pair[0].round)):
        log.extend(_result(match, own) for match, own in played if match.rated)
        if chunk < len(cited.chunks):
            past, log = condense(log, past, lineage=related, by=cited.rated_by), Log(len(versions))
    fit = rate(log, past, lineage=related, by=cited.rated_by)
    founders = [i for i, each in enumerate(cited.versions) if each.founder]
    listed = [i for i, each in enumerate(cited.versions) if each.active]
    return Ranking(versions, listed, fit, founders, families)


def _result(match: CitedMatch, results: Results) -> MatchResult:
    played = [
        (version, seat, result)
        for seat, (version, result) in enumerate(zip(match.seats, results, strict=True))
        if version is not None
    ]
    return MatchResult(
        block=match.block,
        versions=[version for version, _, _ in played],
        seats=[seat for _, seat, _ in played],
        ranks=[result.rank for _, _, result in played],
        crashed=[result.crashed for _, _, result in played],
        table=len(match.seats),
        points=[result.points for _, _, result in played],
    )


def _tallies(
    cited: Cited, results: Sequence[Results], versions: Sequence[Version]
) -> Iterator[Tally]:
    """Return the tallies of the listed versions."""
    counts: dict[int, Count] = defaultdict(Count)
    for match, of_seats in zip(cited.matches, results, strict=True):
        first = sum(result.rank == 1 for result in of_seats)
        for version, own in zip(match.seats, of_seats, strict=True):
            if version is not None and match.state is MatchState.DONE:
                firsts = (*[0] * (first - 1), 1) if own.rank == 1 else ()
                more = Count(1, own.points, int(own.crashed), firsts)
                counts[version] = counts[version].with_more(more)
    return (counts[v.id].tally(v) for v in versions if v.active)
