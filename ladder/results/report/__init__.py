"""What a ladder's matches say beyond its standings, and how these come about."""
