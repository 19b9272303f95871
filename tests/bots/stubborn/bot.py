"""Ignores every signal that can be ignored, and stays when there are no more matches."""

import signal
import time

from courtyard_kit.courtisans import Position, run

for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)

run(Position.random_action, name="stubborn")
time.sleep(100_000)
