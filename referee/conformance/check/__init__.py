"""`referee check`: tries the rules of docs/protocol.md on a bot, one step after the other."""

SECONDS = 120.0
"""How long the steps after the build may take together."""
