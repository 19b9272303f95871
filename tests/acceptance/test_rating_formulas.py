"""docs/rating-formulas.md suffices to compute every number of the standings from results."""

import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from ladder.model.matches import MatchState, SeatResult
from ladder.model.settings import RatedBy
from ladder.results.citation_check import recomputed
from ladder.results.cited import Cited, CitedMatch, CitedVersion, record_path, written
from ladder.results.older import RATING_VERSION
from referee.core.clock import ClockConfig
from tests.support.sampling import SAMPLE

ROOT = Path(__file__).parents[2]
OUTSIDER = ROOT / "tests" / "outsider"
CHECK = f"""
import sys
sys.path.insert(0, {str(OUTSIDER)!r})
from pathlib import Path
from ladder_export import problems_of_export
for folder in sys.argv[1:]:
    print(problems_of_export(Path(folder), lambda text: []))
"""
ROUND = 10
Results = tuple[SeatResult, ...]


class Ladder:
    """A ladder of drawn results: ties, forfeits, stand-ins, copies at a table, replaced bots."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._seats = 2 + seed % 4
        self._turned = seed % 3 == 1
        """Whether each deal is played on all seats."""
        versions = self._versions(3 + seed % 5)
        self._strength = [self._random.gauss(0, 3) for _ in versions]
        self._newcomers = {len(versions) - 1} if seed % 2 else set[int]()
        matches, self.results = self._played(len(versions), 20 + self._random.randrange(80))
        last = matches[-1].round
        self.cited = Cited(
            format=1,
            courtyard="1",
            ladder_id="a",
            title="A ladder",
            game="courtisans",
            seats=self._seats,
            clock=ClockConfig(),
            rated_by=RatedBy.PLACES if seed % 4 == 3 else RatedBy.POINTS,
            matches_a_block=self._seats if self._turned else 1,
            chunks=(last // 3, last // 2) if seed % 5 == 2 and last > 5 else (),
            versions=versions,
            matches=matches,
            standings=(),
        )

    def _versions(self, number: int) -> tuple[CitedVersion, ...]:
        bots = [f"bot{self._random.randrange(max(3, number - 2))}" for _ in range(number)]
        authors = {bot: self._random.choice([None, "ann", "bob"]) for bot in bots}
        return tuple(
            CitedVersion(
                bot=bot,
                version=1 + bots[:i].count(bot),
                digest=f"{i:064x}",
                author=authors[bot],
                active=bot not in bots[i + 1 :],
                founder=i < number - 1,
                mu=0.0,
                sigma=0.0,
            )
            for i, bot in enumerate(bots)
        )

    def _played(
        self, versions: int, blocks: int
    ) -> tuple[tuple[CitedMatch, ...], tuple[Results, ...]]:
        matches, results = [], []
        numbers = count()
        known = [i for i in range(versions) if i not in self._newcomers]
        for block in range(blocks):
            table = [*map(self._random.choice, [[*known * 6, None]] * self._seats)]
            rated = self._random.random() < 0.95
            dropped = not rated and self._random.random() < 0.5
            for shift in range(self._seats if self._turned else 1):
                seats = tuple(table[shift:] + table[:shift])
                results.append(self._result(seats))
                matches.append(
                    CitedMatch(
                        id=f"{next(numbers):032x}",
                        round=1 + block // ROUND,
                        block=block,
                        state=MatchState.DROPPED if dropped else MatchState.DONE,
                        rated=rated,
                        seats=seats,
                        sha256="",
                    )
                )
        return tuple(matches), tuple(results)

    def _result(self, seats: Iterable[int | None]) -> Results:
        draw = self._random
        strengths = [0.0 if seat is None else self._strength[seat] for seat in seats]
        points = [draw.randint(0, 12) + int(strength) for strength in strengths]
        forfeits = [draw.random() < 0.06 for _ in points]
        kept = [own for own, forfeit in zip(points, forfeits, strict=True) if not forfeit]
        return tuple(
            SeatResult(
                rank=1 + (len(kept) if forfeit else sum(other > own for other in kept)),
                points=own,
                forfeit="TIMEOUT" if forfeit else None,
            )
            for own, forfeit in zip(points, forfeits, strict=True)
        )

    def write(self, folder: Path) -> Path:
        """Write an export, with what records say of results alone."""
        due = json.loads(written(recomputed(self.cited, self.results)))
        (folder / "matches").mkdir(parents=True)
        for match, results in zip(due["matches"], self.results, strict=True):
            match["sha256"] = self._write_record(folder, match, results)
        (folder / "ladder.json").write_text(json.dumps(due))
        return folder

    def _write_record(self, folder: Path, match: Any, results: Results) -> str:
        versions = self.cited.versions
        seated = [None if i is None else versions[i] for i in match["seats"]]
        record = {
            "match_id": match["id"],
            "game": self.cited.game,
            "seats": [
                {"stand_in": v is None}
                if v is None
                else {
                    "stand_in": False,
                    "name": v.bot,
                    "version": str(v.version),
                    "digest": v.digest,
                }
                for v in seated
            ],
            "outcomes": [
                {
                    "rank": result.rank,
                    "points": result.points,
                    "forfeit": result.forfeit or "FAULT_KIND_UNSPECIFIED",
                }
                for result in results
            ],
        }
        content = json.dumps(record).encode()
        (folder / record_path(match["id"])).write_bytes(content)
        return hashlib.sha256(content).hexdigest()


def found_by_outsider(*folders: Path) -> list[str]:
    """What the stranger's program finds in exports, records aside."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", CHECK, *folders],  # without our packages' folders
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param([7], id="one"),
        pytest.param(range(max(6, 60 // SAMPLE)), marks=pytest.mark.proof, id="many"),
    ],
)
def test_all_numbers_are_recomputed(seeds: Iterable[int], tmp_path: Path) -> None:
    """Ratings, ranks, groups and forecasts follow from the page, with families and long ladders."""
    folders = [Ladder(seed).write(tmp_path / str(seed)) for seed in seeds]

    assert found_by_outsider(*folders) == ["[]"] * len(folders)


def test_the_page_describes_the_ratings_of_today() -> None:
    """docs/rating-formulas.md names the version of the rating that it has the formulas of."""
    page = (ROOT / "docs" / "rating-formulas.md").read_text(encoding="utf-8")

    assert f"version {RATING_VERSION} of the rating;" in page
