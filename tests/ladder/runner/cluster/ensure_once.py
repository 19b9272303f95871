"""Wants a bot's files: STORE LADDER DIGEST LOG [STEP]; each fetch adds a line to LOG."""

import sys
from collections.abc import Iterator
from pathlib import Path

from ladder.runner.cluster.bot_store import BotFiles, BotStore, pack
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level


def main() -> None:
    """Build by a step of Python."""
    store, ladder, digest, log, *step = sys.argv[1:]
    script = step[0] if step else "open('built', 'w').write('x')"

    def fetch(digest: str) -> Iterator[bytes]:
        with Path(log).open("a") as file:
            file.write("once\n")
        return pack(Home(Path(ladder)), digest)

    with BotStore(Path(store)).lease(fetch, Level.TRUSTED) as lease:
        lease.ensure(BotFiles("eve", digest, (("python3", "-c", script),)))


if __name__ == "__main__":
    main()
