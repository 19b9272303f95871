"""One field of a record's JSON is edited at a time: nothing but a default left out is accepted.

The edits are of the text, not of the message: most of them are written so that protobuf's JSON
parser reads the same as before.
"""

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.conformance.testing import random_record
from referee.core.errors import UsageError
from referee.match.record import record_from_json, record_to_json
from referee.match.verify import verify_json
from tests.support.json_edits import Path, at, nodes, with_text

Edit = tuple[str, Path, str]
"""What was done, where, and the text that came of it."""

RECORDS = [(game, seats) for game in ("courtisans", "miracles") for seats in (2, 3, 4, 5, 2)] * 2
EDITS = 200


# Ways to write a value


def escaped(chance: random.Random, text: str) -> str:
    """A JSON string of this text in which one character is an escape."""
    i = chance.randrange(len(text))
    return f'"{text[:i]}\\u{ord(text[i]):04x}{text[i + 1 :]}"'


def of_number(number: int, chance: random.Random) -> list[str]:
    """Other texts for a number that is not quoted."""
    wide = "".join(chr(0xFF10 + int(digit)) for digit in str(abs(number)))
    return [
        f"{number}.0",
        f"{number}e0",
        f"{number * 10}e-1",
        f'"{number}"',
        f'"+{number}"',
        f'" {number}"',
        f'"{wide}"',
        f'"0_{number}"',
        f"{number + chance.randint(1, 3)}",
        f"-{number}" if number >= 0 else str(-number),
        "null",
        "true",
        "[]",
        "{}",
        str(2**32 + number),
    ]


def of_base64(text: str, chance: random.Random) -> list[str]:
    """Other texts for bytes, most of which decode to the same."""
    data = base64.b64decode(text)
    bare = text.rstrip("=")
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    spare = bare[:-1] + alphabet[alphabet.index(bare[-1]) ^ 1]
    i = chance.randrange(len(bare))
    found = [
        f'"{bare[:i]}!{text[i:]}"',
        f'"{bare[:i]}\\n{text[i:]}"',
        f'"{text}{text}"',
        f'"{text}junk"',
        f'"{text}="',
        json.dumps(base64.b64encode(bytes([data[0] ^ 1, *data[1:]])).decode()),
        escaped(chance, text),
        "null",
    ]
    if bare != text:
        found += [f'"{bare}"', f'"{spare}{text[len(bare) :]}"']
    urlsafe = base64.urlsafe_b64encode(data).decode()
    return found + ([f'"{urlsafe}"'] if urlsafe != text else [])


def of_text(text: str, chance: random.Random) -> list[str]:
    """Other texts for a string: a name, an enum's value, or a number that is quoted."""
    found = [json.dumps(f"{text} "), json.dumps(f"{text}x"), "null", "3.9", "3", '"3"', "[]"]
    if text:
        found += [escaped(chance, text), json.dumps(text.swapcase()), json.dumps(f" {text}")]
    if re.fullmatch(r"\d+", text):
        found = [*of_number(int(text), chance), text, f'"{text}.0"', escaped(chance, text)]
        found.remove(f'"{text}"')
    return [one for one in found if one != json.dumps(text)]


def scalar_edit(tree: Any, path: Path, chance: random.Random) -> Edit:
    """Write one value otherwise."""
    value = at(tree, path)
    if isinstance(value, bool):
        texts = ["null", str(int(value)), f'"{json.dumps(value)}"', json.dumps(not value), "1e0"]
    elif isinstance(value, int):
        texts = of_number(value, chance)
    elif value and path[0] in ("deal_nonce", "deal_commitment", "seals"):
        texts = of_base64(value, chance)
    else:
        texts = of_text(value, chance)
    text = chance.choice(texts)
    return f"{json.dumps(value)} is written {text}", path, with_text(tree, path, text)


# Edits of objects and lists


