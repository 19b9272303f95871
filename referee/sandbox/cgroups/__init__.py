"""Control groups of both versions: limits, counts, freezing, memory."""
