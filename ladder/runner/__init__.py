"""Plays planned matches in worker processes and stores each result once."""
