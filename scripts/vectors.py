"""Writes the golden messages of the protocol, for tests of bots in any language.

Usage: python scripts/vectors.py [FOLDER]. They go to FOLDER, or to proto/vectors/.

Random games of every kind, one of them brought by a distribution, are played in process, and of all
that is said in them the fewest messages are kept that together set every field and hold every enum
value that was seen. The same code gives the same files.
"""

import json
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from courtyard.v1 import referee_pb2
from google.protobuf import json_format, text_format
from google.protobuf.message import Message

from referee.conformance.testing import (
    Behaviour,
    Script,
    SeatRequest,
    exits,
    is_silent,
    late_by,
    play,
    plays,
    sends,
)
from referee.core.faults import Fault, FaultKind
from referee.games import game_named
from referee.games.base import Seat
from referee.match.match import Match, MatchSetup
from referee.wire import envelope
from referee.wire.encoding import varint

ROOT = Path(__file__).parent.parent
VECTORS = ROOT / "proto" / "vectors"
sys.path.insert(0, str(ROOT))
from tests.support.installed import EXAMPLES, install  # noqa: E402 -- it is found from here on

SENDERS = {"bot": referee_pb2.BotMessage, "referee": referee_pb2.RefereeMessage}

_OTHER_RULES = {
    "king_ends_at_once": False,
    "move_may_stay": True,
    "income_without_action": True,
    "wrath_on_empty": True,
    "controller_places_again": True,
    "nearest_swordsman_first": True,
    "courtesan_frees_contested": True,
}


def typed_in(data: Any) -> Any:
    """Return a data set all of which is from the print, and whose lines give coins."""
    if not isinstance(data, dict):
        return data
    known = {"bonus": "coin 2"}
    return {
        key: "print" if key.endswith("source") else known.get(key, typed_in(value))
        for key, value in data.items()
    }


_STANDARD = tomllib.loads((ROOT / "referee/games/miracles/standard.toml").read_text())
_PRINT = {"data": {**typed_in(_STANDARD), "name": "typed-in"}, "max_rounds": 15}
GAMES: Mapping[str, Sequence[tuple[int, int, Mapping[str, Any]]]] = {
    "courtisans": (
        (2, 4, {}),
        (2, 7, {"reveal_eliminated_spies": True, "noble_weight_in_missions": 1}),
        (2, 8, {}),
        (5, 2, {}),
        (5, 9, {}),
    ),
    "miracles": (
        (5, 9, {"max_rounds": 2}),
        (3, 2, _OTHER_RULES),
        (4, 121, {}),
        (5, 24, _PRINT),
    ),
    "leduc": ((2, 1, {}),),
    "courtisans-plain": ((2, 4, {}),),
}
"""The random games, by seats, seed, and what differs from the default configuration.

Where the name ends with "-plain", the bots speak the plain dialect in a game with its own messages.

Few were found in which together everything occurs. The first is also kept as a whole exchange.
"""


def illegal(asked: SeatRequest) -> bytes:
    """Answer with an action of the game in which nothing is set, or an option that is not there."""
    if asked.match.step is not None:
        return envelope.choice_answer(asked.match.setup.match_id, asked.number, 99)
    reply = referee_pb2.BotMessage(match_id=asked.match.setup.match_id)
    reply.decision.number = asked.number
    getattr(reply.decision.action, asked.match.setup.game).SetInParent()
    return reply.SerializeToString()


FAULTS: Sequence[Behaviour] = (
    lambda _: Fault(FaultKind.FAILED_TO_START, "no Hello", exit_code=7),
    late_by(1_500),
    is_silent,
    exits(3),
    lambda _: Fault(FaultKind.DISCONNECTED, "its process was ended by SIGKILL", signal=9),
    sends(b"\xff no message"),
    illegal,
)
"""How seats forfeit in some of the games."""
_TOKEN = "fJ3k-_9xQ"  # noqa: S105 -- of no seat
_MOST_REQUESTS = 3_000
_COST = 100
"""What keeping one more message costs, in bytes: many small ones are not better than one."""

Marks = frozenset[tuple[str, str | int]]


@dataclass(frozen=True, slots=True)
class Said:
    """A message as it was said."""

    message: Message
    seat: Seat


class Game:
    """A random game with all that was said in it: requests with their answers, faults, ends."""

    def __init__(
        self,
        name: str,
        seats: int,
        seed: int,
        config: Mapping[str, Any],
        fault: Behaviour | None = None,
    ) -> None:
        """Play it; with a fault, the last seat forfeits by it at its second decision."""
        self.said: list[Said] = []
        script = dict.fromkeys(range(1, _MOST_REQUESTS), self._remembered(plays))
        scripts: dict[Seat, Script] = dict.fromkeys(range(seats), script)
        if fault is not None:
            scripts[seats - 1] = {**script, 2: self._remembered(fault)}
        # Golden messages stay as they are: they are drawn as they were when they were chosen.
        game = name.removesuffix("-plain")
        setup = MatchSetup(f"{name}-{seats}-{seed}", game, seats, str(seed), config, format=1)
        match = Match(setup)
        if game != name:
            match.use_plain_dialect(range(seats))
        for told in play(match, scripts):
            message = referee_pb2.RefereeMessage.FromString(told.payload)
            if not message.HasField("request"):
                self.said.append(Said(message, told.seat))

    def _remembered(self, behave: Behaviour) -> Behaviour:
        def remember(asked: SeatRequest) -> bytes | Fault:
            seat = asked.due.seat
            self.said.append(Said(referee_pb2.RefereeMessage.FromString(asked.due.payload), seat))
            reply = behave(asked)
            if behave is plays and isinstance(reply, bytes):
                self.said.append(Said(referee_pb2.BotMessage.FromString(reply), seat))
            return reply

        return remember


