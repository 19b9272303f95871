"""Plays one match, and then leaves as its argument says.

"never": it stays; a number: it exits after as many ms; "crashes": it exits with status 3;
"closes": it ends its stream, and its process lives on; "deaf": it reads on and answers nothing.
"""

import json
import os
import sys
import time
from typing import Any

HOW = sys.argv[1]


def say(message: dict[str, Any]) -> None:
    """Send one message."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def decision(message: dict[str, Any]) -> dict[str, Any]:
    """Play the first cards."""
    request = message["request"]
    first, second, third = request["observation"]["courtisans"]["hand"]
    turn = {
        "table": {"card": first},
        "side": "SIDE_ABOVE",
        "ownDomain": {"card": second},
        "opponentDomain": {"card": third},
        "opponent": request["legal"]["courtisans"]["opponents"][0],
    }
    return {"number": request["number"], "action": {"courtisans": turn}}


def leave() -> None:
    """Leave, unless the bot stays."""
    if HOW == "closes":
        os.close(sys.stdout.fileno())
        time.sleep(1000)
    elif HOW == "crashes":
        sys.exit(3)
    elif HOW == "deaf":
        while sys.stdin.readline():
            pass
    elif HOW != "never":
        time.sleep(int(HOW) / 1000)
        sys.exit(0)


say({"hello": {"protocolVersion": 1, "name": "leaver"}})
for line in sys.stdin:
    received = json.loads(line)
    if "request" in received:
        say({"matchId": received["matchId"], "decision": decision(received)})
    elif "end" in received:
        leave()
