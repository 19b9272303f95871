"""The name of what plays empty seats, and takes over where a bot forfeits."""

STAND_IN_NAME = "stand-in"
"""As in records; no bot may have it."""
