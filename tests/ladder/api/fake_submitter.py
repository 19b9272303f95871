"""Submits as `ladder.api.submission` does, with validation matches that need no bots.

A bot with the words "wait for the door" in its program waits until the door ends the submission.
"""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

from ladder.api.submission import main
from tests.ladder.fake_host import FakeHost

home, folder, author, scratch = sys.argv[1:]
if any("wait for the door" in file.read_text() for file in Path(folder).glob("bot.py")):
    FakeHost.play = lambda *_: threading.Event().wait()  # type: ignore[method-assign]
main(Path(home), Path(folder), author, Path(scratch), lambda _: FakeHost)
