"""The commands of `ladder`, by topic: each parses, calls, prints."""
