"""Verification accepts whole records, and names the field of edited ones."""

import base64
import copy
import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from courtyard.v1 import record_pb2
from google.protobuf import json_format

from referee.conformance.testing import (
    Behaviour,
    SeatRequest,
    exits,
    is_silent,
    late_by,
    play,
    random_record,
    sends,
)
from referee.core.errors import UsageError
from referee.core.faults import Fault, FaultKind
from referee.games.randomness import Stream
from referee.match.match import Match, MatchSetup
from referee.match.record import (
    SeatInfo,
    record_from_json,
    record_of,
    record_to_json,
    seal,
    sealed_fields,
    seals,
)
from referee.match.verify import verify, verify_json
from tests.support.games import GAMES
from tests.support.json_edits import Path, at, nodes

NewMatch = Callable[..., Match]


def illegal(asked: SeatRequest) -> bytes:
    """Play a card to the own domain as if it were an opponent's."""
    action = asked.match.state.random_action(asked.stream)
    return asked.answer(action._replace(opponent=asked.due.seat))


@pytest.fixture(scope="module")
def records(new_match: NewMatch) -> list[record_pb2.Record]:
    """A plain record of each game, and one with forfeits, a stand-in and all options."""
    config = {"noble_weight_in_missions": 1, "reveal_eliminated_spies": True}
    match = new_match(4, without_bot=frozenset({0}), config=config)
    killed = Fault(FaultKind.FAILED_TO_START, "killed", signal=9)
    play(match, {1: {2: late_by(1_500)}, 2: {3: exits(0)}, 3: {1: lambda _: killed}})
    seats = [None, SeatInfo("one", "1", "ab" * 32), SeatInfo("two"), SeatInfo("three", "12")]
    return [
        random_record("courtisans", 2, "plain"),
        record_of(match, seats, sandbox="strict", pauses_us=(70_000, 12_000_000)),
        random_record("miracles", 3, "plain"),
    ]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_record_is_true(game: str, seats: int) -> None:
    """A played match's record has no problem."""
    assert verify(random_record(game, seats, "true")) == []


@pytest.mark.parametrize(
    "behave",
    [exits(1), is_silent, late_by(1), sends(b"\xff"), illegal],
    ids=["exit", "silence", "late", "bytes", "illegal"],
)
@pytest.mark.parametrize("at", [1, 4, 8])
def test_a_record_with_a_fault_is_true(new_match: NewMatch, behave: Behaviour, at: int) -> None:
    """A record with any fault, at any time, can be replayed."""
    match = new_match(3)
    play(match, {1: {at: behave}})
    record = record_of(match, [SeatInfo(f"bot-{seat}") for seat in range(3)])

    assert [decision.fault.reason for decision in record.decisions if decision.HasField("fault")]
    assert verify(record) == []


@pytest.mark.parametrize("without_bot", [{0}, {1, 2}, {0, 1, 2}])
def test_a_record_with_stand_ins_is_true(new_match: NewMatch, without_bot: set[int]) -> None:
    """Some or all seats had no bot from the start."""
    match = new_match(3, without_bot=frozenset(without_bot))
    play(match)
    seats = [None if seat in without_bot else SeatInfo("bot") for seat in range(3)]

    assert verify(record_of(match, seats)) == []


def test_a_record_of_an_older_referee_is_true() -> None:
    """The referee's version is sealed, and may differ from the checker's."""
    record = random_record("courtisans", 2, "old")
    record.referee_version = "0.0.9"
    reseal(record)

    assert verify(record) == []


def test_a_record_of_another_format_is_not_read(records: list[record_pb2.Record]) -> None:
    """Only the format is named: nothing else can be judged."""
    edited = copy.deepcopy(records[0])
    edited.format = 3

    assert verify(edited) == ["format: 3 is none of 1, 2, those that this referee reads"]


@pytest.mark.parametrize("game", GAMES)
def test_a_record_of_the_first_format_is_true(game: str) -> None:
    """The nonce and stand-ins' choices follow from the master seed alone, as before."""
    setup = MatchSetup("a match", game, seats=3, master_seed="old", format=1)
    match = Match(replace(setup, without_bot=frozenset({1})))
    stream = Stream("old", "players")
    while match.due is not None:
        match.decide(match.state.random_action(stream), elapsed_us=0)
    record = record_of(match, [SeatInfo("ada"), None, SeatInfo("bob")])

    assert record.format == 1
    assert record.deal_nonce == Stream("old", "deal nonce").bytes(32)
    assert verify(record) == []
    record.format = 2
    reseal(record)
    assert verify(record)


# Every edit shows


def tree_of(record: record_pb2.Record) -> Any:
    """A record's parsed JSON."""
    return json.loads(record_to_json(record))


