"""Wants a bot's files: STORE LADDER DIGEST LOG [STEP]; each build adds a line to LOG."""

import sys
from pathlib import Path

from ladder.runner.cluster.bot_store import BotFiles, BotStore, pack
from ladder.storage.files.folder import Home
from referee.sandbox.program import Level


def main() -> None:
    """Build by a step of Python."""
    store, ladder, digest, log, *step = sys.argv[1:]
    built = f"open('built', 'w').write('x'); open({log!r}, 'a').write('once\\n')"
    files = BotFiles("eve", digest, (("python3", "-c", step[0] if step else built),))
    kept = BotStore(Path(store))
    kept.add(files, pack(Home(Path(ladder)), digest))
    with kept.lease([files], Level.TRUSTED) as (folders, _):
        assert isinstance(folders[digest], tuple)


if __name__ == "__main__":
    main()
