"""Takes a random option, in any game: a bot of the plain dialect."""

import json
import random
import sys

hello = {"protocolVersion": 1, "name": "random", "plain": True}
print(json.dumps({"hello": hello}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if request := message.get("request"):
        position = request["plain"]  # text, facts (JSON), features, prompt, options
        choice = random.randrange(len(position["options"]))
        decision = {"number": request["number"], "choice": choice}
        print(json.dumps({"matchId": message["matchId"], "decision": decision}), flush=True)