def leaves(record: record_pb2.Record) -> list[Path]:
    """The paths of all values."""
    return [path for path, node in nodes(tree_of(record)) if not isinstance(node, dict | list)]


PARTS = 8
MOST_EDITED = 4_000
"""A longer record has only some values edited."""


def values_of_enums(descriptor: Any, found: dict[str, list[str]]) -> dict[str, list[str]]:
    """The names that can replace each enum name, for a message and those in it."""
    for field in descriptor.fields:
        if field.message_type is not None:
            values_of_enums(field.message_type, found)
        elif field.enum_type is not None:
            names = [value.name for value in field.enum_type.values]
            found.update(dict.fromkeys(names, names))
    return found


ENUMS = values_of_enums(record_pb2.Record.DESCRIPTOR, {})
BYTES = ("deal_nonce", "deal_commitment", "seals")
NUMBERS_AS_TEXT = ("elapsed_us", "bank_left_us", "wall_us", "cpu_us", "delay_us")


def another(path: Path, value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if path[0] in BYTES or path[-1] == "received":
        data = base64.b64decode(value) or b"!"
        return base64.b64encode(bytes([data[0] ^ 1]) + data[1:]).decode()
    if path[-1] in NUMBERS_AS_TEXT:
        return str(int(value) + 1)
    if value in ENUMS:
        names = ENUMS[value]
        return names[(names.index(value) + 1) % len(names)]
    return value + "x"


def problems_of(tree: Any) -> list[str]:
    """A JSON record's problems, whether it can be read or not."""
    try:
        return verify_json(json.dumps(tree))
    except UsageError as error:
        return [str(error)]


def name(path: Path) -> str:
    """A path as in problems, such as `decisions[3].action`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(parts).removeprefix(".")


SEALED_AS_ONE = ("action", "fault")
"""A decision's fields with own seals."""


def named(path: Path) -> str:
    """What a problem must name after an edit at this path."""
    whole = path[0] == "decisions" and len(path) > 3 and path[2] in SEALED_AS_ONE
    return name(path[:3] if whole else path)


def edit_is_named(tree: Any, path: Path) -> bool:
    """Edit one value; return whether a problem names it."""
    edited = copy.deepcopy(tree)
    at(edited, path[:-1])[path[-1]] = another(path, at(tree, path))
    return any(line.startswith(f"{named(path)}: ") for line in problems_of(edited))


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("part", range(PARTS))
def test_an_edit_of_any_kind_of_field_is_named(records: list[record_pb2.Record], part: int) -> None:
    """For each field in a match of Courtisans, a line names the edit of one value.

    Miracles has many fields and long matches: the proof below covers them.
    """
    tried: set[Path] = set()
    for record in records[:2]:
        tree = tree_of(record)
        one_of_each = {
            tuple(step for step in path if isinstance(step, str)): path for path in leaves(record)
        }
        missed = [
            name(path)
            for kind, path in [*one_of_each.items()][part::PARTS]
            if kind not in tried and not edit_is_named(tree, path)
        ]
        assert missed == []
        tried |= one_of_each.keys()


@pytest.mark.proof
@pytest.mark.parametrize("which", [0, 1, 2])
def test_an_edit_of_any_field_is_named(
    records: list[record_pb2.Record], which: int, proof_cases: Callable[[int], int]
) -> None:
    """Every value of a record is edited (of a long one, every few): a line names it."""
    paths = leaves(records[which])
    tree = tree_of(records[which])
    step = len(paths) // proof_cases(min(len(paths), MOST_EDITED))

    assert len(paths) > 1_000
    assert [name(path) for path in paths[::step] if not edit_is_named(tree, path)] == []


def removed(tree: Any, path: Path) -> Any:
    """The tree without this path's key or item."""
    edited = copy.deepcopy(tree)
    del at(edited, path[:-1])[path[-1]]
    return edited


def doubled(tree: Any, path: Path) -> Any:
    """The tree with this path's item twice."""
    edited = copy.deepcopy(tree)
    items = at(edited, path[:-1])
    items.insert(path[-1], copy.deepcopy(items[path[-1]]))
    return edited


def is_refused(record: record_pb2.Record, edited: Any, path: Path) -> bool:
    """Return whether a problem names the path, or its message or list.

    Omitting only default values gives the same record.
    """
    if record_from_json(json.dumps(edited)) == record:
        return True
    problems = [line.partition(": ")[0] for line in problems_of(edited)]
    return named(path) in problems or named(path[:-1]) in problems


def structural_misses(record: record_pb2.Record, step: int) -> list[str]:
    """The paths whose key or item can be removed or doubled unnoticed."""
    tree = tree_of(record)
    paths = [path for path, _ in nodes(tree)][::step]
    missed = [name(path) for path in paths if not is_refused(record, removed(tree, path), path)]
    items = [path for path in paths if isinstance(path[-1], int)]
    return missed + [name(p) for p in items if not is_refused(record, doubled(tree, p), p)]


@pytest.mark.costly
@pytest.mark.sweep
@pytest.mark.parametrize("which", [1, 0, 2])
def test_what_is_taken_out_or_doubled_is_named(
    records: list[record_pb2.Record], which: int
) -> None:
    """A line names each tried key or item, or its list."""
    record = records[which]
    step = max(67, sum(1 for _ in nodes(tree_of(record))) // 8)
    assert structural_misses(record, step) == []


@pytest.mark.sweep
@pytest.mark.parametrize("key", [field.name for field in record_pb2.Record.DESCRIPTOR.fields])
def test_a_whole_part_that_is_taken_out_is_named(
    records: list[record_pb2.Record], key: str
) -> None:
    """No own field of the record can be removed, unless empty."""
    for record in (record for record in records if tree_of(record)[key]):
        lines = problems_of(removed(tree_of(record), (key,)))
        assert any(line.startswith(key) for line in lines)


@pytest.mark.proof
@pytest.mark.parametrize("which", [0, 1])
def test_whatever_is_taken_out_or_doubled_is_named(
    records: list[record_pb2.Record], which: int, proof_cases: Callable[[int], int]
) -> None:
    """Each key and item."""
    number = len([*nodes(tree_of(records[which]))])

    assert structural_misses(records[which], step=number // proof_cases(number)) == []


def test_the_game_of_a_configuration_cannot_be_taken_out(
    records: list[record_pb2.Record],
) -> None:
    """A missing choice is noticed."""
    edited = removed(tree_of(records[0]), ("config", "courtisans"))

    assert "config: it was edited, it does not match its seal" in problems_of(edited)


def test_the_last_of_several_equal_seats_cannot_be_taken_out() -> None:
    """A removed last item is noticed, though nothing else shifts."""
    record = random_record("courtisans", 3, "equal")
    edited = tree_of(record)
    del edited["seats"][-1]

    assert "seats: it was edited, it does not match its seal" in problems_of(edited)


def test_each_edited_field_has_a_line_of_its_own(records: list[record_pb2.Record]) -> None:
    """Two edits give two lines, sealed ones in the record's order."""
    edited = copy.deepcopy(records[1])
    edited.seats[1].name = "somebody"
    edited.clock.bank_ms += 1

    assert verify(edited) == [
        "clock.bank_ms: it was edited, it does not match its seal",
        "seats[1].name: it was edited, it does not match its seal",
    ]


@pytest.mark.costly
def test_a_list_of_another_length_is_said_once(records: list[record_pb2.Record]) -> None:
    """Items that shift after a removal or an insertion have no own lines."""
    record = records[2]
    fewer, more, both = tree_of(record), tree_of(record), tree_of(record)
    del fewer["decisions"][3], both["decisions"][3]
    more["events"].insert(7, copy.deepcopy(more["events"][7]))
    both["clock"]["bank_ms"] += 1

    assert problems_of(fewer) == ["decisions: it was edited, it does not match its seal"]
    due = len(record.events)
    assert problems_of(more) == [
        f"events: there are {due + 1}, the replay gives {due}; they differ from [8] on"
    ]
    assert problems_of(both) == [
        "clock.bank_ms: it was edited, it does not match its seal",
        "decisions: it was edited, it does not match its seal",
    ]


def test_a_field_that_no_record_has_is_found_also_in_a_record_that_was_not_json(
    records: list[record_pb2.Record],
) -> None:
    """Protobuf keeps unknown fields; a ladder's record must not."""
    edited = copy.deepcopy(records[0])
    edited.events[3].MergeFromString(b"\xf8\x07\x01")

    assert verify(edited) == ["events[3]: it has fields that this referee does not know"]


# How records are written


def rewritten(record: record_pb2.Record, old: str, new: str) -> list[str]:
    """The problems of a record's file after one text replacement."""
    text = record_to_json(record)
    assert old in text
    return verify_json(text.replace(old, new, 1))


WRITTEN = {
    "junk in base64": ('"deal_nonce": "', '"deal_nonce": "!', "deal_nonce"),
    "an enum as a number": ('"side": "SIDE_ABOVE"', '"side": 1.0', "decisions[*].action"),
    "a sign": ('"elapsed_us": "', '"elapsed_us": "+', "decisions[0].elapsed_us"),
    "an exponent": ('"format": 2', '"format": 2e0', "format"),
    "an escape": ('"game": "courtisans"', '"game": "\\u0063ourtisans"', "game"),
    "a null": ('"elapsed_us"', '"fault": null, "elapsed_us"', "decisions[0].fault"),
    "an escaped key": ('"clock"', '"\\u0063lock"', "clock"),
    "a key in lowerCamelCase": ('"master_seed"', '"masterSeed"', "master_seed"),
    "both names": ('"clock"', '"matchId": "", "clock"', "match_id"),
    "a second key": ('"action": {', '"action": {}, "action": {', "decisions[0].action"),
    "an unknown key": ('"action": {', '"more": 1, "action": {', "decisions[0].more"),
    "no number": ('"elapsed_us": "', '"elapsed_us": "x', "decisions[0].elapsed_us"),
    "two games": (
        '"config": {',
        '"config": {"miracles": {"max_rounds": 3}, ',
        "config",
    ),
}


@pytest.mark.parametrize(("old", "new", "path"), WRITTEN.values(), ids=WRITTEN.keys())
def test_what_is_written_in_another_form_is_named(
    records: list[record_pb2.Record], old: str, new: str, path: str
) -> None:
    """A record has one form, though many texts decode to it; one line names the field."""
    problems = rewritten(records[0], old, new)
    pattern = re.escape(path).replace(r"\*", r"\d+")

    assert len(problems) == 1
    assert re.match(rf"{pattern}[\w.]*: ", problems[0])


@pytest.mark.costly
def test_white_space_order_and_defaults_make_no_difference(
    records: list[record_pb2.Record],
) -> None:
    """A record laid out anew by another program is the same."""
    for record in records:
        tree = tree_of(record)
        without = json_format.MessageToJson(record, preserving_proto_field_name=True)
        for text in (
            json.dumps(tree, separators=(",", ":")),
            json.dumps(tree, indent="\t", sort_keys=True),
            without,
        ):
            assert verify_json(text) == []


# A record sealed anew must still follow the game


def reseal(record: record_pb2.Record) -> None:
    """Seal a record anew, as a forger would."""
    del record.seals[:]
    record.seals.extend(seals(record))


def resealed(record: record_pb2.Record, edit: Callable[[record_pb2.Record], object]) -> list[str]:
    """The problems of an edited record sealed anew."""
    edited = copy.deepcopy(record)
    edit(edited)
    reseal(edited)
    return verify(edited)


def move(record: record_pb2.Record) -> None:
    """Let a seat play its first turn on the table's other side."""
    action = record.decisions[0].action.courtisans
    action.side = 3 - action.side  # type: ignore[assignment]


EDITS: dict[str, tuple[Callable[[record_pb2.Record], object], str]] = {
    "another seed": (
        lambda r: setattr(r, "master_seed", "other"),
        "decisions[0].action: each card must come from your hand",
    ),
    "another game": (lambda r: setattr(r, "game", "chess"), "game: there is no game 'chess'"),
    "other rules": (
        lambda r: setattr(r, "rules_version", "9"),
        "rules_version: played by",
    ),
    "one seat": (lambda r: r.seats.pop(), "seats: Courtisans has no game for 1"),
    "no such setting": (
        lambda r: setattr(r.config.courtisans, "noble_weight_in_missions", 7),
        "noble_weight_in_missions must be 1 or 2",
    ),
    "no such clock": (lambda r: setattr(r.clock, "bank_ms", 0), "the clock's bank is 0 s"),
    "another action": (move, "events[0].game.courtisans.turn_played.table.card.side: it is"),
    "a decision less": (
        lambda r: r.decisions.pop(),
        "decisions: there are 19, and the game is not",
    ),
    "a decision more": (lambda r: r.decisions.add(), "decisions[20]: the game was over before it"),
    "a fault of no kind": (
        lambda r: r.decisions[3].fault.SetInParent(),
        "decisions[3].fault: 0 is not a valid FaultKind",
    ),
    "another time": (
        lambda r: setattr(r.decisions[0], "elapsed_us", 1),
        "decisions[0].bank_left_us: it is",
    ),
    "a stand-in": (
        lambda r: setattr(r.seats[0], "stand_in", True),
        "decisions[",
    ),
}


@pytest.mark.parametrize(("edit", "problem"), EDITS.values(), ids=EDITS.keys())
def test_seals_made_anew_do_not_make_a_record_true(
    records: list[record_pb2.Record],
    edit: Callable[[record_pb2.Record], object],
    problem: str,
) -> None:
    """What seed and actions contradict is found without the seals."""
    assert any(line.startswith(problem) for line in resealed(records[0], edit))


def test_the_last_seal_is_over_all_others(records: list[record_pb2.Record]) -> None:
    """Each field has a seal of 8 bytes, and one more covers all."""
    record = records[0]
    each = [seal(path, value) for path, value in sealed_fields(record)]

    assert list(record.seals) == [*each, seal("seals", b"".join(each))]
    assert {len(one) for one in record.seals} == {8}
