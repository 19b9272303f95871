"""Plays every game: each request has some options, and the answer is the index of one of them."""

import json
import random
import sys
from typing import Any


def choose(position: dict[str, Any]) -> int:
    """Return the index of an option; `text` and `facts` hold the seat's knowledge."""
    return random.randrange(len(position["options"]))


def send(message: dict[str, Any]) -> None:
    """Send a message to the referee."""
    print(json.dumps(message), flush=True)


send({"hello": {"protocolVersion": 1, "name": "python-plain", "plain": True}})
for line in sys.stdin:
    message = json.loads(line)
    if "request" in message:
        number, position = message["request"]["number"], message["request"]["plain"]
        decision = {"number": number, "choice": choose(position)}
        send({"matchId": message["matchId"], "decision": decision})
    elif "fault" in message:
        print("forfeited:", message["fault"]["reason"], file=sys.stderr)
