"""Plays Courtisans over lines of JSON and breaks the one rule that its argument names.

With one that begins with "plain" it speaks the plain dialect, and could play any game.
It needs the standard library only, so it starts fast.
"""

import fcntl
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

Message = dict[str, Any]
FAULT = sys.argv[1]
PLAIN = FAULT.startswith("plain")
KNOWN = {
    "matchId",
    "request",
    "number",
    "start",
    "events",
    "observation",
    "legal",
    "timeMs",
    "bankMs",
}


def say(message: Message) -> None:
    """Send a message."""
    print(json.dumps(message), flush=True)


def hello() -> Message:
    """What it says first, if anything."""
    if FAULT == "unflushed":
        with os.fdopen(1, "w", closefd=False) as held:
            held.write('{"hello": {"protocolVersion": 1}}\n')
            sys.stdin.read()
    if FAULT == "endless":
        print('{"hello": {"protocolVersion": 1}}', end="", flush=True)
        sys.exit()
    if FAULT == "dials":
        os.environ["COURTYARD_ADDRESS"]
    message: Message = {"protocolVersion": 1, "name": "trial", "plain": PLAIN}
    match FAULT:
        case "no-hello":
            return {"matchId": "m", "decision": {"number": 1}}
        case "version":
            message["protocolVersion"] = 2
        case "limits":
            message["name"] = "x" * 65
        case "long-hello":
            message["name"] = "x" * 64
    return {"hello": message}


def is_rare(request: Message, memory: "Memory") -> bool:
    """Whether this is one of the few moments in which it errs."""
    match FAULT:
        case "rarely":
            return bool(request["observation"]["courtisans"].get("turn", 0) > 20)
        case "now-and-then":
            return memory.answers % 61 == 0
    return False


def action(request: Message, memory: "Memory") -> Message:
    """Play the hand as it stands, and eliminate no card: that is always legal."""
    table, own, other = request["observation"]["courtisans"]["hand"]
    opponent = request["legal"]["courtisans"]["opponents"][0]
    if is_rare(request, memory) and memory.answers % 2:
        table = own  # now this is wrong, now that
    elif FAULT == "illegal" or is_rare(request, memory):
        opponent = request["observation"]["courtisans"].get("seat", 0)
    if FAULT == "other-game":
        return {"miracles": {}}
    return {
        "courtisans": {
            "table": {"card": table},
            "side": "SIDE_ABOVE",
            "ownDomain": {"card": own},
            "opponentDomain": {"card": other},
            "opponent": opponent,
        }
    }


class Memory:
    """What it has seen so far."""

    def __init__(self) -> None:
        """Nothing."""
        self.starts = 0
        self.answers = 0
        self.deals: set[str] = set()
        self.is_playing = False


def decided(request: Message, memory: "Memory") -> Message:
    """Return the part of a Decision that says what it decides."""
    if not PLAIN:
        return {"action": action(request, memory)}
    options = request["plain"]["options"]
    wrong: dict[str, Message] = {
        "plain-action": {"action": {"courtisans": {}}},
        "plain-nothing": {},
        "plain-beyond": {"choice": len(options)},
    }
    return wrong.get(FAULT, {"choice": memory.answers % len(options)})


def hand(request: Message) -> str:
    """Return by what a bot knows a deal that comes again: the commitment is another one."""
    if PLAIN:
        return str(request["plain"]["text"])
    seen = request["observation"].get("courtisans") or request["observation"]["miracles"]
    return json.dumps([seen.get(key) for key in ("hand", "whiteMission", "blueMission", "plots")])


def spoil(told: Message, memory: Memory, length: int) -> None:
    """Stumble over a message that it should take."""
    request = told["request"]
    start = request.get("start", {})
    too_much = {
        "dies": request["number"] == 3,
        "four": start.get("seats") == 4,
        "one-match": memory.starts > 1,
        "one-deal": bool(start) and hand(request) in memory.deals,
        "no-void": bool(start) and memory.is_playing,
        "strict-fields": not {*told, *request} <= KNOWN,
        "small": length > 100_000,
        "events": request["number"] > 1 and "events" not in request,
    }
    if too_much.get(FAULT):
        sys.exit(f"this is too much: {FAULT}\x1b[2J[bold]")  # as far as a terminal lets it
    if FAULT == "hangs" or (FAULT == "stalls" and request["number"] == 3):
        sys.stdin.read()
    if FAULT == "slow" and request["timeMs"] < 1000:
        time.sleep(request["timeMs"] / 1000 + 0.3)


def answer(told: Message, memory: Memory) -> None:
    """Send what answers a request."""
    request = told["request"]
    memory.answers += 1
    message = {
        "matchId": told["matchId"][: 32 if FAULT == "short-id" else 64],
        "decision": {
            "number": 1 if FAULT == "always-1" else request["number"],
            **decided(request, memory),
        },
    }
    if FAULT == "no-json":
        print("I play the Queen", flush=True)
    elif FAULT == "no-decision":
        say({"hello": {"protocolVersion": 1}})
    else:
        say(message)
    if FAULT == "twice":
        say(message)


def request_came(told: Message, memory: Memory, length: int) -> None:
    """Answer a request, or stumble over it."""
    start = told["request"].get("start")
    memory.starts += start is not None
    spoil(told, memory, length)
    if start is not None:
        memory.deals.add(hand(told["request"]))
    memory.is_playing = True
    answer(told, memory)


def other_came(told: Message, memory: Memory) -> None:
    """Take what needs no answer, or not."""
    kind = told.get("fault", {}).get("kind")
    if (FAULT, kind) in (
        ("proud", "FAULT_KIND_ILLEGAL_ACTION"),
        ("sore-loser", "FAULT_KIND_TIMEOUT"),
    ):
        sys.exit("this is an insult")
    if "end" in told:
        memory.is_playing = False
    body = next((key for key in ("welcome", "end", "fault") if key in told), "unknown")
    if {"eager": "welcome", "thanks": "end", "regrets": "fault", "talker": "unknown"}.get(
        FAULT
    ) == body:
        say({"matchId": told.get("matchId", "")})


def play() -> None:
    """Play until the referee has no more to say."""
    memory = Memory()
    for line in sys.stdin:
        told = json.loads(line)
        if "request" in told:
            request_came(told, memory, len(line))
        else:
            other_came(told, memory)


def watch() -> None:
    """End everything when time jumps."""
    before = time.monotonic()
    while (now := time.monotonic()) - before < 0.4:
        before = now
        time.sleep(0.05)
    os._exit(5)


if FAULT == "nervous":
    threading.Thread(target=watch, daemon=True).start()
if FAULT == "no-start":
    sys.exit("something is missing here")
with Path(__file__).open() as own:
    if FAULT == "only-one":
        fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
    say(hello())
    if FAULT not in {"goodbye", "long-hello"}:
        play()
if FAULT == "lingers":
    time.sleep(100)
sys.exit(3 if FAULT == "status-3" else 0)
