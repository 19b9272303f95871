"""Runs bots: starts them, seats them, plays their matches."""
