"""The game La Cour des Miracles. Its rules are told in docs/rules/miracles.md."""
