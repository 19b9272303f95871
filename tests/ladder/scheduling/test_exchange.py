"""Exports of a tournament: JSON with a schema, CSV, and FIDE's report file."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from ladder.model.directives import ByePoints, Directive, DirectiveKind
from ladder.model.errors import SettingsError
from ladder.model.matches import MatchState
from ladder.model.tournaments import Kind
from ladder.scheduling.tournament.cross_tables import to_csv
from ladder.scheduling.tournament.planner import ELIMINATING, TournamentPlan
from ladder.scheduling.tournament.trf import to_trf
from tests.ladder.scheduling.test_directing import leaves, played, show

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "docs" / "tournament.schema.json").read_text(encoding="utf-8")
)
TYPES: Mapping[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def wrong(value: Any, schema: Mapping[str, Any], where: str = "$") -> Iterator[str]:
    """Yield a value's violations of a schema, for the part of JSON Schema that ours uses."""
    schema = {**SCHEMA["$defs"].get(schema.get("$ref", "").rpartition("/")[2], {}), **schema}
    types = schema.get("type", [])
    kinds = [types] if isinstance(types, str) else types
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{where}: {value!r} is no {types}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value!r}"
    if isinstance(value, dict):
        yield from (
            f"{where}: no {name}" for name in schema.get("required", ()) if name not in value
        )
        known = schema.get("properties", {})
        for name, each in value.items():
            of_it = known.get(name, schema.get("additionalProperties", False))
            if of_it is False:
                yield f"{where}: {name} is unknown"
            else:
                yield from wrong(each, of_it, f"{where}.{name}")
    if isinstance(value, list):
        for i, each in enumerate(value):
            yield from wrong(each, schema["items"], f"{where}[{i}]")


def _is(value: Any, kind: str) -> bool:
    is_flag = isinstance(value, bool) and kind != "boolean"
    return isinstance(value, TYPES[kind]) and not is_flag


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("most", [0, 2, 99])
def test_json_is_as_its_schema_says(kind: Kind, most: int) -> None:
    """The JSON conforms to its schema at any time, with forfeits, withdrawals and annulments."""
    plan = TournamentPlan(kind, tuple(range(8)), sudden_death=2 if kind in ELIMINATING else None)
    decided = [leaves(DirectiveKind.WITHDRAW, 3, 1)] if most else []
    if most and kind not in (Kind.KNOCKOUT, Kind.DOUBLE_ELIMINATION):
        decided.append(Directive(DirectiveKind.ANNUL, 1, "why", match_id="1.0"))
    _, rounds = played(plan, 2, decided, most=most, crashed=(7,))
    data = json.loads(show(plan, 2, rounds, *decided).to_json("a cup", "courtisans"))

    assert list(wrong(data, SCHEMA)) == []
    assert len(data["table"]) == (7 if kind is Kind.GAUNTLET else 8)
    assert data["table"][0]["place"] == (None if kind is Kind.GAUNTLET or not most else 1)


