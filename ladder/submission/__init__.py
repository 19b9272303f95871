"""Turns a bot's folder into a validated version."""
