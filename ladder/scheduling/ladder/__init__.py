"""The planner and the schedulers of a standing ladder."""
