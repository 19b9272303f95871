"""Records with odd JSON in any place: `verify`, `replay` and `repro` end in a line, never a bug.

Each text is a real record in which an odd value stands for one value, or an odd key for one key;
a forger's would have fitting seals besides, so the seals are made anew where the text is a record.
"""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from referee.conformance.testing import random_record
from referee.core.errors import UsageError
from referee.match.record import record_from_json, record_to_json, seals
from tests.support import json_edits

Ended = CompletedProcess[str]
Command = Callable[..., Ended]

Edit = tuple[Callable[[Any, json_edits.Path, str], str], json_edits.Path, str]

GAMES = ("courtisans", "miracles")
SAMPLE = {"courtisans": 5, "miracles": 1}
WHOLE = 4_000
"""Texts that the proof tries, half of them for each game."""
BATCH = 50

NUMBERS = (
    *("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "-0.0", "-0", "1e-400", "1.5", "3e0"),
    *("-1", "-2147483649", "2147483648", "4294967295", "4294967296", "18446744073709551615"),
    *("18446744073709551616", "9" * 30, "9" * 5_000),
)
TEXTS = (
    *(
        r'"\ud800"',
        r'"\udfff\ud800"',
        r'"a\u0000b"',
        r'"\ufeff"',
        r'"\u001b]52;c;aGk=\u0007"',
        '""',
    ),
    *('"NaN"', '"1e999"', '"-0"', '"٣"', '"="', '"//8="', f'"{"x" * 70_000}"', '"\x00"', "'a'"),
)
SHAPES = (
    *("null", "true", "[]", "{}", "[[]]", "[null]", "[1e999]", "[1, ]", r'{"\ud800": 1}'),
    *('{"[a]": 1}', '{"a": 1, "a": 2}', "[" * 90 + "]" * 90, "[" * 400 + "]" * 400),
    *('{"a":' * 300 + "1" + "}" * 300, "[" * 20_000 + "]" * 20_000, "[" * 20_000),
)
KEYS = (
    *(r'"\ud800"', r'"\u0000"', '""', '"[courtyard.v1.x]"', '"[]"', '"@type"', r'"\ufeff"'),
    *('"matchId"', '"game": null, "game"', '"\ud83d\ude00"', r'"\u001b[2J"', "1", "null"),
)
FILES = (
    *(
        b"",
        b" ",
        b"\xef\xbb\xbf{}",
        b"{}\0",
        b"{}{}",
        b"\xff\xfe{\0}\0",
        b"{",
        b'{"',
        b'{"a',
        b"NaN",
    ),
    *(b'{"\\ud800": 1}', b'{"format": 1e999}', b'{"a":' * 100_000, b"[" * 100_000, b'{"a": \xff}'),
)


def kinds(tree: Any) -> list[json_edits.Path]:
    """One path to each kind of field or item."""
    found = {
        tuple(step if isinstance(step, str) else 0 for step in path): path
        for path, _ in json_edits.nodes(tree)
    }
    return [*found.values()]


def texts(game: str, begin: int, end: int) -> list[str]:
    """Some of the odd texts of one record, in an order that the game alone decides."""
    tree = json.loads(record_to_json(random_record(game, 2, "odd")))
    values: list[Edit] = [
        (json_edits.with_text, path, odd)
        for path in kinds(tree)
        for odd in (*NUMBERS, *TEXTS, *SHAPES)
    ]
    named = [path for path in kinds(tree) if isinstance(path[-1], str)]
    keys: list[Edit] = [(json_edits.with_key, path, odd) for path in named for odd in KEYS]
    all_of_them = values + keys
    random.Random(game).shuffle(all_of_them)
    return [edit(tree, path, odd) for edit, path, odd in all_of_them[begin:end]]


def sealed_anew(text: str) -> str:
    """The text with fitting seals, if it is a record."""
    try:
        record = record_from_json(text)
    except UsageError:
        return text
    del record.seals[:]
    record.seals.extend(seals(record))
    return record_to_json(record)


def written(folder: Path, contents: Sequence[str]) -> Iterator[Path]:
    """Write each text to a file of its own, and once more with fitting seals if that differs."""
    for number, text in enumerate(contents):
        for again, content in enumerate(dict.fromkeys((text, sealed_anew(text)))):
            path = folder / f"{number}-{again}.json"
            path.write_bytes(content.encode("utf-8", "surrogatepass"))
            yield path


def check_ending(ended: Ended) -> None:
    """A command ends well, or with one line that any terminal can show."""
    assert ended.returncode in (0, 1)
    if ended.returncode:
        line = ended.stderr.splitlines()[-1]
        assert line.startswith("error: ")
        assert line.isprintable()
        assert "recursion" not in line
        assert "sys." not in line


def try_all(referee_here: Command, paths: Sequence[Path]) -> None:
    """Verify all files with one command; show each, and ask a bot that is not there again."""
    verified = referee_here("verify", *paths)
    check_ending(verified)
    told = [line for line in verified.stdout.splitlines() if line.startswith(str(paths[0].parent))]
    assert list(dict.fromkeys(line.partition(": ")[0] for line in told)) == [*map(str, paths)]
    assert all(line.isprintable() and len(line) < 1_000 for line in told)
    for path in paths:
        check_ending(referee_here("replay", path))
        check_ending(referee_here("repro", path, "--seat", "0", "--", "/nowhere/bot"))


@pytest.mark.sweep
@pytest.mark.parametrize("game", GAMES)
def test_an_odd_value_ends_in_a_line(game: str, referee_here: Command, tmp_path: Path) -> None:
    """A sample of the proof below."""
    try_all(referee_here, [*written(tmp_path, texts(game, 0, SAMPLE[game]))])


@pytest.mark.proof
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("game", GAMES)
def test_every_odd_value_ends_in_a_line(
    game: str,
    part: int,
    referee_here: Command,
    tmp_path: Path,
    proof_cases: Callable[[int], int],
) -> None:
    """Of 4,000 odd values in any place, none leads a command to a traceback."""
    number = proof_cases(WHOLE // len(GAMES) // 4)
    own = texts(game, part * number, (part + 1) * number)
    assert len(own) == number
    for begin in range(0, number, BATCH):
        try_all(referee_here, [*written(tmp_path, own[begin : begin + BATCH])])


def test_an_odd_file_ends_in_a_line(referee_here: Command, tmp_path: Path) -> None:
    """A byte order mark, two values, no value, UTF-16, nests that never end."""
    paths = [tmp_path / f"{number}.json" for number in range(len(FILES))]
    for path, content in zip(paths, FILES, strict=True):
        path.write_bytes(content)
    try_all(referee_here, paths)


@pytest.mark.parametrize("odd", ["1e999", r'{"\ud800": 1}', "9" * 5_000, "[" * 20_000])
def test_each_of_several_files_is_verified(odd: str, referee_here: Command, tmp_path: Path) -> None:
    """What one file holds keeps no other from being verified; the worst decides the status."""
    right = record_to_json(random_record("courtisans", 2, "right"))
    wrong = json_edits.with_text(
        json.loads(right), ("decisions", 0, "action", "courtisans", "side"), odd
    )
    paths = [tmp_path / name for name in ("a.json", "bad.json", "c.json")]
    for path, text in zip(paths, (right, wrong, right), strict=True):
        path.write_text(text)
    ended = referee_here("verify", *paths)
    lines = ended.stdout.splitlines()

    assert ended.returncode == 1
    assert f"{paths[0]}: true in every field" in lines
    assert f"{paths[2]}: true in every field" in lines
    assert any(line.startswith(f"{paths[1]}: ") for line in lines)
    assert str(paths[1]) in ended.stderr
