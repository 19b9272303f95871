"""The game La Cour des Miracles. Rules: docs/rules/miracles.md."""
