"""The rules, the exported document and the records suffice to compute the same tournament."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ladder.model.directives import ByePoints
from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from referee.conformance.testing import play, sends
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from scripts import designs
from tests.support.simulated import Simulated

ARBITER = Path(__file__).parents[1] / "arbiter" / "recompute.py"
FORBIDDING = TournamentPlan(
    Kind.SWISS, tuple(range(1, 9)), rounds=7, forbidden=((1, 2), (2, 5), (3, 4), (6, 7))
)
KNOCKOUT = TournamentPlan(Kind.KNOCKOUT, (1, 2, 3, 4), sudden_death=2, draw="x")


def recomputed(folder: Path, cases: Iterable[str]) -> list[list[str]]:
    """Return the arbiter's findings on each of these tournaments."""
    path = folder / "cases"
    path.write_text("\n".join(cases), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-E", "-s", "-S", ARBITER, path],  # without our packages' folders
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(folder: Path, seeds: Iterable[int], most: int) -> None:
    """Check these seeds' tournaments, each of at most `most` bots."""
    for seed, found in zip(
        seeds, recomputed(folder, (Simulated(s, most=most).case() for s in seeds)), strict=True
    ):
        assert found == [], f"seed {seed}"


@pytest.mark.costly
def test_tournaments_are_recomputed(tmp_path: Path) -> None:
    """Scores, tie-breaks, places and advances follow the page of rules, in any format."""
    check(tmp_path, range(300, 304), most=9)


def test_tables_are_recomputed(tmp_path: Path) -> None:
    """Who sits where in every round follows from docs/pairing.md, and a changed seat is found."""
    cases = [Simulated(seed, most=12).case() for seed in range(400, 402)]
    changed = []
    for case in cases:
        document, *others = json.loads(case)
        meeting = document["rounds"][0]["meetings"][0]
        meeting["entrants"].append(meeting["entrants"].pop(0))
        changed.append(json.dumps([document, *others]))

    assert recomputed(tmp_path, cases) == [[]] * len(cases)
    for found in recomputed(tmp_path, changed):
        assert any("tables of round" in said for said in found)


def test_designs_for_outsiders_are_those_that_are_played() -> None:
    """docs/designs.json has the tables that a round robin plays, here of fields up to 16."""
    lines = designs.FILE.read_text(encoding="utf-8").splitlines()

    for k in (3, 4, 5):
        for n in range(k + 1, 17):
            assert designs.field(n, k) in {line.removesuffix(",") for line in lines}, (n, k)


@pytest.mark.long
@pytest.mark.proof
def test_designs_for_outsiders_are_whole() -> None:
    """docs/designs.json has the tables of all fields up to 64, and nothing else."""
    assert designs.FILE.read_text(encoding="utf-8") == designs.document()


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_games_that_were_played_are_recomputed(game: str, tmp_path: Path) -> None:
    """The arbiter recomputes real matches too, with the referee's own records."""

    def played(match_id: str, bots: Sequence[str]) -> Any:
        match = Match(MatchSetup(match_id, game, len(bots), match_id))
        play(match, {0: {2: sends(b"rubbish")}} if bots[0] == "bot-3" else {})
        return record_of(match, [SeatInfo(bot, "1", "ab") for bot in bots])

    plans = [
        (TournamentPlan(Kind.GROUPS, (1, 2, 3, 4, 5), group_size=3, sudden_death=1, draw="x"), 2),
        (TournamentPlan(Kind.SWISS, (1, 2, 3, 4, 5), rounds=2), 3),
    ]
    cases = [Simulated(0, played, plan).case() for plan in plans]

    assert recomputed(tmp_path, cases) == [[], []]


def test_what_is_told_wrongly_is_found(tmp_path: Path) -> None:
    """The arbiter names each changed score, place or advance, with the right value."""
    document, records, _, people = json.loads(Simulated(0, None, (KNOCKOUT, 2)).case())
    wrong = [json.loads(json.dumps(document)) for _ in range(4)]
    meeting = wrong[0]["rounds"][0]["meetings"][0]
    bot = meeting["entrants"][0]
    meeting["scores"][bot] += 0.25
    first, second, *_ = wrong[1]["table"]
    first["bot"], second["bot"] = second["bot"], first["bot"]
    out = wrong[2]["rounds"][0]["meetings"][0]
    out["goes_on"] = [each for each in out["entrants"] if each not in out["goes_on"]]
    wrong[3]["table"][1]["place"] = 1

    cases = [json.dumps([each, records, "", people]) for each in [document, *wrong]]
    right, *found = recomputed(tmp_path, cases)

    assert right == []
    assert f"score of {bot}" in found[0][0]
    assert any(said.startswith("places: ") for said in found[1])
    assert any("goes on" in said for said in found[2])
    assert any(said.startswith("place of ") for said in found[3])


@pytest.mark.costly
def test_standings_of_teams_that_are_told_wrongly_are_found(tmp_path: Path) -> None:
    """The arbiter names a changed sum of places, a bot that counts too much, and no standings."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(1, 10)), teams=("Red", "Red", "Blue") * 3)
    *others, people = json.loads(Simulated(0, None, (plan, 2)).case())
    wrong = [json.loads(json.dumps(people)) for _ in range(2)]
    wrong[0]["team"][0]["places"] += 1
    next(line for line in wrong[1]["team"] if line["team"] == "Red")["bots"][-1]["counts"] = True

    cases = [json.dumps([*others, told]) for told in (people, *wrong, {})]
    right, *found = recomputed(tmp_path, cases)

    assert right == []
    assert all(said.startswith("standings by team: ") for (said,) in found[:2])
    assert found[2] == ["standings by: [], not ['team']"]


PAIRS = {
    "odd Swiss": TournamentPlan(
        Kind.SWISS, tuple(range(1, 10)), rounds=5, late_bye=ByePoints.HALF, half_byes=1
    ),
    "three deals": TournamentPlan(Kind.SWISS, tuple(range(1, 8)), rounds=4, deals=3),
    "round robin": TournamentPlan(Kind.ROUND_ROBIN, tuple(range(1, 8)), rounds=2, deals=2),
}


@pytest.mark.parametrize(
    "seeds", [[1], pytest.param(range(10), marks=pytest.mark.proof)], ids=["one", "ten"]
)
def test_pairs_allowed_again_are_recomputed(seeds: Sequence[int], tmp_path: Path) -> None:
    """Pairs forbidden at the beginning meet in no round before a director allows them."""
    cases = [Simulated(seed, None, (FORBIDDING, 2)).case() for seed in seeds]
    agreed = [{"bot-1", "bot-2"}, {"bot-2", "bot-5"}, {"bot-3", "bot-4"}, {"bot-6", "bot-7"}]
    decisions = [each for case in cases for each in json.loads(case)[0]["directives"]]

    assert any(d["kind"] == "retract" and {d["bot"], d["other"]} in agreed for d in decisions)
    assert recomputed(tmp_path, cases) == [[]] * len(cases)


def test_rounds_paired_without_a_match_are_recomputed(tmp_path: Path) -> None:
    """A round planned while a match was annulled is paired without it, though it counts later."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(1, 8)), rounds=6)
    case = Simulated(93, None, (plan, 2)).case()
    about = [each for each in json.loads(case)[0]["directives"] if each["match"]]
    annulled = {each["match"]: each["after_round"] for each in about if each["kind"] == "annul"}
    again = [d for d in about if d["kind"] == "retract"]

    assert any(annulled[d["match"]] < d["after_round"] for d in again)
    assert recomputed(tmp_path, [case]) == [[]]


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("plan", PAIRS.values(), ids=PAIRS)
def test_report_files_are_read_strictly(plan: TournamentPlan, tmp_path: Path) -> None:
    """Columns, letters, opponents, points and ranks are right, and those of the tournament."""
    cases = [Simulated(seed, None, (plan, 2)).case() for seed in range(5)]

    assert sum(bool(json.loads(case)[2]) for case in cases) > 2
    assert recomputed(tmp_path, cases) == [[]] * 5


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("pattern", "by", "said"),
    [
        (r"( \d|\d\d)\.\d( +)1  ", r" 0.0\g<2>1  ", "points of"),
        (r"w 1", "w 0", " and ("),
        (r"b 0", "b  0", "not in its columns"),
        (r"0000 - U", "0000 w U", "player"),
        (r"XXR \d+", "XXR 1", "rounds"),
        (r"162  P 0.5\r\n", "", "points of"),
        (r"\r\n", "\n", "CR LF"),
        (r"bot-1 ", "bot-2 ", "names"),
    ],
)
def test_what_a_report_file_tells_wrongly_is_found(
    pattern: str, by: str, said: str, tmp_path: Path
) -> None:
    """The strict reader names each planted error."""
    document, records, report, people = json.loads(
        Simulated(1, None, (PAIRS["odd Swiss"], 2)).case()
    )
    wrong = re.sub(pattern, by, report, count=1)
    right, found = recomputed(
        tmp_path, [json.dumps([document, records, text, people]) for text in (report, wrong)]
    )

    assert wrong != report
    assert right == []
    assert any(said in each for each in found), found


@pytest.mark.proof
def test_many_tournaments_are_recomputed(tmp_path: Path, proof_cases: Callable[[int], int]) -> None:
    """The arbiter recomputes many more."""
    check(tmp_path, range(1_000, 1_000 + proof_cases(2_000)), most=40)
