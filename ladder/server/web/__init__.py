"""The ladder's pages: one set of functions renders them for `ladder serve` and `ladder export`."""
