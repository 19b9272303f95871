"""Stops bots while it is not their turn, and notices pauses and overload."""
