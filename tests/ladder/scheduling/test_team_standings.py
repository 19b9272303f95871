"""Standings of authors and teams."""

import json
from dataclasses import replace

import pytest

from ladder.model.directives import Directive, DirectiveKind
from ladder.model.errors import SettingsError
from ladder.model.tournaments import By, Kind
from ladder.scheduling.tournament.planner import TournamentPlan
from ladder.scheduling.tournament.team_standings import TeamStandings, of_interest, team_standings
from tests.ladder.scheduling.test_directing import played, show

ROUND_ROBIN = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(6)))
"""Each bot beats all with a larger number."""


def standings(plan: TournamentPlan, by: By, *directives: Directive) -> TeamStandings:
    """Return the standings of a tournament that was played to its end."""
    return team_standings(show(plan, 2, played(plan, 2, directives)[1], *directives), by)


def test_the_lowest_sum_of_places_is_first() -> None:
    """As many bots of each team count as the smallest has, and equal sums share a place."""
    teams = ("Red", "Blue", "Blue", "Red", "Green", "Blue")
    found = standings(replace(ROUND_ROBIN, teams=teams), By.TEAM)
    pairs = standings(replace(ROUND_ROBIN, teams=("A", "B", "B", "A", "C", "C")), By.TEAM)

    assert found.counting == 1
    assert [(line.place, line.name, line.total) for line in found.lines] == [
        (1, "Red", 1),
        (2, "Blue", 2),
        (3, "Green", 5),
    ]
    assert found.lines[1].bots() == "bob 2 (cat 3, fay 6)"
    assert [(line.place, line.name, line.total) for line in pairs.lines] == [
        (1, "A", 5),
        (1, "B", 5),
        (3, "C", 11),
    ]
    assert pairs.notes() == ["places: the sum of the places of the best 2 bots of each team"]


def test_bots_without_a_team_count_for_none() -> None:
    """They are named below, keep their places, and do not lower how many bots count."""
    plan = replace(ROUND_ROBIN, kind=Kind.SWISS, teams=("", "Red", "Blue", "Red", "Blue", ""))
    found = standings(plan, By.TEAM, Directive(DirectiveKind.ENTER, 1, version=8))

    assert (found.counting, found.without[0], len(found.without)) == (2, "ann", 3)
    assert {one.bot for line in found.lines for one in line.members} == {"bob", "cat", "dan", "eve"}
    assert "No team is known of ann, " in found.notes()[1]


def test_standings_for_programs() -> None:
    """JSON and CSV have a line for each author; no spreadsheet runs a name as a formula."""
    authors = ("=1+1", "Bo", "Bo", "=1+1", "", "Bo")
    found = standings(replace(ROUND_ROBIN, authors=authors), By.AUTHOR)

    assert json.loads(found.to_json())[0] == {
        "place": 1,
        "author": "=1+1",
        "places": 5,
        "bots": [
            {"bot": "ann", "place": 1, "counts": True},
            {"bot": "dan", "place": 4, "counts": True},
        ],
    }
    assert found.to_csv().splitlines() == [
        "place,author,places,bots",
        '1,\'=1+1,5,"ann 1, dan 4"',
        '1,Bo,5,"bob 2, cat 3 (fay 6)"',
    ]


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        (ROUND_ROBIN, "knows no team"),
        (replace(ROUND_ROBIN, authors=("Ann",) * 6), "knows no team"),
        (replace(ROUND_ROBIN, kind=Kind.GAUNTLET, teams=("A",) * 6), "no places"),
    ],
)
def test_without_teams_or_places_there_are_none(plan: TournamentPlan, said: str) -> None:
    """One line says why there are no standings of teams."""
    with pytest.raises(SettingsError, match=said):
        standings(plan, By.TEAM)


def test_pages_show_what_the_table_does_not_say() -> None:
    """Teams are shown, and authors if one has several bots."""
    each, several = ("A", "B", "C", "D", "E", ""), ("A", "B", "C", "D", "A", "")
    teams = ("X", "Y", "X", "Y", "X", "Y")
    _, rounds = played(ROUND_ROBIN, 2)

    def shown(plan: TournamentPlan) -> list[By]:
        return [found.by for found in of_interest(show(plan, 2, rounds))]

    assert shown(replace(ROUND_ROBIN, authors=each)) == []
    assert shown(replace(ROUND_ROBIN, authors=several)) == [By.AUTHOR]
    assert shown(replace(ROUND_ROBIN, authors=several, teams=teams)) == [By.TEAM, By.AUTHOR]
