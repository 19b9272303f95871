"""Computes a ladder's standings again from an export: all that docs/agents.md says of them.

How a rating follows from results is not written down as a formula, so ratings are held to what they
must fulfil: the scale, the order, and what is computed from them.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

Json = dict[str, Any]
NAME = "ladder.json"
MEAN = 25
WITHIN = 1e-5
FEWEST = 6
"""Versions with fewer blocks are provisional."""


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
    """Which lines of the standings differ from what is due."""
    versions = said["versions"]
    sums, blocks = _sums(results)
    known = [i for i, v in enumerate(versions) if v["founder"] and len(blocks[i]) >= FEWEST]
    known = known or [i for i, v in enumerate(versions) if v["founder"] and blocks[i]]
    if known:
        mean = sum(versions[i]["mu"] for i in known) / len(known)
        if abs(mean - MEAN) > WITHIN:
            yield f"ratings: the founders' mean is {mean}, not {MEAN}"
    due = []
    for i, version in enumerate(versions):
        if version["active"]:
            row = {name: version[name] for name in ("bot", "version", "mu", "sigma")}
            row["conservative"] = version["mu"] - 3 * version["sigma"]
            row |= _shares(*sums[i])
            row["blocks"] = len(blocks[i])
            row["provisional"] = len(blocks[i]) < FEWEST
            row["attempt"], row["tries"] = _tries(versions, i)
            due.append(row)
    due.sort(key=lambda row: (row["provisional"], -row["mu"], row["bot"]))
    if len(due) != len(said["standings"]):
        yield f"standings: they have {len(said['standings'])} lines, not {len(due)}"
    for rank, (row, told) in enumerate(zip(due, said["standings"], strict=False), start=1):
        row["rank"] = rank
        wrong = [
            f"{name} is {told[name]}, not {row[name]}"
            for name in sorted(row)
            if not _same(told[name], row[name])
        ]
        if wrong:
            yield f"standings, line {rank}: {', '.join(wrong)}"


def _sums(results: list[tuple[Json, Json]]) -> tuple[dict[int, list[Any]], dict[int, set[int]]]:
    """Each version's matches, wins, points and forfeits; and the blocks in which it is rated."""
    sums: dict[int, list[Any]] = defaultdict(lambda: [0, Fraction(0), 0, 0])
    blocks: dict[int, set[int]] = defaultdict(set)
    for match, record in results:
        outcomes = record["outcomes"]
        first = sum(outcome["rank"] == 1 for outcome in outcomes)
        met = {i for i in match["seats"] if i is not None}
        for i, outcome in zip(match["seats"], outcomes, strict=True):
            if i is None or match["state"] != "done":
                continue
            forfeit = outcome["forfeit"] != "FAULT_KIND_UNSPECIFIED"
            win = Fraction(outcome["rank"] == 1, first or 1)
            more = (1, win, outcome["points"], forfeit)
            sums[i] = [a + b for a, b in zip(sums[i], more, strict=True)]
            if match["rated"] and len(met) > 1:
                blocks[i].add(match["block"])
    return sums, blocks


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
