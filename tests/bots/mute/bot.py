"""Runs, but never says Hello."""

import time

time.sleep(100_000)
