"""One end of the channels between two sandboxes: obeys a laboratory line by line.

A name lets it use that channel, `0` and `1` let the sender send that, and `?` lets the receiver say
what it reads: a number, or `-` and why it reads nothing. It answers each line with a line.
"""

import sys
from typing import Any

import counters  # type: ignore[import-not-found]  # it is beside this
import files  # type: ignore[import-not-found]
import inodes  # type: ignore[import-not-found]
import shares  # type: ignore[import-not-found]
import totals  # type: ignore[import-not-found]

CHANNELS: dict[str, Any] = {
    name: channel
    for module in (files, inodes, totals, counters, shares)
    for name, channel in module.CHANNELS.items()
}


def main() -> None:
    """Obey until stdin ends."""
    channel: Any = None
    for line in sys.stdin:
        order = line.strip()
        try:
            if order in CHANNELS:
                channel = CHANNELS[order]()
                said = "ready"
            elif order == "?":
                said = str(channel.read())
            else:
                channel.send(int(order))
                said = "sent"
        except (OSError, LookupError, ValueError, RuntimeError) as error:
            said = f"- {type(error).__name__}: {error}"
        print(said, flush=True)


main()
