"""With docs/, the .proto files and none of our modules, an outsider can compute whole records."""

import ast
import base64
import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import record_pb2

from referee.conformance.testing import exits, is_silent, late_by, play, random_record, sends
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of, record_to_json
from tests.support.games import GAMES

ROOT = Path(__file__).parents[2]
OUTSIDER = ROOT / "tests" / "outsider"
AGREES = "true by the documents"
SCRIPTS = {1: {2: late_by(1_500)}, 2: {3: exits(-3)}, 3: {1: sends(b"\xff")}}
CONFIGS: dict[str, list[dict[str, Any]]] = {
    "courtisans": [
        {"noble_weight_in_missions": 1},
        {"reveal_eliminated_spies": True},
    ],
    "miracles": [
        {"max_rounds": 5},
        {"king_ends_at_once": False, "move_may_stay": True, "income_without_action": True},
        {"wrath_on_empty": True, "nearest_swordsman_first": True},
        {"controller_places_again": True, "courtesan_frees_contested": True},
    ],
}
Step = str | int
TreePath = tuple[Step, ...]


def eventful(game: str, seats: int, seed: str, **config: Any) -> record_pb2.Record:
    """The record of a match in which a seat has no bot, and others forfeit."""
    setup = MatchSetup("a match", game, seats, seed, config, without_bot=frozenset({0}))
    match = Match(setup)
    play(match, SCRIPTS)
    bots = [SeatInfo(f"bot ♛ {seat}", "3", "ab") for seat in range(1, seats)]
    return record_of(match, [None, *bots], sandbox="strict", pauses_us=(12_000_000,))


def computed(folder: Path, texts: list[str]) -> list[list[str]]:
    """The outsider's verdicts on these records."""
    paths = [folder / f"{number}.json" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "-S", OUTSIDER, *paths],  # without our packages' folders
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if not line.endswith(f": {AGREES}")]
    assert (done.returncode, done.stderr) == (1 if lines else 0, "")
    said = [
        [line.removeprefix(f"{path}: ") for line in lines if line.startswith(f"{path}: ")]
        for path in paths
    ]
    assert sum(map(len, said)) == len(lines)
    return said


def agrees(folder: Path, records: list[record_pb2.Record]) -> None:
    """Check records against the outsider's program."""
    assert computed(folder, [*map(record_to_json, records)]) == [[] for _ in records]


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_an_outsider_computes_the_same(game: str, tmp_path: Path) -> None:
    """Deal, commitment, seals, order, banks, stand-ins, events, result and places: all agree.

    The records have 2 to 5 seats, some with a stand-in and forfeits.
    """
    records = [
        record
        for seats in (2, 3, 4, 5)
        for record in (random_record(game, seats, "plain"), eventful(game, seats, "eventful"))
    ]
    agrees(tmp_path, records)


@pytest.mark.costly
@pytest.mark.parametrize("game", GAMES)
def test_it_computes_the_same_by_other_settings(game: str, tmp_path: Path) -> None:
    """The documents describe every setting of the rules."""
    agrees(tmp_path, [eventful(game, 4, "settings", **config) for config in CONFIGS[game]])


@pytest.mark.parametrize("game", GAMES)
def test_when_all_are_silent_the_record_still_holds_a_whole_game(game: str, tmp_path: Path) -> None:
    """Stand-ins finish a match that every bot forfeits; all share the first place."""
    match = Match(MatchSetup("a match", game, 5, "silence"))
    play(match, {seat: {1: is_silent} for seat in range(5)})
    record = record_of(match, [SeatInfo("silent")] * 5)

    assert {outcome.rank for outcome in record.outcomes} == {1}
    assert len({outcome.points for outcome in record.outcomes}) > 1
    agrees(tmp_path, [record])


