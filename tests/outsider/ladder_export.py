"""Computes a ladder's standings again from an export: all that docs/agents.md says of them.

The ratings are fitted anew, as docs/rating-formulas.md says.
"""

import hashlib
import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from ranks import Ranking
from rating import Lineage, rated
from strengths import Seat, Table

Json = dict[str, Any]
NAME = "ladder.json"
WITHIN = 1e-5


def problems_of_export(folder: Path, of_record: Callable[[str], list[str]]) -> list[str]:
    """What is wrong with an export; `of_record` says what is wrong with a record's text."""
    try:
        said = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return list(_problems(folder, said, of_record))
    except (LookupError, OSError, TypeError, ValueError) as error:
        return [f"{NAME} cannot be read: {type(error).__name__}: {error}"]


def _problems(folder: Path, said: Json, of_record: Callable[[str], list[str]]) -> Iterator[str]:
    named = {match["id"] for match in said["matches"]}
    for file in sorted((folder / "matches").glob("*.json")):
        if file.stem not in named:
            yield f"match {file.stem}: {NAME} does not name it"
    results: list[tuple[Json, Json]] = []
    for match in said["matches"]:
        found = list(_of_match(folder, said, match, of_record, results))
        yield from (f"match {match['id']}: {line}" for line in found)
    if len(results) == len(said["matches"]):
        yield from _of_standings(said, results)


def _of_match(
    folder: Path,
    said: Json,
    match: Json,
    of_record: Callable[[str], list[str]],
    results: list[tuple[Json, Json]],
) -> Iterator[str]:
    """What is wrong with a match; append it with its record if that is the one that is named."""
    file = folder / "matches" / f"{match['id']}.json"
    if not file.is_file():
        yield "its record is missing"
        return
    content = file.read_bytes()
    if hashlib.sha256(content).hexdigest() != match["sha256"]:
        yield "its record is not the one that is named"
        return
    yield from of_record(content.decode())
    record = json.loads(content)
    seated = [None if i is None else said["versions"][i] for i in match["seats"]]
    due = [v and (v["bot"], str(v["version"]), v["digest"]) for v in seated]
    sat = [
        None if s["stand_in"] else (s["name"], s["version"], s["digest"]) for s in record["seats"]
    ]
    if sat != due or (record["match_id"], record["game"]) != (match["id"], said["game"]):
        yield "the record is of others"
    else:
        results.append((match, record))


def _of_standings(said: Json, results: list[tuple[Json, Json]]) -> Iterator[str]:
    """Which ratings, and which lines of the standings, differ from what is due."""
    versions = said["versions"]
    ranking = _ranking(said, results)
    for i, version in enumerate(versions):
        name = f"{version['bot']} version {version['version']}"
        yield from _differing(name, version, ranking.ratings[i])
    sums = _sums(results)
    due = []
    for i in ranking.order:
        row = {name: versions[i][name] for name in ("bot", "version")}
        row |= ranking.row(i, said["matches_a_block"])
        row |= _shares(*sums[i])
        row["attempt"], row["tries"] = _tries(versions, i)
        due.append(row)
    if len(due) != len(said["standings"]):
        yield f"standings: they have {len(said['standings'])} lines, not {len(due)}"
    for rank, (row, told) in enumerate(zip(due, said["standings"], strict=False), start=1):
        yield from _differing(f"standings, line {rank}", told, row | {"rank": rank})


def _differing(what: str, told: Json, due: Json) -> Iterator[str]:
    wrong = [
        f"{name} is {told[name]}, not {value}"
        for name, value in sorted(due.items())
        if not _same(told[name], value)
    ]
    if wrong:
        yield f"{what}: {', '.join(wrong)}"


def _ranking(said: Json, results: list[tuple[Json, Json]]) -> Ranking:
    """The rating of all versions by all matches that count."""
    versions = said["versions"]
    tables: list[list[Table]] = [[] for _ in range(len(said["chunks"]) + 1)]
    for match, record in results:
        if match["rated"]:
            tables[bisect_left(said["chunks"], match["round"])].append(_table(match, record))
    points = said["rated_by"] == "points"
    fitted = rated(tables, _lineage(versions), len(versions), points=points)
    founders = [i for i, version in enumerate(versions) if version["founder"]]
    listed = [i for i, version in enumerate(versions) if version["active"]]
    return Ranking(fitted, listed, founders, [version["bot"] for version in versions])


def _table(match: Json, record: Json) -> Table:
    seats = [
        Seat(version, outcome["rank"], outcome["points"], _is_forfeit(outcome))
        for version, outcome in zip(match["seats"], record["outcomes"], strict=True)
        if version is not None
    ]
    return Table(match["block"], seats)


def _is_forfeit(outcome: Json) -> bool:
    return bool(outcome["forfeit"] != "FAULT_KIND_UNSPECIFIED")


def _lineage(versions: list[Json]) -> Lineage:
    predecessors, siblings = {}, {}
    of_bot: dict[str, int] = {}
    of_author: dict[str, int] = {}
    for i, version in enumerate(versions):
        bot, author = version["bot"], version["author"]
        if bot in of_bot:
            predecessors[i] = of_bot[bot]
        elif author in of_author:
            siblings[i] = of_author[author]
        of_bot[bot] = i
        if author is not None:
            of_author[author] = i
    return Lineage(predecessors, siblings)


def _sums(results: list[tuple[Json, Json]]) -> dict[int, list[Any]]:
    """Each version's matches, wins, points and forfeits."""
    sums: dict[int, list[Any]] = defaultdict(lambda: [0, Fraction(0), 0, 0])
    for match, record in results:
        outcomes = record["outcomes"]
        first = sum(outcome["rank"] == 1 for outcome in outcomes)
        for i, outcome in zip(match["seats"], outcomes, strict=True):
            if i is None or match["state"] != "done":
                continue
            win = Fraction(outcome["rank"] == 1, first or 1)
            more = (1, win, outcome["points"], _is_forfeit(outcome))
            sums[i] = [a + b for a, b in zip(sums[i], more, strict=True)]
    return sums


def _shares(matches: int, wins: Fraction, points: int, forfeits: int) -> Json:
    totals = {"win_share": wins, "average_points": points, "fault_rate": forfeits}
    shares = {name: float(n) / matches if matches else None for name, n in totals.items()}
    return {"matches": matches, **shares}


def _tries(versions: list[Json], i: int) -> tuple[int, int]:
    """Which of its author's versions it is, and of how many; the owner's count by bot."""

    def family(version: Json) -> tuple[bool, str]:
        author = version["author"]
        return author is None, version["bot"] if author is None else author

    own = [n for n, version in enumerate(versions) if family(version) == family(versions[i])]
    return own.index(i) + 1, len(own)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= WITHIN
    return type(one) is type(other) and bool(one == other)
