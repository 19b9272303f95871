"""Build and start bots, seat them, and play their matches."""
