"""What TrueSkill takes a game to be, in words."""

from ladder.model.settings import Tuning


def tuning(of: Tuning) -> str:
    """Return what the rating match by match takes a game to be."""
    return f"beta {of.beta:.2f} and a draw probability of {of.draw_probability:.3f}"
