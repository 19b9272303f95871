"""One number says whether what is kept of ratings holds: `RATING_VERSION`."""

import hashlib
import json
import random
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ladder.model.matches import PlannedMatch, Played, SeatResult
from ladder.model.settings import RatedBy
from ladder.rating.condensed import Condensed
from ladder.results import evidence, older
from ladder.results.older import RATING_VERSION, kept_older
from ladder.results.strengths import rating_of_record
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches

GOLDEN = Path(__file__).with_name("rating_golden.json")
CHUNK = 8
ROUNDS = 40


@pytest.fixture
def over(ladder: Ladder, enter: Any, make_bot: Any, monkeypatch: pytest.MonkeyPatch) -> Ladder:
    """A ladder of fixed results: ties, forfeits, a replaced version, and chunks of eight blocks."""
    monkeypatch.setattr(older, "CHUNK", CHUNK)
    monkeypatch.setattr(evidence, "LAG", CHUNK // 2)
    rng = random.Random("fixed results")
    for number in range(1, ROUNDS + 1):
        if number == ROUNDS // 2:
            enter(ladder, make_bot("dan", "better"))
        with ladder.database.write() as tx:
            table = bots.active(tx)
            rng.shuffle(table)
            match = PlannedMatch(f"{number:032x}", number, 0, tuple(table))
            points = [2 * version.id + rng.randrange(12) for version in table]
            places = [1 + sum(other > own for other in points) for own in points]
            seats = list(map(SeatResult, places, points, [None] * 4))
            if number % 9 == 0:
                seats[0] = SeatResult(4, 0, "TIMEOUT")
            matches.add(tx, [match])
            matches.finish(tx, Played(match.match_id, tuple(seats), 28, b""))
    return ladder


def numbers(ladder: Ladder) -> dict[str, Any]:
    """Return the rating of record, and in what form older rounds are kept."""
    found = {str(by): asdict(_rated(ladder, by)) for by in RatedBy}
    with ladder.database.read() as tx:
        older = kept_older(tx, ladder.settings)
    kept = {
        "through": older.through,
        "tallies": older.tallies,
        "condensed": _listed(evidence.unpacked(older.condensed)),
        "history": hashlib.sha256(older.history).hexdigest(),
    }
    told: dict[str, Any] = json.loads(json.dumps({**found, "kept": kept}))
    return told


def _listed(condensed: Condensed) -> dict[str, Any]:
    """Return condensed results as numbers: their packed bytes change with the last bit of one."""
    arrays = {
        name: each.ravel().tolist() for name, each in vars(condensed).items() if name != "sums"
    }
    return {**arrays, "sums": asdict(condensed.sums)}


def _rated(ladder: Ladder, by: RatedBy) -> Any:
    ladder.change({"rated_by": by})
    return rating_of_record(ladder)


def test_other_numbers_have_another_version(over: Ladder) -> None:
    """The ratings of fixed results change with `RATING_VERSION` only.

    If this fails, the same results are rated or kept otherwise than before: raise the version, so
    that ladders make anew what they keep, and put what the failure shows into the golden file.
    """
    now = {"rating_version": RATING_VERSION, **numbers(over)}
    before = json.loads(GOLDEN.read_text())
    assert flat(now) == pytest.approx(flat(before), abs=1e-6), json.dumps(now, indent=1)


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """Return what is nested in objects and lists, by the way to it."""
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = dict(enumerate(value)).items()
    else:
        return {name: value}
    return {k: v for key, each in inner for k, v in flat(each, f"{name}/{key}").items()}
