"""Turns a folder into a version that can play."""
