"""One end of a channel between two sandboxes: obeys a laboratory line by line.

`bot.py CHANNEL` reads commands from stdin and answers each with a line: `0` and `1` let the sender
send that, `?` lets the receiver say what it reads, a number, or `-` and why it reads nothing.
"""

import sys
from typing import Any

import counters  # type: ignore[import-not-found]  # it is beside this
import files  # type: ignore[import-not-found]

CHANNELS: dict[str, Any] = {**files.CHANNELS, **counters.CHANNELS}


def main() -> None:
    """Obey until stdin ends."""
    channel = CHANNELS[sys.argv[1]]()
    for line in sys.stdin:
        try:
            if line == "?\n":
                said = str(channel.read())
            else:
                channel.send(int(line))
                said = "sent"
        except (OSError, LookupError, ValueError) as error:
            said = f"- {type(error).__name__}: {error}"
        print(said, flush=True)


main()
