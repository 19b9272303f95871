"""The steps, each from the revision before to its own."""
