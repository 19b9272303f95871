"""Checks bots against the protocol, and games against the contract of every game."""
