"""Plays every game: each request has some options, and the answer is the index of one of them."""

import json
import random
import sys
from typing import Any


def choose(position: dict[str, Any]) -> int:
    """Return the index of an option; `text` and `facts` say what the seat knows."""
    return random.randrange(len(position["options"]))


def say(message: dict[str, Any]) -> None:
    """Send a message to the referee."""
    print(json.dumps(message), flush=True)


say({"hello": {"protocolVersion": 1, "name": "python-plain", "plain": True}})
for line in sys.stdin:
    told = json.loads(line)
    if "request" in told:
        number, position = told["request"]["number"], told["request"]["plain"]
        decision = {"number": number, "choice": choose(position)}
        say({"matchId": told["matchId"], "decision": decision})
    elif "fault" in told:
        print("forfeited:", told["fault"]["reason"], file=sys.stderr)
