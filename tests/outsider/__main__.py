"""Computes records again from docs/ and the .proto files alone, and says what does not agree.

    python tests/outsider match.json ... site ...

The folder of an export is computed whole, with its standings.

It stands for somebody who does not trust the referee: it uses Python's standard library and reads
no module of Courtyard. All that does not follow from something else is held to its seal.
"""

import base64
import hashlib
import json
import sys
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

import courtisans_rules
import miracles_rules
from chance import Stream
from ladder_export import problems_of_export
from messages import Json, Messages

MESSAGES = Messages(Path(__file__).parents[2] / "proto" / "courtyard" / "v1")
GAMES: dict[str, ModuleType] = {"courtisans": courtisans_rules, "miracles": miracles_rules}
DERIVED = ("deal", "deal_nonce", "deal_commitment", "events", "result", "outcomes", "seals")
NO_FAULT = "FAULT_KIND_UNSPECIFIED"
AGREES = "true by the documents"
LATER = (
    "pauses_us",
    "game_distribution",
    "game_version",
    "plain",
    "plots_at_any_time",
    "bag_source",
    "strength_source",
    "copies_source",
)
"""Fields that are sealed only where they are set: the first records did not have them."""


def hash64(data: bytes) -> str:
    """The SHA-256 of bytes in base64."""
    return base64.b64encode(hashlib.sha256(data).digest()).decode()


# Seals


def seal(path: str, value: bytes) -> bytes:
    """The seal of one value."""
    return hashlib.sha256(path.encode() + b"\0" + value).digest()[:8]


def seals(record: Json) -> Iterator[bytes]:
    """The seals of a record, and the one over them."""
    each = [seal(path, value) for path, value in sealed(record)]
    yield from each
    yield seal("seals", b"".join(each))


def sealed(record: Json) -> Iterator[tuple[str, bytes]]:
    """Path and value of all that does not follow from something else."""
    for field in MESSAGES.fields["Record"]:
        if field.name == "decisions":
            yield "decisions", b"%d" % len(record["decisions"])
            for i, decision in enumerate(record["decisions"]):
                yield from sealed_decision(f"decisions[{i}]", decision)
        elif field.name not in DERIVED and (field.name not in LATER or record.get(field.name)):
            yield from leaves(field.type, field.label, record.get(field.name), field.name)


def sealed_decision(path: str, decision: Json) -> Iterator[tuple[str, bytes]]:
    """The same of one decision."""
    yield f"{path}.action", MESSAGES.encoded("GameAction", decision.get("action", {}))
    for time in ("elapsed_us", "wall_us", "cpu_us", "delay_us"):
        yield f"{path}.{time}", decision[time].encode()
    yield f"{path}.fault", MESSAGES.encoded("Fault", decision.get("fault", {}))
    if steps := decision.get("steps"):
        yield f"{path}.steps", str(steps).encode()
    if decision.get("own_stand_in"):
        yield f"{path}.own_stand_in", b"1"


def leaves(kind: str, label: str, value: Any, path: str) -> Iterator[tuple[str, bytes]]:
    """Path and value of all values in a value."""
    if label == "repeated":
        yield path, b"%d" % len(value)
        for i, item in enumerate(value):
            yield from leaves(kind, "", item, f"{path}[{i}]")
    elif value is None:
        yield path, b""
    elif kind in MESSAGES.fields:
        fields = MESSAGES.fields[kind]
        chosen = [field.name for field in fields if field.label == "oneof" and field.name in value]
        if any(field.label == "oneof" for field in fields):
            yield path, "".join(chosen).encode()
        for field in fields:
            inner = value.get(field.name)
            later = field.name in LATER and (not inner or str(inner).endswith("_UNSPECIFIED"))
            if not later and (field.label != "oneof" or field.name in chosen):
                yield from leaves(field.type, field.label, inner, f"{path}.{field.name}")
    else:
        number = MESSAGES.enums[kind].index(value) if kind in MESSAGES.enums else value
        yield path, str(number).encode()


# The match


def computed(record: Json) -> Json:
    """What follows from the master seed, the configuration, the seats and the actions."""
    name, seed = record["game"], record["master_seed"]
    rules, seats, config = GAMES[name], len(record["seats"]), record["config"][name]
    dealt = rules.deal(seed, seats, config, MESSAGES)
    nonce = Stream(seed, "deal nonce", *of_match(record)).bytes(32)
    committed = nonce + MESSAGES.encoded("GameDeal", {name: dealt})
    game = rules.Game(dealt, seats, config, MESSAGES)
    decisions, events = played(record, game)
    return {
        "deal": {name: dealt},
        "deal_nonce": base64.b64encode(nonce).decode(),
        "deal_commitment": hash64(committed),
        "decisions": decisions,
        "events": events,
        "result": {name: game.result()},
        "outcomes": outcomes(record, game),
        "seals": [base64.b64encode(one).decode() for one in seals(record)],
    }


