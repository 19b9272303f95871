"""Play matches with hostile bots at the level `trusted`, and print what came of each.

usage: python -m tests.security.portable_verdicts MATCHES

Each line is a list in JSON: the attack, its fault or null, and how many of its processes are left.
With tests/support/portable on PYTHONPATH this plays as where there is no Linux.
"""

import itertools
import json
import sys
import tempfile
from contextlib import closing
from functools import partial
from pathlib import Path

from referee.sandbox.program import Level
from tests.security.test_hostile_bots import ATTACKS, Scene
from tests.support.voids import counted

BOTS = (
    *("mute", "exits", "sleeper", "raider:spin", "crasher", "liar", "garbage", "giant", "twice"),
    *("raider:flood", "closer", "raider:scribble", "raider:stop_listening", "raider:daemon"),
    *("raider:forks", "raider:one_hog", "raider:many_hogs", "raider:disk", "raider:ponder"),
)
"""Mutes, spinners, liars, forkers and hoarders, and those who ignore what they are told."""


def main() -> None:
    """Play and print; the matches of each attack are spread evenly."""
    chosen = [attack for attack in ATTACKS if attack.bot in BOTS]
    with tempfile.TemporaryDirectory() as folder, closing(Scene(Level.TRUSTED, Path(folder))) as on:
        for attack in itertools.islice(itertools.cycle(chosen), int(sys.argv[1])):
            seen = counted(partial(on.play, attack))
            sys.stdout.write(json.dumps([attack.what, seen.fault, seen.left]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
