"""Exits with status 7 before it says Hello."""

import sys

print("something is missing here", file=sys.stderr)
sys.exit(7)
