"""Duels: two bots, mirrored pairs of matches and a sequential test."""
