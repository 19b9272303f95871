"""The gateway to which remote bots connect."""
