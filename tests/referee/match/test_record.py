"""A match's record: its content, and its file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import record_pb2

from referee.conformance.testing import exits, late_by, play, random_record, sends
from referee.core.errors import UsageError
from referee.match.match import Match
from referee.match.record import (
    REFEREE_VERSION,
    SeatInfo,
    load_record,
    record_from_json,
    record_of,
    record_to_json,
    save_record,
)

NewMatch = Callable[..., Match]


def eventful(new_match: NewMatch, seats: int, seed: str, **config: Any) -> record_pb2.Record:
    """The record of a match in which a seat has no bot, and others forfeit."""
    match = new_match(seats, seed, without_bot=frozenset({0}), config=config)
    play(match, {1: {2: late_by(1_500)}, 2: {3: exits(0)}, 3: {1: sends(b"\xff")}})
    return record_of(match, [None, *[SeatInfo(f"bot-{seat}", "3") for seat in range(1, seats)]])


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_two_runs_of_one_seed_give_the_same_bytes(new_match: NewMatch, seats: int) -> None:
    """Record and JSON are equal, byte for byte, with forfeits and stand-ins."""
    one, other = (eventful(new_match, seats, "twice") for _ in range(2))

    assert one.SerializeToString(deterministic=True) == other.SerializeToString(deterministic=True)
    assert record_to_json(one) == record_to_json(other)


def test_another_seed_gives_another_game() -> None:
    """The master seed decides the deal."""
    assert random_record("courtisans", 3, "one").deal != random_record("courtisans", 3, "two").deal


def test_a_record_says_who_played_what_and_by_which_rules(new_match: NewMatch) -> None:
    """Records hold game, versions, configuration, clock, seed, seats."""
    record = eventful(new_match, 4, "who", noble_weight_in_missions=1)

    assert (record.format, record.match_id, record.game) == (2, "a match", "courtisans")
    assert (record.rules_version, record.referee_version) == ("1", REFEREE_VERSION)
    assert record.config.courtisans.noble_weight_in_missions == 1
    assert (record.clock.bank_ms, record.clock.increment_ms) == (30_000, 200)
    assert record.master_seed == "who"
    assert [(seat.name, seat.version, seat.stand_in) for seat in record.seats] == [
        ("stand-in", "", True),
        ("bot-1", "3", False),
        ("bot-2", "3", False),
        ("bot-3", "3", False),
    ]


def test_a_record_holds_every_decision_with_its_time_and_fault(new_match: NewMatch) -> None:
    """A record has each decision's seat and time, and each forfeit's fault."""
    match = new_match(2)
    play(match, {1: {2: late_by(1_500)}})
    record = record_of(match, [SeatInfo("a"), SeatInfo("b")])
    late = [decision for decision in record.decisions if decision.HasField("fault")]

    assert [d.seat for d in record.decisions] == [d.seat for d in match.decisions]
    assert [d.elapsed_us for d in record.decisions] == [d.elapsed_us for d in match.decisions]
    assert [(d.seat, d.elapsed_us, d.fault.overrun_ms, d.stand_in) for d in late] == [
        (1, 5_001_500, 2, True)
    ]


def test_the_json_has_the_names_and_all_the_fields_of_the_proto(new_match: NewMatch) -> None:
    """Fields have their .proto names; those at their defaults are written too."""
    record = eventful(new_match, 3, "names")
    text = record_to_json(record)
    read = json.loads(text)

    assert list(read) == [field.name for field in record_pb2.Record.DESCRIPTOR.fields]
    no = {"stand_in": False, "plain": False}
    assert read["seats"][1] == {"name": "bot-1", "version": "3", "digest": "", **no}
    assert set(read["decisions"][0]) >= {"seat", "action", "elapsed_us", "bank_left_us", "stand_in"}
    assert text.endswith("}\n")
    assert record_from_json(text) == record


def test_a_record_survives_its_file(new_match: NewMatch, tmp_path: Path) -> None:
    """A record reads back as written, letters of all kinds included."""
    match = new_match(2, "Straße ♛")
    play(match)
    record = record_of(match, [SeatInfo("a"), SeatInfo("b")])
    save_record(record, tmp_path / "match.json")

    assert load_record(tmp_path / "match.json") == record


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not a record: it is not a JSON object"),
        (b"[]", "not a record: it is not a JSON object"),
        (b"{", "not a record: Expecting property name"),
        (b"\xff", "not UTF-8 text"),
        (b'{"colour": 1}', 'no field named "colour"'),
        (b'{"format": 1, "format": 1}', "not a record: format: duplicate key"),
        (b'{"format": "one"}', "not a record: format: "),
        (b'{"game": "\\ud800"}', "not a record: game: "),
        (b'{"decisions": [{"elapsed_us": -1}]}', "not a record: decisions[0].elapsed_us: "),
        (b'{"seats": [{"name": 1}]}', "not a record: seats[0].name: "),
        (b'{"seats": 1}', "not a record: seats: "),
        pytest.param(b'{"a":' * 100_000, "not a record: ", id="too deep"),
        pytest.param(b'{"format": ' + b"9" * 5_000 + b"}", "not a record: ", id="too long"),
        pytest.param(b" " * (16 * 1024 * 1024 + 1), "larger than 16777216 bytes", id="too large"),
    ],
)
def test_a_file_that_holds_no_record_says_so_in_one_line(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    """The error names the file and, if known, the field."""
    path = tmp_path / "match.json"
    path.write_bytes(content)

    with pytest.raises(UsageError) as caught:
        load_record(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert problem in message
    assert "\n" not in message


def test_a_path_that_cannot_be_read_or_written_says_so(tmp_path: Path) -> None:
    """Errors tell missing files, missing folders, folders apart."""
    record = record_pb2.Record()

    with pytest.raises(UsageError, match=r"x\.json: No such file or directory"):
        load_record(tmp_path / "x.json")
    with pytest.raises(UsageError, match=r"x\.json: No such file or directory"):
        save_record(record, tmp_path / "nowhere" / "x.json")
    with pytest.raises(UsageError, match="Is a directory"):
        load_record(tmp_path)
    with pytest.raises(UsageError, match="Is a directory"):
        save_record(record, tmp_path)
