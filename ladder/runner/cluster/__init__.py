"""Plays a ladder's matches on several machines, whose workers a Dask scheduler connects.

`ladder.runner.cluster.pool` is the run's side, `task` what a worker does. What the run and the
workers tell each other is in `wire`; every connection is TLS, with certificates on both sides.
"""
