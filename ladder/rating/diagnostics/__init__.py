"""What a log of results says beyond the order of the bots."""
