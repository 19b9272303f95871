"""What a model is told: the rules, what has happened, what its seat knows, and the question."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from answer import CHOICE, MOVE
from courtyard.v1 import referee_pb2
from courtyard_kit.connection import Turn
from google.protobuf import json_format

from ladder.storage.files.docs import rules_of
from referee.games import game_named
from referee.games.base import GameError

Message = dict[str, str]
"""One message of a chat: `role` and `content`."""

_LISTED = f"""\
End your answer with one JSON object that holds the number of the option you choose, such as
{{"{CHOICE}": 1}}. Only the last JSON object of your answer counts."""
_UNLISTED = f"""\
The legal moves are not listed: derive them from the rules. End your answer with one JSON object
that holds your move in the words of the question, such as {{"{MOVE}": "..."}}. Only the last JSON
object of your answer counts."""


def rules(game: str) -> str:
    """Return the rules of a game as Markdown, with its title; empty if they are not here."""
    try:
        text, title = rules_of(game), game_named(game).title
    except GameError:  # played by the ladder, but not installed here
        return ""
    return text if text.startswith("# ") else f"# {title}\n\n{text}"


def system(start: referee_pb2.MatchStart, *, listed: bool) -> Message:
    """Return the message that is the same for all decisions of a seat in a match."""
    config = json_format.MessageToDict(start.config, preserving_proto_field_name=True)
    return {
        "role": "system",
        "content": f"You play a game on seat {start.seat} of seats 0 to {start.seats - 1}, and "
        f"want the best place at its end.\n\n{_LISTED if listed else _UNLISTED}\n\n"
        f"{rules(start.game) or f'The game is called {start.game}.'}\n\n"
        f"Settings of this match: {_json(config)}\n\nIn settings and events of this form, what is "
        "absent is 0, empty or the first seat.",
    }


def question(turn: Turn, history: Sequence[str], *, listed: bool) -> Message:
    """Return the message that asks for one decision, or for one step of it."""
    plain = turn.request.plain
    parts = [
        "What has happened in this match:\n" + "\n".join(history or ["nothing"]),
        "What you know now:\n" + "\n".join(plain.text),
        plain.prompt,
    ]
    if listed:
        parts.append("\n".join(f"{i}. {label}" for i, label in enumerate(plain.options, 1)))
    return {"role": "user", "content": "\n\n".join(parts)}


def again(answer: str, why: str) -> list[Message]:
    """Return the messages that ask once more after an answer that cannot be played."""
    return [
        {"role": "assistant", "content": answer or "(no text)"},
        {"role": "user", "content": f"That was not played: {why}. Answer the question again."},
    ]


def told(request: referee_pb2.DecisionRequest) -> Iterator[str]:
    """Yield the events of a request, in words where the game tells them so, else as JSON."""
    for event in request.events:
        if event.HasField("forfeit"):
            yield f"seat {event.forfeit.seat} has forfeited; chance plays on for it"
        elif event.game.HasField("plain"):
            yield event.game.plain.text.replace("@", "seat ")
        else:
            yield _json(json_format.MessageToDict(event.game, preserving_proto_field_name=True))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
