"""Schedules matches between bots, rates the bots, keeps and shows the standings."""
