"""Diagnostics of a log: seats, pairs, deal variance and collusion."""
