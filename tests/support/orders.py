"""How probably the order of a fit is right: the stopping rule of ladders."""

from collections.abc import Sequence

from ladder.rating.fit import Fit


def p_top_set(
    fit: Fit, k: int, among: Sequence[int] | None = None, indifference: float = 0.0
) -> float:
    """Return the probability that the k of highest theta are the strongest, in any order."""
    order = fit.order(among)
    return fit.doubts(order[:k], order[k:], indifference).chance


def p_ranking(fit: Fit, among: Sequence[int] | None = None, indifference: float = 0.0) -> float:
    """Return the probability that each version is stronger than the next by theta."""
    order = fit.order(among)
    return fit.doubts(order[:-1], order[1:], indifference, paired=True).chance
