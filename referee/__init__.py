"""The referee runs one match; it knows nothing of ladders."""
