"""TrueSkill's parameters of a game, in words."""

from ladder.model.settings import Tuning


def tuning(of: Tuning) -> str:
    """Return the parameters of the match-by-match rating in words."""
    return f"beta {of.beta:.2f} and a draw probability of {of.draw_probability:.3f}"
