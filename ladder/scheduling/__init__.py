"""Decides what to play next, as a pure function of the history."""
