"""Shows matches to people."""
