"""The folder of a ladder: bundles, builds and archives of bots."""