def greetings() -> Iterator[tuple[str, Message]]:
    """Yield the messages that need no game, by the names of their files."""
    for name, hello in {
        "hello": referee_pb2.Hello(protocol_version=1, name="my-bot", seat_token=_TOKEN),
        "hello-least": referee_pb2.Hello(protocol_version=1),
        "hello-most": referee_pb2.Hello(
            protocol_version=1, name="é" * 64, seat_token="t" * 128, max_matches=1024
        ),
        "hello-remote": referee_pb2.Hello(
            protocol_version=1, name="my-bot@2", seat_token=_TOKEN, max_matches=4, resumes=True
        ),
        "hello-plain": referee_pb2.Hello(protocol_version=1, name="my-bot", plain=True),
    }.items():
        yield name, referee_pb2.BotMessage(hello=hello)
    for name, message in {
        "welcome-remote": envelope.welcome("1.2.3", "my-bot@2", "ipv4:192.0.2.7:40112"),
        "welcome": envelope.welcome("1.2.3"),
    }.items():
        yield name, referee_pb2.RefereeMessage.FromString(message)
    marked = referee_pb2.Decision(number=7, choice=0, stand_in=True)
    yield "decision-stand-in", referee_pb2.BotMessage(match_id="any-1", decision=marked)


def games(name: str) -> Iterator[Game]:
    """Yield the random games of one game, and one for every fault."""
    for seats, seed, config in GAMES[name]:
        yield Game(name, seats, seed, config)
    seats = min(3, game_named(name.removesuffix("-plain")).seats[-1])
    for fault in FAULTS:
        yield Game(name, seats, 0, {}, fault)


def marks(message: Message) -> Iterator[tuple[str, str | int]]:
    """Yield every field that a message sets and every enum value that it holds."""
    for descriptor, value in message.ListFields():
        yield message.DESCRIPTOR.full_name, descriptor.name
        for item in value if descriptor.is_repeated else [value]:
            if descriptor.message_type is not None:
                yield from marks(item)
            elif descriptor.enum_type is not None:
                yield descriptor.enum_type.full_name, item
                if isinstance(message, referee_pb2.Fault):
                    yield f"{descriptor.enum_type.full_name} of a fault", item


def chosen(name: str) -> list[tuple[str, Message]]:
    """Return messages of a game that together set all that is ever set, by the names of files."""
    pool: dict[tuple[str, bytes], tuple[Message, Marks]] = {}
    for game in games(name):
        for said in game.said:
            body = said.message.WhichOneof("body") or ""
            key = body, said.message.SerializeToString(deterministic=True)
            pool.setdefault(key, (said.message, frozenset(marks(said.message))))
    missing = Marks().union(*(marked for _, marked in pool.values()))
    kept: dict[str, list[Message]] = {}
    while missing:
        (body, _), (message, marked) = max(
            pool.items(), key=lambda item: len(item[1][1] & missing) / (_COST + len(item[0][1]))
        )
        missing -= marked
        kept.setdefault(body, []).append(message)
    return [
        (f"{body}-{i}", message)
        for body, messages in sorted(kept.items())
        for i, message in enumerate(messages, 1)
    ]


def exchange(name: str) -> list[Message]:
    """Return all that passes between the referee and the bot on seat 0 in one match."""
    said = Game(name, *GAMES[name][0]).said
    greeted = dict(greetings())
    marked = {mark for one in said for mark, _ in marks(one.message)}
    is_typed = "courtyard.v1.GameAction" in marked
    hello = greeted["hello" if is_typed else "hello-plain"]
    return [hello, greeted["welcome"], *(one.message for one in said if one.seat == 0)]


def as_json(message: Message) -> str:
    """Return a message as one line of proto3 JSON, as short as it can be."""
    return json.dumps(json_format.MessageToDict(message), separators=(",", ":")) + "\n"


def write(folder: Path) -> None:
    """Write every file, and remove what was there before."""
    for stale in folder.glob("*/"):
        shutil.rmtree(stale)
    index = []
    for game, messages in {
        "greetings": list(greetings()),
        **{name: chosen(name) for name in GAMES},
    }.items():
        (folder / game).mkdir(parents=True)
        for name, message in messages:
            path = folder / game / name
            data = message.SerializeToString(deterministic=True)
            path.with_suffix(".binpb").write_bytes(data)
            path.with_suffix(".json").write_text(as_json(message))
            path.with_suffix(".txtpb").write_text(
                text_format.MessageToString(message, as_utf8=True)
            )
            index.append(_entry(f"{game}/{name}", message, len(data)))
    _write_exchanges(folder / "exchanges")
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n")


def _entry(path: str, message: Message, size: int) -> dict[str, str | int]:
    return {
        "path": path,
        "message": message.DESCRIPTOR.full_name,
        "body": message.WhichOneof("body") or "",
        "bytes": size,
    }


def _write_exchanges(folder: Path) -> None:
    folder.mkdir()
    for name in GAMES:
        messages = exchange(name)
        for sender, kind in SENDERS.items():
            own = [message for message in messages if isinstance(message, kind)]
            (folder / f"{name}.{sender}.jsonl").write_text("".join(map(as_json, own)))
            (folder / f"{name}.{sender}.delimited").write_bytes(b"".join(map(_delimited, own)))


def _delimited(message: Message) -> bytes:
    """Return a message behind its length, as it travels on stdio."""
    data = message.SerializeToString(deterministic=True)
    return varint(len(data)) + data


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as site:
        install(EXAMPLES / "leduc", Path(site))
        sys.path.insert(0, site)
        write(Path(sys.argv[1]) if len(sys.argv) > 1 else VECTORS)
