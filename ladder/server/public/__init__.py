"""The public state of a ladder: read from the store, followed, told to all that show it."""
