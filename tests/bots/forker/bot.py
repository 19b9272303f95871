"""Starts a child that outlives it, and exits with status 4 when it is asked."""

import subprocess
import sys

from courtyard_kit.courtisans import Action, Position, run


def choose(position: Position) -> Action:
    """Exit; the child still holds stdout and stderr."""
    sys.exit(4)


subprocess.Popen(["sleep", "100000"])
run(choose, name="forker")
