"""Seasons: between rounds, commands edit the bots of a ladder."""