def member_edit(tree: Any, path: Path, chance: random.Random) -> Edit:
    """Write the key of a member otherwise, write it twice, leave it out, or add another one."""
    *outer, key = path
    members = {json.dumps(name): json.dumps(node) for name, node in at(tree, path[:-1]).items()}
    this, value = json.dumps(key), members[json.dumps(key)]
    pairs = list(members.items())
    where = list(members).index(this)
    camel = re.sub(r"_(\w)", lambda found: found[1].upper(), this)
    ways = {
        "left out": [],
        "escaped key": [(escaped(chance, str(key)), value)],
        "twice": [(this, value), (this, value)],
        "another first": [(this, "0"), (this, value)],
        "null first": [(this, "null"), (this, value)],
        "renamed": [(f'"{key}x"', value)],
        "one more": [('"more"', "null"), (this, value)],
        "null": [(this, "null")],
    }
    if camel != this:
        ways |= {"camel": [(camel, value)], "both names": [(camel, value), (this, value)]}
    if "fault" not in members and "elapsed_us" in str(members):
        ways["null of absence"] = [('"fault"', "null"), (this, value)]
    way = chance.choice([*ways, "left out"])
    written = [*pairs[:where], *ways[way], *pairs[where + 1 :]]
    text = ", ".join(f"{name}: {node}" for name, node in written)
    last = {"renamed": f"{key}x", "one more": "more", "null of absence": "fault"}.get(way, key)
    return way, (*outer, last), with_text(tree, tuple(outer), f"{{{text}}}")


def item_edit(tree: Any, path: Path, chance: random.Random) -> Edit:
    """Take an item of a list out, double it, or put a null beside it or in its place."""
    *outer, i = path
    items = [json.dumps(node) for node in at(tree, path[:-1])]
    ways = {
        "taken out": [],
        "doubled": [items[int(i)]] * 2,
        "null before": ["null", items[int(i)]],
        "in a list": [f"[{items[int(i)]}]"],
        "null": ["null"],
    }
    way = chance.choice(list(ways))
    text = ", ".join([*items[: int(i)], *ways[way], *items[int(i) + 1 :]])
    return f"item {way}", path, with_text(tree, tuple(outer), f"[{text}]")


def edits(tree: Any, number: int, chance: random.Random) -> Iterator[Edit]:
    """Yield edits at paths drawn evenly from kinds of fields, so that rare ones come too."""
    by_kind: dict[Path, list[Path]] = {}
    for path, _ in nodes(tree):
        by_kind.setdefault(tuple(s for s in path if isinstance(s, str)), []).append(path)
    for _ in range(number):
        path = chance.choice(by_kind[chance.choice(list(by_kind))])
        inside = item_edit if isinstance(path[-1], int) else member_edit
        is_scalar = not isinstance(at(tree, path), dict | list)
        edit = scalar_edit if is_scalar and chance.random() < 0.6 else inside
        yield edit(tree, path, chance)


# What is said of them


def is_default(value: Any) -> bool:
    """Tell whether a field without presence that holds this may be left out."""
    return value in (0, False, "", "0", []) or str(value).endswith("_UNSPECIFIED")


def problems_of(text: str) -> list[str]:
    """What is wrong with an edited record."""
    try:
        return verify_json(text)
    except UsageError as error:
        return [str(error)]


def name(path: Path) -> str:
    """A path as problems name it, such as `decisions[3].action`."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(parts).removeprefix(".")


def is_named(path: Path, problems: list[str]) -> bool:
    """Tell whether a problem names the field, or a message or list around it, or one inside."""
    names = [problem.partition(": ")[0] for problem in problems]
    around = {name(path[:length]) for length in range(1, len(path) + 1)}
    return any(one in around or one.startswith(name(path)) for one in names)


def missed(game: str, seats: int, seed: str, number: int) -> list[str]:
    """The edits of one record that were accepted and should not be, or not named."""
    record = random_record(game, seats, seed)
    tree = json.loads(record_to_json(record))
    found, chance = [], random.Random(f"{game} {seats} {seed}")
    for what, path, text in edits(tree, number, chance):
        problems = problems_of(text)
        if not problems:
            allowed = what == "left out" and is_default(at(tree, path))
            if not allowed or record_from_json(text) != record:
                found.append(f"{game} {seats} {seed}: {name(path)}: {what}: accepted")
        elif not is_named(path, problems):
            found.append(f"{game} {seats} {seed}: {name(path)}: {what}: {problems[0]}")
    return found


@pytest.mark.costly
@pytest.mark.parametrize("game", ["courtisans", "miracles"])
def test_an_edit_of_the_text_is_named(game: str) -> None:
    """Of some edits of records of both games: only defaults may be left out."""
    assert [line for seats in (2, 5) for line in missed(game, seats, "sample", 3)] == []


@pytest.mark.proof
@pytest.mark.parametrize("which", range(len(RECORDS)))
def test_every_edit_of_the_text_is_named(which: int, proof_cases: Callable[[int], int]) -> None:
    """Of 200 edits of each of 20 records: only defaults may be left out."""
    game, seats = RECORDS[which]

    assert missed(game, seats, f"record {which}", proof_cases(EDITS)) == []
