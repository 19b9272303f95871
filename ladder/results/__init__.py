"""Answers questions from finished matches."""
