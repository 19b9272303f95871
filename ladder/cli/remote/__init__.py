"""The client of a ladder elsewhere, reached through its author API."""
