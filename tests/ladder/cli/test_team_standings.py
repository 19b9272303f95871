"""`ladder standings --by`: the standings of a tournament's authors or teams."""

import json
from pathlib import Path

from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from tests.ladder.server.web.filled_tournament import fill
from tests.support.ladders import Command
from tests.support.new_ladder import new_ladder

TEAMS = ("Red", "Blue", "Blue\x1b[31m", "Red", "")
PLAN = TournamentPlan(Kind.ROUND_ROBIN, (1, 2, 3, 4, 5), teams=TEAMS)


def test_standings_of_teams(command: Command, tmp_path: Path) -> None:
    """They have a line for each team, with its bots; names cannot control the terminal."""
    cup = fill(tmp_path / "cup", PLAN, 2, 9, 0)
    told = command("standings", "--by", "team", "--ladder", cup)
    rows = json.loads(command("standings", "--by", "team", "--json", "--ladder", cup).out)

    assert "standings --by team --ladder" in command("tournament", "round-robin", cup).out
    assert told.err == ""
    assert "\x1b[31m" not in told.out
    assert "best bot of each team" in told.out
    assert "No team is known of emeline." in told.out
    assert {row["team"] for row in rows} == {"Red", "Blue", "Blue\x1b[31m"}
    assert command("standings", "--by", "team", "--csv", "--ladder", cup).out.startswith("place,")


def test_what_has_no_standings_of_teams_says_so(command: Command, tmp_path: Path) -> None:
    """Other options, a standing ladder and unknown authors are each refused in one line."""
    cup = fill(tmp_path / "cup", PLAN, 2, 0, 0)
    home = new_ladder(tmp_path / "club", "a seed", seats=2)
    asked = {
        "--by excludes --all": ("--by", "team", "--limit", "3", "--ladder", cup),
        "holds no tournament": ("--by", "team", "--ladder", home.path),
        "knows no author": ("--by", "author", "--ladder", cup),
    }

    for said, words in asked.items():
        refused = command("standings", *words)
        assert refused.status != 0
        assert said in refused.err
        assert len(refused.err.splitlines()) == 1
