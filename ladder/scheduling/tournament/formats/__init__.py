"""The formats of tournaments: pure functions of the seeds and the results so far."""
