"""Closes stdin, stdout and stderr, and plays on."""

import os

from courtyard_kit.courtisans import Position, run

for standard in (0, 1, 2):
    os.close(standard)

run(Position.random_action, name="closer")