def test_decisions_of_one_second_are_told_apart() -> None:
    """Of two retractions at once, the one that was planned by has a round, and it alone."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(8)), rounds=4)
    back = Directive(DirectiveKind.RETRACT, 2, version=3)
    out = [leaves(DirectiveKind.WITHDRAW, 3, 1), leaves(DirectiveKind.DISQUALIFY, 3, 2)]
    given = [replace(each, number=i) for i, each in enumerate([*out, back, back], start=1)]
    shown = show(plan, 2, played(plan, 2, given)[1], *given)

    told = json.loads(shown.to_json("a cup", "courtisans"))["directives"]

    assert [each["round"] for each in told] == [2, None, None, 3]


def test_the_schema_refuses_what_it_does_not_know() -> None:
    """Missing, unknown and mistyped fields are reported."""
    plan = TournamentPlan(Kind.SWISS, (0, 1), rounds=1)
    data = json.loads(show(plan, 2, played(plan, 2)[1]).to_json("a", "b"))
    data["table"][0]["place"] = "1"
    data["rounds"][0]["meetings"][0]["new"] = 1
    del data["over"]

    assert [line.split(":")[0] for line in wrong(data, SCHEMA)] == [
        "$",
        "$.table[0].place",
        "$.rounds[0].meetings[0]",
    ]


def test_whom_each_met_as_csv() -> None:
    """The CSV is a matrix of names; a cell is empty where two bots did not meet."""
    plan = TournamentPlan(Kind.GROUPS, (0, 1, 2, 3), group_size=2, advancing=1)
    shown = show(plan, 2, played(plan, 2)[1])
    names = {**shown.names, 1: "=1+1"}

    assert [*csv.reader(StringIO(to_csv(shown.crosses(), names)))] == [
        ["group", "place", "bot", "score", "meetings", "ann", "dan", "'=1+1", "cat"],
        ["group A", "1", "ann", "1.0", "1", "", "1.0", "", ""],
        ["group A", "2", "dan", "0.0", "1", "0.0", "", "", ""],
        ["group B", "1", "'=1+1", "1.0", "1", "", "", "", "1.0"],
        ["group B", "2", "cat", "0.0", "1", "", "", "0.0", ""],
    ]


def parsed(line: str) -> tuple[int, str, float, int, list[tuple[int, str, str]]]:
    """Return number, name, points, place and games of a player, by the columns of TRF16."""
    games = [
        (int(line[at : at + 4]), line[at + 5], line[at + 7]) for at in range(91, len(line), 10)
    ]
    return int(line[4:8]), line[14:47].strip(), float(line[80:84]), int(line[85:89]), games


def players(text: str) -> dict[int, tuple[str, float, int, list[tuple[int, str, str]]]]:
    """Return the players of a report by their numbers."""
    found = [parsed(line) for line in text.split("\r\n") if line.startswith("001")]
    return {number: rest for number, *rest in found}  # type: ignore[misc]


WORTH = {"1": 1, "+": 1, "F": 1, "=": 0.5, "H": 0.5, "U": 0.5, "0": 0, "-": 0, "Z": 0}
MIRROR = {("1", "0"), ("0", "1"), ("=", "="), ("+", "-"), ("-", "+"), ("-", "-")}


def check(text: str, games: int, entrants: Sequence[str]) -> None:
    """Check that a report's players agree about every game, and that their points add up."""
    each = players(text)
    assert [player[0] for player in each.values()] == list(entrants)
    for number, (_, points, _, own) in each.items():
        assert points == sum(WORTH[result] for _, _, result in own)
        assert len(own) == games
        for i, (opponent, colour, result) in enumerate(own):
            if not opponent:
                assert (colour, result) in {("-", bye) for bye in "FHUZ"}
                continue
            back = each[opponent][3][i]
            assert back[0] == number
            assert {colour, back[1]} == {"w", "b"}
            assert (result, back[2]) in MIRROR


def test_a_swiss_as_fides_report_file() -> None:
    """In a report file all players agree, points add up, and places are those of the table.

    It has as many rounds as will be played; a bot that left has zero-point byes.
    """
    plan = TournamentPlan(Kind.SWISS, tuple(range(7)), rounds=4)
    decided = [leaves(DirectiveKind.WITHDRAW, 2, 2)]
    now, rounds = played(plan, 2, decided, crashed=(5, 6))
    shown = show(plan, 2, rounds, *decided)
    text = to_trf(shown, "a cup")
    each = players(text)

    check(text, 8, [shown.names[e] for e in range(7)])
    assert text.startswith("012 a cup\r\n")
    assert "\r\nXXR 8\r\n" in text
    assert "\r\nXXR 8\r\n" in to_trf(show(plan, 2, rounds[:1]), "a cup")
    assert {number: place for number, (_, _, place, _) in each.items()} == {
        shown.seed(line.entrant): line.place for line in now.lines
    }
    assert each[3][3][4:] == [(0, "-", "Z")] * 4
    assert {line.entrant: 2 * float(line.score) for line in now.lines} == {
        number - 1: points for number, (_, points, _, _) in each.items()
    }


def results(text: str, number: int) -> str:
    """Return a player's results, a letter for each round of the file."""
    return "".join(result for _, _, result in players(text)[number][3])


