"""Tournaments with an end: pure functions of the seeds and of the results so far."""
