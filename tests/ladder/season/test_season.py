"""Whole seasons of real bots, which scripts edit between rounds."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from ladder.runner.run import run as run_matches
from ladder.scheduling.planner import Planner
from ladder.season import play, report
from ladder.season.folder import SeasonFolder, Session
from ladder.season.plan import read_plan
from ladder.season.report import SeasonReport
from ladder.storage.ladder import Ladder
from referee.sandbox.program import Level
from tests.support.lacking import need_level
from tests.support.made_once import made_once

EXAMPLE = Path(__file__).parents[3] / "examples" / "season"
CANARY = "a secret of {}"
PLAN = """
game = "courtisans"
seats = 2
rounds = 2
deals = 1
budget = {seconds = 60, tokens = 100}
"""
ENTRANT = """
[[entrant]]
bot = "{0}"
agent = "agent-{0}"
command = ["python3", "agent/edit.py"]
"""
AGENTS = {
    "ann": """
        source = bot.read_text().replace("TRIED = 1", "TRIED = 8")
        bot.write_text(f"{source}# {CANARY}")
        Path("notes/own").write_text(CANARY)
        Path("spent.jsonl").write_text('{"tokens": 100, "cost": 0.5}')
        """,
    "bob": """
        bot.write_text("def choose(")
        """,
}
"""What the agents do before the second round."""


def text_of(*folders: Path) -> str:
    """Return the names and contents of all files in folders."""
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    return "\n".join(f"{file}\n{file.read_bytes()!r}" for file in files)


def write_plan(folder: Path) -> Path:
    """Write a plan with two entrants, whose bots and agents hold canaries."""
    for name, does in AGENTS.items():
        canary = CANARY.format(name)
        bot, agent = folder / name, folder / f"agent-{name}"
        bot.mkdir(parents=True)
        agent.mkdir()
        source = (EXAMPLE / "bots" / "tuner" / "bot.py").read_text()
        said = f'import sys\nprint("{canary}", file=sys.stderr)\n'
        (bot / "bot.py").write_text(f"{said}{source}# {canary}\n")
        manifest = (EXAMPLE / "bots" / "tuner" / "bot.toml").read_text()
        (bot / "bot.toml").write_text(manifest.replace("tuner", name))
        begins = 'from pathlib import Path\nbot = Path("bot/bot.py")\n'
        lines = "\n".join(line.strip() for line in does.splitlines())
        (agent / "edit.py").write_text(f'{begins}CANARY = "{canary}"\n{lines}\nprint(CANARY)\n')
    file = folder / "plan.toml"
    file.write_text(PLAN + "".join(map(ENTRANT.format, AGENTS)))
    return file


def play_on(ladder: Ladder, planner: Planner) -> None:
    """Play what is planned."""
    run_matches(ladder, planner, 2, Mock())


def make(folder: Path) -> None:
    """Play a season that is interrupted in its second round, and again after all its sessions."""
    season = SeasonFolder(folder)
    plan = read_plan(write_plan(folder / "plan"))
    play.begin(season, plan, "a secret for tests")
    stops = iter([False, True])

    def interrupted(ladder: Ladder, planner: Planner) -> None:
        if next(stops):
            raise KeyboardInterrupt
        play_on(ladder, planner)

    said: list[str] = []
    for _ in range(2):
        with Ladder.open(season.ladder) as ladder, suppress(KeyboardInterrupt):
            play.run(season, ladder, interrupted if not said else play_on, said.append, 2)
    (folder / "said").write_text("\n".join(said))


@pytest.fixture
def season(tmp_path_factory: pytest.TempPathFactory) -> SeasonFolder:
    """A season of two rounds that is over."""
    need_level(Level.STRICT)
    return SeasonFolder(made_once(tmp_path_factory, "season", make))


def reported(season: SeasonFolder) -> SeasonReport:
    """Return the report of a season."""
    with Ladder.open(season.ladder) as ladder:
        return report.report(season, ladder)


@pytest.mark.costly
def test_a_season_leaks_nothing_and_repeats(season: SeasonFolder, tmp_path: Path) -> None:
    """No workspace holds a byte of another's, and the sealed folders give the same season again.

    The season was interrupted between its sessions and their matches: no session ran twice.
    """
    own = {name: text_of(season.workspace(name)) for name in AGENTS}
    assert CANARY.format("ann") in own["ann"]
    assert CANARY.format("bob") in own["bob"]
    assert CANARY.format("bob") not in own["ann"]
    assert CANARY.format("ann") not in own["bob"]
    for name in AGENTS:
        seen = season.workspace(name) / "seen"
        assert json.loads((seen / "standings.json").read_text())
        played = [*(seen / "matches").iterdir()]
        assert len(played) == 1
        for match in played:
            log = json.loads((match / "log.json").read_text())
            assert [seat["own"] for seat in log["match"]["seats"]].count(True) == 1
            assert json.loads((match / "seat.json").read_text())["viewer"] == log["seat"]

    sessions = [line for line in season.lines() if isinstance(line, Session)]
    assert sorted((one.round, one.bot) for one in sessions) == [
        (number, name) for number in (1, 2) for name in AGENTS
    ]
    found = reported(season)
    ann, bob = (
        [
            (line.version, line.tokens, bool(line.problem))
            for line in found.by_round
            if line.bot == b
        ]
        for b in AGENTS
    )
    assert ann == [(1, 0, False), (2, 100, False)]
    assert bob == [(1, 0, False), (1, 0, True)]

    again = SeasonFolder(tmp_path / "again")
    rounds = play.repeat(season, again)
    with Ladder.open(season.ladder) as first, Ladder.open(again.ladder) as second:
        play.run(again, second, play_on, lambda _: None, rounds)
        assert report.outcome(second) == report.outcome(first)
    assert not (again.path / "workspaces").exists()
    assert [line.digest for line in reported(again).by_round] == [
        line.digest for line in found.by_round
    ]


@pytest.fixture
def rounds(proof_cases: Callable[[int], int]) -> int:
    """How many of the example's ten rounds are played; a sample needs four to tell who improves."""
    return max(4, proof_cases(10))


@pytest.fixture
def example(tmp_path_factory: pytest.TempPathFactory, rounds: int) -> SeasonFolder:
    """The example's season, which is over."""
    need_level(Level.STRICT)

    def make_example(folder: Path) -> None:
        season, plan = SeasonFolder(folder), read_plan(EXAMPLE / "plan.toml")
        play.begin(season, replace(plan, rounds=rounds), "a secret for tests")
        with Ladder.open(season.ladder) as ladder:
            play.run(season, ladder, play_on, lambda _: None, rounds)

    return SeasonFolder(made_once(tmp_path_factory, "example", make_example))


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_the_example_recognises_who_improves(example: SeasonFolder) -> None:
    """Of four scripted agents two improve, and the report says so.

    The other two bots stay what they were: one as nobody edits it, one as its edit is rejected.
    """
    found = reported(example)
    better = {one.bot: one.p_better for one in found.progress}

    assert better["tuner"] > 0.95
    assert better["copycat"] > 0.95
    assert better["breaker"] == better["idle"] == 0.5


@pytest.mark.long
@pytest.mark.proof
@pytest.mark.timeout(1800)
def test_the_example_repeats(example: SeasonFolder, rounds: int, tmp_path: Path) -> None:
    """Its sealed folders give the same season again."""
    again = SeasonFolder(tmp_path / "again")
    assert play.repeat(example, again) == rounds
    with Ladder.open(example.ladder) as first, Ladder.open(again.ladder) as second:
        play.run(again, second, play_on, lambda _: None, rounds)
        assert report.outcome(second) == report.outcome(first)
