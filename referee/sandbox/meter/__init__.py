"""The use of resources: trees of processes, their time."""
