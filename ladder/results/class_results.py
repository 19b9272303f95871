"""The results of a class's members, also against the bots of the house.

The bots of the ladder's owner are the yardsticks: they stay as they are, so what a member takes
from them compares from one year to the next, as a place in the class does not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ladder.model.members import Member
from ladder.results import queries
from ladder.results.standings import Standing
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bot_results, bots
from ladder.storage.tables.bot_results import Opponent


@dataclass(frozen=True, slots=True)
class MemberResult:
    """The results of a member's best bot."""

    place: int | None
    """In the class, from 1; None without a bot that plays."""
    name: str
    author: str
    standing: Standing | None
    """The line of the member's best bot; None without one."""
    against: Mapping[str, Opponent]
    """Its results against each bot of the house that it met."""

    def shares(self, house: Sequence[str]) -> list[float | None]:
        """Return the share of matches ahead of each of these bots; None if it was not met."""
        return [self.against[bot].share if bot in self.against else None for bot in house]

    @property
    def mark(self) -> float | None:
        """The mean, over the bots of the house, of the share of matches ahead; None if none met."""
        shares = [each.share for each in self.against.values()]
        return sum(shares) / len(shares) if shares else None


@dataclass(frozen=True, slots=True)
class ClassResults:
    """The results of a class."""

    heading: str
    house: Sequence[str]
    """The bots of the ladder's owner, the strongest first."""
    members: Sequence[MemberResult]
    """By place, then by name."""


def class_results(ladder: Ladder, members: Sequence[Member]) -> ClassResults:
    """Return the results of a class, each member's by the best-ranked bot."""
    rows = queries.standings(ladder)
    playing = {version.bot: version for version in queries.playing(ladder)}
    with ladder.database.read() as tx:
        authors = bots.authors(tx)
        best: dict[str, Standing] = {}
        for row in rows:
            if row.bot in authors:
                best.setdefault(authors[row.bot], row)
        house = [row.bot for row in rows if row.bot not in authors]
        own = [playing[row.bot].id for row in best.values()]
        found = bot_results.against(tx, own, {playing[bot].id: bot for bot in house})
    ranked = [author for author in best if author in {member.author for member in members}]
    places = {author: place for place, author in enumerate(ranked, start=1)}

    def result(member: Member) -> MemberResult:
        row = best.get(member.author)
        met = [] if row is None else found[playing[row.bot].id]
        against = {each.bot: each for each in met}
        return MemberResult(places.get(member.author), member.name, member.author, row, against)

    everyone = sorted(
        map(result, members), key=lambda one: (one.place or len(members) + 1, one.name)
    )
    return ClassResults(ladder.heading, house, everyone)
