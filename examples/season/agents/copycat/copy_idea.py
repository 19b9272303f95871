"""Looks at the sample bots among the docs, and plays as `greedy` does."""

from pathlib import Path

idea = Path("seen/sample_bots/greedy/bot.py").read_text()
Path("bot/bot.py").write_text(idea.replace('name="greedy"', 'name="copycat"'))
