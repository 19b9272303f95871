"""The schemas in docs/facts say what bots of the plain dialect get."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.conformance.testing import play
from referee.games import game_named
from referee.match.match import Match, MatchSetup

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "facts"
GAMES = [path.name.partition(".")[0] for path in sorted(FOLDER.iterdir())]
TYPES = {"integer": int, "boolean": bool, "null": type(None), "array": list, "object": dict}


def wrong(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[str]:
    """Yield what breaks a schema, for the part of JSON Schema that these use."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    kind = schema.get("type")
    if "anyOf" in schema and all(list(wrong(value, one, root)) for one in schema["anyOf"]):
        yield f"{value} is none of {schema['anyOf']}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{value} is none of {schema['enum']}"
    if kind is not None and type(value) is not TYPES[kind]:
        yield f"{value} is no {kind}"
    elif kind == "array":
        for item in value:
            yield from wrong(item, schema["items"], root)
    elif kind == "object":
        if {*value} != {*schema["required"]}:
            yield f"{[*value]} are not {schema['required']}"
        for name, inner in value.items():
            yield from wrong(inner, schema["properties"][name], root)


def test_there_is_one_for_each_typed_game() -> None:
    """Both of Courtyard's own."""
    assert GAMES == ["courtisans", "miracles"]


def test_the_files_are_what_the_values_say(tmp_path: Path) -> None:
    """`python scripts/facts.py` writes them from the types and the notes of the observations."""
    subprocess.run([sys.executable, ROOT / "scripts" / "facts.py", tmp_path], check=True)

    for game in GAMES:
        name = f"{game}.schema.json"
        assert (tmp_path / name).read_text("utf-8") == (FOLDER / name).read_text("utf-8")


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_facts_keep_their_schema(game: str) -> None:
    """Every observation of random games does, and names its rules version."""
    schema = json.loads((FOLDER / f"{game}.schema.json").read_text("utf-8"))
    seen = []
    for seats in game_named(game).seats:
        match = Match(MatchSetup("m", game, seats, "1"))
        play(match)
        state = match.game.initial_state(match.config, seats, match.deal)
        for decided in match.decisions:
            seen += [match.game.facts(state.observation(seat)) for seat in range(seats)]
            state, _ = state.apply(decided.action)

    assert schema["title"].endswith(f"rules version {game_named(game).rules_version}")
    assert len(seen) > 100
    assert [fault for facts in seen for fault in wrong(json.loads(facts), schema, schema)] == []


def test_a_missing_or_a_foreign_value_breaks_a_schema() -> None:
    """What the test above trusts."""
    schema = json.loads((FOLDER / "courtisans.schema.json").read_text("utf-8"))
    match = Match(MatchSetup("m", "courtisans", 2, "1"))
    facts = json.loads(match.game.facts(match.state.observation(0)))
    del facts["turn"]
    facts["white"] = "no mission"

    assert len(list(wrong(facts, schema, schema))) == 2
