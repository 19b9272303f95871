"""Tournaments: planner, formats, rules and results."""
