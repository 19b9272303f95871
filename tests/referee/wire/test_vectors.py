"""The golden messages in proto/vectors/ are what the code says, in all their forms."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from courtyard.v1 import referee_pb2
from google.protobuf import json_format, text_format
from google.protobuf.message import Message

from referee.transports.framing import Framed, JsonLines
from referee.wire.encoding import varint

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "proto" / "vectors"
TYPES: dict[str, type[Message]] = {
    "courtyard.v1.BotMessage": referee_pb2.BotMessage,
    "courtyard.v1.RefereeMessage": referee_pb2.RefereeMessage,
}
EXCHANGES = ("courtisans", "courtisans-plain", "leduc", "miracles")
INDEX = json.loads((VECTORS / "index.json").read_text())


def files(folder: Path) -> dict[str, bytes]:
    """The contents of the files below a folder, by their path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "README.md"
    }


def message_at(path: str, kind: str) -> Message:
    """The message of one binary file."""
    return TYPES[kind].FromString((VECTORS / f"{path}.binpb").read_bytes())


def parts(message: Message) -> Iterator[tuple[str, object]]:
    """Every field that a message sets, however deep, and every enum value."""
    for descriptor, value in message.ListFields():
        yield message.DESCRIPTOR.full_name, descriptor.name
        for item in value if descriptor.is_repeated else [value]:
            if descriptor.message_type is not None:
                yield from parts(item)
            elif descriptor.enum_type is not None:
                yield descriptor.enum_type.full_name, item


def declared(kind: Any, seen: set[str]) -> Iterator[tuple[str, object]]:
    """Every field and enum value that a message of this type can have, however deep."""
    if kind.full_name not in seen:
        seen.add(kind.full_name)
        for descriptor in kind.fields:
            yield kind.full_name, descriptor.name
            if descriptor.message_type is not None:
                yield from declared(descriptor.message_type, seen)
            elif descriptor.enum_type is not None:
                for value in descriptor.enum_type.values[1:]:
                    yield descriptor.enum_type.full_name, value.number


def test_the_files_are_what_the_code_says(tmp_path: Path) -> None:
    """Writing them anew changes, adds and removes nothing; `make vectors` does it."""
    subprocess.run([sys.executable, ROOT / "scripts" / "vectors.py", tmp_path], check=True)
    fresh, committed = files(tmp_path), files(VECTORS)

    assert sorted(fresh) == sorted(committed)
    assert [name for name in fresh if fresh[name] != committed[name]] == []


def test_the_index_names_every_file() -> None:
    """Each message has its three forms, and there are no others."""
    listed = {f"{entry['path']}{end}" for entry in INDEX for end in (".binpb", ".json", ".txtpb")}
    found = {name for name in files(VECTORS) if not name.startswith("exchanges/")}

    assert found - {"index.json"} == listed


@pytest.mark.parametrize("entry", INDEX, ids=lambda entry: entry["path"])
def test_the_three_forms_are_one_message(entry: dict[str, Any]) -> None:
    """Each parses, is what the index says, and serialises to the same bytes."""
    data = (VECTORS / f"{entry['path']}.binpb").read_bytes()
    kind = TYPES[entry["message"]]
    forms = [
        kind.FromString(data),
        json_format.Parse((VECTORS / f"{entry['path']}.json").read_text(), kind()),
        text_format.Parse((VECTORS / f"{entry['path']}.txtpb").read_text(), kind()),
    ]

    assert [form.SerializeToString(deterministic=True) for form in forms] == [data] * 3
    assert forms[0].WhichOneof("body") == entry["body"]
    assert len(data) == entry["bytes"]


ONLY_IN_RECORDS = ("PlainAction", "PlainObservation", "PlainLegal", "PlainToldSeat")
"""Bots play the games that these belong to in the plain dialect."""


def is_only_in_records(part: tuple[str, object]) -> bool:
    """Whether a field never travels between the referee and a bot."""
    message, name = part
    holders = {f"courtyard.v1.Game{what}" for what in ("Action", "Observation", "Legal")}
    return (
        message.removeprefix("courtyard.v1.") in ONLY_IN_RECORDS
        or (message in holders and name == "plain")
        or part == ("courtyard.v1.PlainEvent", "told")
    )


