"""The bounds of a contained bot: files, system calls, limits."""
