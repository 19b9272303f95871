"""The public state of a ladder: reads it, follows changes, and hands it to pages and feed."""
