"""The game Courtisans. Rules: docs/rules/courtisans.md."""
