"""Show matches to people."""
