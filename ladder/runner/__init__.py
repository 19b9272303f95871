"""Plays planned matches in processes of their own."""
