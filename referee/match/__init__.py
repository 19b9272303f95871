"""One match, from its first decision to its record."""
