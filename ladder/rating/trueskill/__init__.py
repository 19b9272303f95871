"""TrueSkill: the package's model, match by match and over all matches at once."""