def test_each_bye_has_its_letter() -> None:
    """The pairing's bye is U, worth half a point; a given or missed round H or Z by its points."""
    plan = TournamentPlan(Kind.SWISS, (0, 1, 2), rounds=3, late_bye=ByePoints.HALF, half_byes=1)
    decided = [
        Directive(DirectiveKind.ENTER, 2, version=8),
        Directive(DirectiveKind.ZERO_BYE, 2, version=1, round=3),
    ]
    text = to_trf(show(plan, 2, played(plan, 2, decided)[1], *decided), "a cup")

    assert "\r\n162  P 0.5\r\n" in text
    assert results(text, 4)[:4] == "HHZZ"
    assert results(text, 2)[4:] == "ZZ"
    assert {results(text, n)[i : i + 2] for n in (1, 2, 3) for i in (0, 2)} >= {"UU"}
    check(text, 6, ["ann", "bob", "cat", show(plan, 2, [], *decided).names[8]])


@pytest.mark.parametrize(("deals", "first"), [(1, "HH"), (2, "FF11")])
def test_an_annulled_deal_is_void_as_a_whole(deals: int, first: str) -> None:
    """Both matches of the deal are byes, worth what the meeting's other deals say, or a half."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(4)), rounds=2, deals=deals)
    annulled = [Directive(DirectiveKind.ANNUL, 1, "why", match_id="1.0")]
    now, rounds = played(plan, 2, annulled)
    shown = show(plan, 2, rounds, *annulled)
    text = to_trf(shown, "a cup")

    check(text, 4 * deals, [shown.names[e] for e in range(4)])
    assert results(text, 1)[: 2 * deals] == first
    assert {line.entrant: 2 * deals * float(line.score) for line in now.lines} == {
        number - 1: points for number, (_, points, _, _) in players(text).items()
    }


def test_a_round_robin_as_a_report_file() -> None:
    """Missed meetings are forfeits, and meetings that do not count zero-point byes for both."""
    plan = TournamentPlan(Kind.ROUND_ROBIN, tuple(range(6)))
    decided = [leaves(DirectiveKind.WITHDRAW, 0, 1), leaves(DirectiveKind.WITHDRAW, 5, 4)]
    now, rounds = played(plan, 2, decided)
    shown = show(plan, 2, rounds, *decided)
    text = to_trf(shown, "a cup")
    points = {number: points for number, (_, points, _, _) in players(text).items()}

    check(text, 10, [shown.names[e] for e in range(6)])
    assert results(text, 1) == "Z" * 10
    assert results(text, 6)[-2:] == "--"
    assert [points[shown.seed(line.entrant)] for line in now.lines] == sorted(
        points.values(), reverse=True
    )
    with pytest.raises(SettingsError, match="waits for the end"):
        to_trf(show(plan, 2, rounds[:2], decided[0]), "a cup")


def test_a_round_under_way_is_not_in_the_report() -> None:
    """The file has the rounds that are over, and its places follow from these."""
    plan = TournamentPlan(Kind.SWISS, tuple(range(6)), rounds=3)
    _, rounds = played(plan, 2, most=2)
    before = to_trf(show(plan, 2, rounds[:1]), "a cup")
    *whole, last = rounds[1]
    still = [replace(match, state=MatchState.PLANNED) for match in last]

    assert to_trf(show(plan, 2, [rounds[0], [*whole, still]]), "a cup") == before


def test_who_has_no_report() -> None:
    """Other formats, larger tables and more points than the columns hold are refused."""
    for kind, seats in (
        (Kind.KNOCKOUT, 2),
        (Kind.DOUBLE_ELIMINATION, 2),
        (Kind.GAUNTLET, 2),
        (Kind.SWISS, 4),
    ):
        plan = TournamentPlan(kind, tuple(range(4)))
        with pytest.raises(SettingsError, match="tables of two"):
            to_trf(show(plan, seats, []), "a cup")
    many = TournamentPlan(Kind.SWISS, (0, 1), rounds=1, deals=50)
    with pytest.raises(SettingsError, match=r"99\.9 points, and ann has 100"):
        to_trf(show(many, 2, played(many, 2)[1]), "a cup")
