"""Tables of a round robin, of a group and of a Swiss tournament: scores and tie-breaks."""

from fractions import Fraction
from itertools import combinations

from facts import Meeting, Tournament

DIRECT, OPPONENTS, FIRSTS = "direct encounter", "opponents' scores", "first places"


class Ranking:
    """The order of some bots by some meetings."""

    def __init__(self, cup: Tournament, bots: list[str], meetings: list[Meeting]) -> None:
        """Rank these bots, which stand in the order of their seeds."""
        self._cup, self._bots, self._meetings = cup, bots, meetings

    def of(self, bot: str) -> list[Meeting]:
        """Its meetings that count."""
        return [m for m in self._meetings if bot in m.bots]

    def byes(self, bot: str) -> list[int]:
        """The rounds that it had no table in, before it left; also what it missed and returned."""
        sat = {m.round for m in self._meetings if bot in m.told["entrants"]}
        rounds = sorted({m.round for m in self._meetings})
        return [n for n in rounds if n not in sat and self._cup.left.get(bot, n + 1) > n]

    def _bye_points(self, bot: str) -> list[Fraction]:
        return [self._cup.given.get((n, bot), Fraction(1, 2)) for n in self.byes(bot)]

    def _met(self, one: str, other: str) -> list[Meeting]:
        return [m for m in self.of(one) if other in m.bots and other != one]

    def against(self, one: str, other: str) -> Fraction:
        """The mean of what one scored against another."""
        met = self._met(one, other)
        return sum((m.against(one, other) for m in met), Fraction()) / len(met)

    def score(self, bot: str) -> Fraction:
        """In a round robin the mean over the opponents, in a Swiss the sum with the byes."""
        if self._cup.format == "swiss":
            total = sum((m.scores()[bot] for m in self.of(bot)), Fraction())
            return total + sum(self._bye_points(bot), Fraction())
        others = [o for o in self._bots if self._met(bot, o)]
        return sum((self.against(bot, o) for o in others), Fraction()) / max(1, len(others))

    def a_round(self, bot: str) -> Fraction:
        """The score a round."""
        if self._cup.format != "swiss":
            return self.score(bot)
        scored = sum(points > 0 for points in self._bye_points(bot))
        return self.score(bot) / max(1, len(self.of(bot)) + scored)

    def compared(self, bot: str) -> dict[str, Fraction | None]:
        """The tie-breaks of a bot, in order; None where it is not asked."""
        return {
            DIRECT: self._direct(bot),
            OPPONENTS: self._opponents(bot),
            FIRSTS: self._firsts(bot),
        }

    def _direct(self, bot: str) -> Fraction | None:
        equals = [
            o
            for o in self._bots
            if self.score(o) == self.score(bot) and self._counts(o) == self._counts(bot)
        ]
        if len(equals) < 2 or not all(self._met(*pair) for pair in combinations(equals, 2)):
            return None
        others = [o for o in equals if o != bot]
        return sum((self.against(bot, o) for o in others), Fraction()) / len(others)

    def _counts(self, bot: str) -> bool:
        return bot not in self._cup.uncounted

    def _opponents(self, bot: str) -> Fraction:
        scores = [self.a_round(o) for m in self.of(bot) for o in m.bots if o != bot]
        return sum(scores, Fraction()) / max(1, len(scores))

    def _firsts(self, bot: str) -> Fraction:
        matches = [(match, m.bots) for m in self.of(bot) for match in m.counts]
        won = sum((match.first(bot, bots) for match, bots in matches), Fraction())
        return won / max(1, len(matches))

    def level(self, bot: str) -> tuple[Fraction, ...]:
        """All that parts places; bots level in it share one."""
        breaks = (-(value or Fraction()) for value in self.compared(bot).values())
        return (-self.score(bot), Fraction(not self._counts(bot)), *breaks)

    def order(self) -> list[str]:
        """The first place first; bots that share one by seed."""
        level = {bot: self.level(bot) for bot in self._bots}
        return sorted(self._bots, key=lambda bot: (level[bot], self._bots.index(bot)))

    def places(self) -> dict[str, int]:
        """The place of each."""
        level = {bot: self.level(bot) for bot in self._bots}
        return {bot: 1 + sum(level[o] < level[bot] for o in self._bots) for bot in self._bots}
