"""Ratings and tests: pure functions of the results."""
