"""Plays a ladder's matches on several machines, whose workers a Dask scheduler connects.

`ladder.runner.cluster.pool` is the run's side, `task` a worker's. The messages between the run
and the workers are in `wire`; every connection is TLS, with certificates on both sides.
"""
