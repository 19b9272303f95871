"""Standings of the authors or teams of a tournament's bots, as in cross country.

The places of the best bots of each are added up, and the lowest sum is first. As many bots of each
count as the smallest has, so that entering more bots adds chances and no points.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ladder.model.errors import SettingsError
from ladder.model.tournaments import By
from ladder.scheduling.tournament.cross_tables import csv_text
from ladder.scheduling.tournament.formats.base import places
from ladder.scheduling.tournament.planner import TournamentPlan

if TYPE_CHECKING:  # the command line names By, and rich's tables are slow to import
    from ladder.scheduling.tournament.summary import TournamentSummary


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A bot of an author or team."""

    bot: str
    place: int
    counts: bool


@dataclass(frozen=True, slots=True)
class TeamLine:
    """The line of an author or team."""

    place: int
    """From 1; equals share a place."""
    name: str
    total: int
    """The sum of the places that count."""
    members: Sequence[TeamMember]
    """The best one first; those that count before the others."""

    def bots(self) -> str:
        """Return the bots with their places; in brackets those that do not count."""
        counting = [f"{one.bot} {one.place}" for one in self.members if one.counts]
        others = [f"{one.bot} {one.place}" for one in self.members if not one.counts]
        return ", ".join(counting) + (f" ({', '.join(others)})" if others else "")


@dataclass(frozen=True, slots=True)
class TeamStandings:
    """The standings of authors or teams."""

    by: By
    lines: Sequence[TeamLine]
    counting: int
    """How many bots of each count."""
    without: Sequence[str]
    """The bots whose author or team is unknown; they keep their places, and count for none."""

    def notes(self) -> list[str]:
        """Return the rule and the bots that are left out, a line each."""
        best = "best bot" if self.counting == 1 else f"best {self.counting} bots"
        rule = f"places: the sum of the places of the {best} of each {self.by}"
        left_out = f"No {self.by} is known of {', '.join(self.without)}."
        return [rule, *[left_out] * bool(self.without)]

    def to_json(self) -> str:
        """Return a JSON list of objects, with a final newline."""
        rows = [
            {
                "place": line.place,
                self.by.value: line.name,
                "places": line.total,
                "bots": [
                    {"bot": one.bot, "place": one.place, "counts": one.counts}
                    for one in line.members
                ],
            }
            for line in self.lines
        ]
        return json.dumps(rows, indent=2) + "\n"

    def to_csv(self) -> str:
        """Return CSV with a header."""
        rows = ((line.place, line.name, line.total, line.bots()) for line in self.lines)
        return csv_text([("place", self.by.value, "places", "bots"), *rows])


def team_standings(shown: "TournamentSummary", by: By) -> TeamStandings:
    """Return the standings of authors or teams; raise `SettingsError` if there are none."""
    if not shown.plan.form().has_winner:
        raise SettingsError(f"--by {by}: a gauntlet gives no places that could be added up")
    of_each: dict[str, list[tuple[int, str]]] = {}
    without: list[str] = []
    for line in shown.progress.lines:
        bot = shown.names[line.entrant]
        if name := _name(shown.plan, line.entrant, by):
            of_each.setdefault(name, []).append((line.place, bot))
        else:
            without.append(bot)
    if not of_each:
        raise SettingsError(
            f"--by {by}: this tournament knows no {by} of any bot; the entry list of `ladder "
            "tournament --entries` can name them"
        )
    if not shown.is_placed():
        raise SettingsError(f"--by {by}: there are no places before the first result")
    counting = min(map(len, of_each.values()))
    total = {name: sum(place for place, _ in own[:counting]) for name, own in of_each.items()}
    order = sorted(of_each, key=lambda name: (total[name], name))
    of_order = places([total[name] for name in order], shared=True)
    lines = [
        TeamLine(
            place,
            name,
            total[name],
            [TeamMember(bot, at, i < counting) for i, (at, bot) in enumerate(of_each[name])],
        )
        for name, place in zip(order, of_order, strict=True)
    ]
    return TeamStandings(by, lines, counting, without)


def of_interest(shown: "TournamentSummary") -> list[TeamStandings]:
    """Return the standings that say more than the table: of teams, of authors of several bots."""
    plan = shown.plan
    if not plan.form().has_winner or not shown.is_placed():
        return []
    known = [author for author in plan.authors if author]
    wanted = {By.TEAM: any(plan.teams), By.AUTHOR: len(known) > len(set(known))}
    return [team_standings(shown, by) for by, wants in wanted.items() if wants]


def _name(plan: TournamentPlan, entrant: int, by: By) -> str:
    """Return an entrant's author or team; empty if unknown, as of late entrants."""
    return plan.author(entrant) if by is By.AUTHOR else plan.team(entrant)
