"""`referee check`: tests a bot against the rules of docs/protocol.md, step by step."""

SECONDS = 120.0
"""Time limit of all steps after the build."""
