"""Schedules matches between bots, rates the bots, keeps and shows the standings."""

import os

# Ratings are worked out by one thread: the matrices are small, so more threads mostly wait for each
# other, at ten times the CPU time on a busy machine, and their number would change the last bits.
# What multiplies the matrices reads this when numpy is first imported.
for _name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")
