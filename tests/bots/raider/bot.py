"""Plays as it should, after it has tried to do harm in the way that its argument names.

What it may try is told by a file beside it, targets.json, so that it finds what a real attacker
would have to look for. It prints a line for all that it got. Whatever it does has an end: it is run
where nothing contains it, too.
"""

import json
import sys
from pathlib import Path

import hogs  # type: ignore[import-not-found]  # it is beside this
import looks  # type: ignore[import-not-found]
import wakes  # type: ignore[import-not-found]
from courtyard_kit.courtisans import Action, Position, run

TARGETS = json.loads(Path("targets.json").read_text())
ATTACKS = {**looks.ATTACKS, **hogs.ATTACKS, **wakes.ATTACKS}


def choose(position: Position) -> Action:
    """Attack once, at the first decision."""
    if position.turn <= position.seats:
        attack = ATTACKS[sys.argv[1]]
        print(sys.argv[1], "got:", attack(TARGETS) or "nothing", flush=True)
    hogs.before_answer()
    wakes.before_answer()
    return position.random_action()


run(choose, name="raider")
