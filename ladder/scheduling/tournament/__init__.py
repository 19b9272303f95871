"""Tournaments: their formats, rules and results."""