def of_match(record: Json) -> list[str]:
    """What the names of a stream end with that is of the match and not of its deal."""
    return [record["match_id"]] if record["format"] > 1 else []


def played(record: Json, game: Any) -> tuple[list[Json], list[Json]]:
    """The decisions and events of a match that is played from its actions."""
    name, clock = record["game"], record["clock"]
    streams = [
        Stream(record["master_seed"], "stand-in", str(s), *of_match(record))
        for s in range(game.seats)
    ]
    stand_ins = {i for i, seat in enumerate(record["seats"]) if seat["stand_in"]}
    banks: dict[int, int] = {}
    decisions, events = list[Json](), list[Json]()
    for recorded in record["decisions"]:
        seat, fault = game.to_act, recorded.get("fault")
        decision = recorded | {"seat": seat, "bank_left_us": "0"}
        if seat not in stand_ins:
            bank = banks.get(seat, clock["bank_ms"] * 1000 - clock["increment_ms"] * 1000)
            banks[seat] = max(0, bank + clock["increment_ms"] * 1000 - int(recorded["elapsed_us"]))
            decision["bank_left_us"] = str(banks[seat])
            if fault:
                stand_ins.add(seat)
                events.append({"forfeit": {"seat": seat, "kind": fault["kind"]}})
        elif fault:
            raise ValueError(f"the stand-in of seat {seat} cannot forfeit")
        decision["stand_in"] = seat in stand_ins
        if seat in stand_ins:
            decision["action"] = {name: game.draw_legal(streams[seat])}
        events += [{"game": {name: event}} for event in game.play(decision["action"][name])]
        decisions.append(decision)
    if game.to_act is not None:
        raise ValueError("the decisions end before the game")
    return decisions, events


def outcomes(record: Json, game: Any) -> list[Json]:
    """Who came where: those who forfeited share the last place."""
    forfeits = {d["seat"]: d["fault"]["kind"] for d in record["decisions"] if "fault" in d}
    standings, points = game.standings(), game.points()
    kept = [standing for seat, standing in enumerate(standings) if seat not in forfeits]
    return [
        {
            "rank": 1 + (len(kept) if seat in forfeits else sum(one > standing for one in kept)),
            "points": points[seat],
            "forfeit": forfeits.get(seat, NO_FAULT),
        }
        for seat, standing in enumerate(standings)
    ]


# What does not agree


def differences(recorded: Any, due: Any, path: str) -> Iterator[str]:
    """The paths at which two values in JSON differ."""
    if isinstance(recorded, dict) and isinstance(due, dict):
        for name in dict.fromkeys([*recorded, *due]):
            yield from differences(recorded.get(name), due.get(name), f"{path}.{name}")
    elif isinstance(recorded, list) and isinstance(due, list):
        for i, pair in enumerate(zip_longest(recorded, due)):
            yield from differences(*pair, f"{path}[{i}]")
    elif type(recorded) is not type(due) or recorded != due:
        yield f"{path}: it is {recorded!r}, by the documents it is {due!r}"


def problems(text: str) -> list[str]:
    """What is wrong with a record."""
    try:
        record = MESSAGES.filled("Record", json.loads(text))
        due = MESSAGES.filled("Record", record | computed(record))
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RuntimeError,  # a generator that finds no card where the record says one is
        TypeError,
        ValueError,
    ) as error:
        return [f"it cannot be computed: {type(error).__name__}: {error}"]
    return [line.removeprefix(".") for line in differences(record, due, "")]


def problems_of_file(path: str) -> list[str]:
    """What is wrong with the record in a file, or with the export in a folder."""
    if Path(path).is_dir():
        return problems_of_export(Path(path), problems)
    try:
        return problems(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [f"it cannot be read: {error}"]


def main() -> None:
    """Compute all records and exports again that are named; exit with 1 if any does not agree."""
    if not sys.argv[1:]:
        sys.exit("usage: python tests/outsider RECORD|EXPORT...")
    found = {path: problems_of_file(path) for path in sys.argv[1:]}
    for path, lines in found.items():
        sys.stdout.writelines(f"{path}: {line}\n" for line in lines or [AGREES])
    sys.exit(any(found.values()))


if __name__ == "__main__":
    main()