@pytest.mark.proof
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("game", GAMES)
def test_it_computes_the_same_for_many_games(
    game: str, seats: int, tmp_path: Path, proof_cases: Callable[[int], int]
) -> None:
    """The programs agree for 300 games of each number of seats."""
    for thirty in range(max(1, proof_cases(300) // 30)):
        configs = [{}, *CONFIGS[game]]
        agrees(
            tmp_path,
            [
                eventful(game, seats, f"{thirty} {n}", **configs[n % len(configs)])
                for n in range(30)
            ],
        )


# Edited records


def leaves(tree: Any, path: TreePath = ()) -> Iterator[TreePath]:
    """The paths of all values."""
    if not isinstance(tree, dict | list):
        yield path
        return
    for step, node in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield from leaves(node, (*path, step))


def at(tree: Any, path: TreePath) -> Any:
    """The node at a path."""
    for step in path:
        tree = tree[step]
    return tree


def another(path: TreePath, value: Any) -> Any:
    """Another value of the same kind, also for an enum."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if value.isdigit():
        return str(int(value) + 1)
    if path[0] in ("deal_nonce", "deal_commitment", "seals") or path[-1] == "received":
        return base64.b64encode(b"other" + base64.b64decode(value)).decode()
    return value + "x"


def edited(tree: Any, path: TreePath) -> str:
    """The JSON of a record with one value changed."""
    other = copy.deepcopy(tree)
    at(other, path[:-1])[path[-1]] = another(path, at(tree, path))
    return json.dumps(other)


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize(("game", "most"), [("courtisans", 60), ("miracles", 42)])
def test_an_outsider_finds_what_was_edited(game: str, most: int, tmp_path: Path) -> None:
    """The outsider finds one edit in each kind of field, or every few."""
    tree = json.loads(record_to_json(eventful(game, 4, "edited")))
    one_of_each = {
        tuple(step for step in path if isinstance(step, str)): path for path in leaves(tree)
    }
    paths = [*one_of_each.values()]
    paths = paths[:: 1 + len(paths) // most]
    said = computed(tmp_path, [edited(tree, path) for path in paths])

    assert len(paths) >= 40
    assert [path for path, lines in zip(paths, said, strict=True) if not lines] == []


def test_an_outsider_finds_what_was_taken_out(tmp_path: Path) -> None:
    """A removed decision, event, seal or seat is missed."""
    tree = json.loads(record_to_json(eventful("miracles", 3, "less")))
    texts = []
    for name in ("decisions", "events", "seals", "seats", "outcomes"):
        fewer = copy.deepcopy(tree)
        del fewer[name][-1]
        texts.append(json.dumps(fewer))

    assert all(computed(tmp_path, texts))


# It is an outsider


def parsed() -> dict[str, ast.Module]:
    """The modules of the outsider's program."""
    return {path.stem: ast.parse(path.read_text()) for path in OUTSIDER.glob("*.py")}


def test_the_outsider_reads_no_module_of_ours() -> None:
    """The program imports only the standard library and its own modules."""
    modules = parsed()
    imported = {
        name
        for tree in modules.values()
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [f"{'.' * node.level}{node.module}"]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    called = {
        node.func.id
        for tree in modules.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }

    assert "hashlib" in imported
    roots = {one.partition(".")[0] for one in imported}
    assert roots <= (sys.stdlib_module_names | modules.keys()) - {"__main__"}
    assert not imported & {"importlib", "runpy", "subprocess", "sysconfig"}
    assert not called & {"__import__", "eval", "exec", "compile"}


def test_every_name_of_a_stream_stands_in_the_documents() -> None:
    """The documents name all streams the outsider's program draws from."""
    pages = "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    names = {
        argument.value
        for tree in parsed().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in ("Stream", "sub")
        and (len(node.args) == 1 or getattr(node.func, "id", "") == "Stream")  # not re.sub
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }

    assert {"deal", "deal nonce", "stand-in", "reshuffle", "reshuffle seed"} <= names
    assert [name for name in names if f"`{name}`" not in pages and f'"{name}"' not in pages] == []
