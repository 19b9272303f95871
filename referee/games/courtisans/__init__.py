"""The game Courtisans. Its rules are told in docs/rules/courtisans.md."""