def test_together_they_show_all_that_can_be_said() -> None:
    """Every field is set somewhere, and every enum value is held somewhere."""
    shown = {part for entry in INDEX for part in parts(message_at(entry["path"], entry["message"]))}
    seen = set[str]()
    possible = {part for kind in TYPES.values() for part in declared(kind.DESCRIPTOR, seen)}

    assert {part for part in possible if not is_only_in_records(part)} == shown


@pytest.mark.parametrize("game", EXCHANGES)
@pytest.mark.parametrize(
    ("sender", "kind"),
    [("bot", referee_pb2.BotMessage), ("referee", referee_pb2.RefereeMessage)],
)
def test_an_exchange_is_the_same_on_both_carriers(
    game: str, sender: str, kind: type[Message]
) -> None:
    """The lines and the framed messages say the same, in the same order."""
    stem = f"{VECTORS}/exchanges/{game}.{sender}"
    lines = Path(f"{stem}.jsonl").read_text().splitlines()
    messages = [json_format.Parse(line, kind()) for line in lines]
    payloads = [message.SerializeToString(deterministic=True) for message in messages]

    assert Path(f"{stem}.delimited").read_bytes() == b"".join(
        varint(len(payload)) + payload for payload in payloads
    )
    assert len(messages) > 3


@pytest.mark.parametrize("game", EXCHANGES)
def test_an_exchange_has_what_the_carriers_write(game: str) -> None:
    """What the referee says in it is, byte for byte, what it writes to a bot's stdin."""
    stem = f"{VECTORS}/exchanges/{game}.referee"
    lines = Path(f"{stem}.jsonl").read_bytes().splitlines(keepends=True)
    messages = [json_format.Parse(line, referee_pb2.RefereeMessage()) for line in lines]
    payloads = [message.SerializeToString(deterministic=True) for message in messages]

    assert [JsonLines.encode(payload) for payload in payloads] == lines
    assert b"".join(map(Framed.encode, payloads)) == Path(f"{stem}.delimited").read_bytes()


def test_every_kind_of_fault_is_there() -> None:
    """Each with what it alone tells."""
    faults = [
        referee_pb2.RefereeMessage.FromString((VECTORS / f"{entry['path']}.binpb").read_bytes())
        for entry in INDEX
        if entry["body"] == "fault"
    ]
    kinds = {message.fault.kind for message in faults}

    assert kinds == {*referee_pb2.FaultKind.values()} - {0}


def shown_on_the_page(heading: str) -> list[Any]:
    """The messages in one section of docs/protocol.md."""
    page = (ROOT / "docs" / "protocol.md").read_text()
    section = re.split(r"^#+ ", page.split(f"\n{heading}\n")[1], flags=re.MULTILINE)[0]
    blocks = re.findall(r"^```json\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return [json.loads(block) for block in blocks]


def test_the_page_of_the_protocol_shows_the_plain_dialect() -> None:
    """Hello, the first request and its answer, in a game that others bring."""
    bot, referee = (
        [json.loads(line) for line in (VECTORS / "exchanges" / name).read_text().splitlines()]
        for name in ("leduc.bot.jsonl", "leduc.referee.jsonl")
    )

    assert shown_on_the_page("### The plain dialect") == [bot[0], referee[1], bot[1]]


def test_the_page_of_the_protocol_shows_one_of_them() -> None:
    """The messages of its example are those of an exchange, the end without its details."""
    shown = shown_on_the_page("### An exchange")
    bot, referee = (
        [json.loads(line) for line in (VECTORS / "exchanges" / name).read_text().splitlines()]
        for name in ("courtisans.bot.jsonl", "courtisans.referee.jsonl")
    )
    for detail in ("events", "result"):
        del referee[-1]["end"][detail]

    assert shown == [bot[0], referee[0], referee[1], bot[1], referee[-1]]
    assert len(bot) - 1 == 10  # as the page says


@pytest.mark.parametrize("game", EXCHANGES)
def test_in_an_exchange_every_request_is_answered(game: str) -> None:
    """Hello and Welcome, then as many decisions as requests, of the same numbers; then the end."""
    stem = VECTORS / "exchanges"
    bot = [json.loads(line) for line in (stem / f"{game}.bot.jsonl").read_text().splitlines()]
    told = [json.loads(line) for line in (stem / f"{game}.referee.jsonl").read_text().splitlines()]

    assert "hello" in bot[0]
    assert "welcome" in told[0]
    assert "end" in told[-1]
    asked = [(message["matchId"], message["request"]["number"]) for message in told[1:-1]]
    assert [(message["matchId"], message["decision"]["number"]) for message in bot[1:]] == asked
