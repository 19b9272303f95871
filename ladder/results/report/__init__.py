"""The report: what the matches show beyond the standings, and how ratings come about."""
