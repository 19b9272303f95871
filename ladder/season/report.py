"""What came of a season: ratings by round, changes, faults and costs.

All versions of all rounds are rated by all matches of the season, on one scale. The rating of an
entrant in a round is that of the version that it played there, so it stays the same while the bot
does, and what two rounds differ by is what the bot's changes brought.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ladder.results import queries
from ladder.results.evidence import evidence
from ladder.results.older import Older
from ladder.results.ranking import Ranking
from ladder.results.standings import Standing
from ladder.season.folder import Entry, SeasonFolder, Session, Submitted
from ladder.season.plan import read_plan
from ladder.season.play import rounds_played
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, match_lines

_ALL = 10**9


@dataclass(frozen=True, slots=True)
class RoundLine:
    """An entrant in a round. The names of the fields are those of the JSON output."""

    round: int
    bot: str
    version: int
    mu: float
    sigma: float
    matches: int
    forfeits: int
    added: int
    """Lines."""
    removed: int
    seconds: float
    tokens: int
    cost: float
    problem: str
    """Why its session ended badly, or why its new version was rejected; empty if all went well."""
    digest: str
    """Of the sealed folder."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What an entrant's changes brought over the season."""

    bot: str
    first: int
    """The version that it played first."""
    last: int
    p_better: float
    """The probability that the last version is stronger than the first; 1/2 if it is the same."""


@dataclass(frozen=True, slots=True)
class SeasonReport:
    """What came of a season so far."""

    title: str
    played: int
    """The rounds that are over."""
    rounds: int
    standings: Sequence[Standing]
    by_round: Sequence[RoundLine]
    """In the order of rounds, then of entrants."""
    progress: Sequence[Progress]

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)


def report(season: SeasonFolder, ladder: Ladder) -> SeasonReport:
    """Return what came of a season; of a round under way nothing is told."""
    plan, lines = read_plan(season.plan), season.lines()
    played = rounds_played(ladder, plan)
    sessions = {(s.round, s.bot): s for s in lines if isinstance(s, Session)}
    entrants = [line.bot for line in lines if isinstance(line, Entry)]
    submitted = sorted(
        (s for s in lines if isinstance(s, Submitted) and s.round <= played),
        key=lambda one: (one.round, entrants.index(one.bot)),
    )
    with ladder.database.read() as tx:
        ranking = evidence(tx, ladder.settings, Older()).ranking(bots.active(tx))
    own = {(version.bot, version.number): i for i, version in enumerate(ranking.versions)}
    mu, sigma = ranking.ratings()
    faults = _faults(ladder, plan.deals)
    by_round = []
    for one in submitted:
        index, session = own[one.bot, one.version], sessions[one.round, one.bot]
        crashed = faults[one.round, one.bot]
        by_round.append(
            RoundLine(
                round=one.round,
                bot=one.bot,
                version=one.version,
                mu=float(mu[index]),
                sigma=float(sigma[index]),
                matches=len(crashed),
                forfeits=sum(crashed),
                added=session.added,
                removed=session.removed,
                seconds=session.seconds,
                tokens=session.tokens,
                cost=session.cost,
                problem=session.problem or one.rejected,
                digest=session.digest,
            )
        )
    return SeasonReport(
        title=ladder.heading,
        played=played,
        rounds=plan.rounds,
        standings=queries.standings(ladder),
        by_round=by_round,
        progress=[_progress(bot, by_round, ranking, own) for bot in entrants if by_round],
    )


def _faults(ladder: Ladder, deals: int) -> Mapping[tuple[int, str], Sequence[bool]]:
    """Return by round and bot of each match whether the bot forfeited it."""
    found: defaultdict[tuple[int, str], list[bool]] = defaultdict(list)
    with ladder.database.read() as tx:
        finished = match_lines.finished(tx, bots.all_versions(tx))
    for line in finished:
        for seat in line.seats:
            if seat.version and seat.result:
                of_round = (line.round - 1) // deals + 1, seat.version.bot
                found[of_round].append(seat.result.crashed)
    return found


def _progress(
    bot: str, by_round: Sequence[RoundLine], ranking: Ranking, own: dict[tuple[str, int], int]
) -> Progress:
    versions = [line.version for line in by_round if line.bot == bot]
    first, last = versions[0], versions[-1]
    better = ranking.fit.p_better(own[bot, last], own[bot, first]) if first != last else 0.5
    return Progress(bot, first, last, better)


def outcome(ladder: Ladder) -> list[object]:
    """Return all that two runs of one season have in common: matches, results and ratings."""
    lines = queries.latest(ladder, _ALL)
    ratings = {
        (row.bot, row.version): (row.mu, row.sigma, row.rank) for row in queries.standings(ladder)
    }
    played = [(line.match_id, [seat.result for seat in line.seats]) for line in lines]
    return [*played, ratings]
