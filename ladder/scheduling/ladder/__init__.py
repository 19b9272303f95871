"""Schedulers of a standing ladder."""
