"""TrueSkill, match by match and over all matches at once."""
