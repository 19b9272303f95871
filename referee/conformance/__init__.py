"""Checks bots against the protocol, and games against what every game must do."""
