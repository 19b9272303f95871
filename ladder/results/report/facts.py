"""Computes the content of a ladder's report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ladder.model.bots import labels
from ladder.model.matches import MatchState
from ladder.model.ratings import Tally
from ladder.model.rules import RulesPlayed
from ladder.model.settings import Aim, Deals
from ladder.rating.arrays import Floats
from ladder.rating.fit import Fit, Joint
from ladder.results import queries
from ladder.results.diagnostics.collusion import ALARM, Alliance, Favour, alliances, favours
from ladder.results.diagnostics.cycles import Cycle, cycles
from ladder.results.diagnostics.deal_variance import Duplicates, duplicates
from ladder.results.diagnostics.head_to_head import (
    HeadToHead,
    SeatAdvantage,
    TableSizeStats,
    head_to_head,
    seat_advantages,
    table_size_stats,
)
from ladder.results.diagnostics.lottery import Disagreement, disagreement
from ladder.results.diagnostics.residuals import residuals
from ladder.results.diagnostics.tells import Tell, tell_favours, tells
from ladder.results.diagnostics.unevenness import Uneven, uneven
from ladder.results.evidence import Evidence, may_have_played
from ladder.results.first_decisions import first_decisions
from ladder.results.luck import VersionLuck, recent_luck
from ladder.results.older import kept_older
from ladder.results.report.explanations import Explanation, explain
from ladder.results.standings import Standing, standings
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """The content of a report. Versions are indices into `names`."""

    heading: str
    """The ladder's title and seats."""
    seats: int
    deals: Deals
    matches: int
    """The number of matches played."""
    void: int
    """The number of matches given up."""
    rules: RulesPlayed
    """Which versions of the rules count."""
    blocks: int
    """The number of rated blocks."""
    names: Sequence[str]
    listed: Sequence[int]
    """The listed versions, in the order of the standings."""
    standings: Sequence[Standing]
    """The lines of the listed versions, in the same order."""
    counts: Sequence[Tally]
    """The totals of the listed versions' finished matches, in the same order."""
    answers: Sequence[str]
    """How sure the answer to each aim is."""
    top: int
    """How many versions the top has."""
    in_top: Sequence[float]
    """The probability that each listed version is in the top, in the same order."""
    better: Sequence[Sequence[float]]
    """The probability that a listed version is stronger than each other, in the same order."""
    gaps: Sequence[tuple[float, float]]
    """The gap in logits between each listed version and the next, and its standard error."""
    explanations: Mapping[int, Explanation]
    """The explanations of the logits by places."""
    places: Sequence[float]
    """The logit of every version by places, relative to the reference's mean."""
    points: Sequence[float]
    """The same by points, on the scale of places; empty without `joint`."""
    joint: Joint | None
    """How both were combined; None if only places count."""
    pairs: Sequence[HeadToHead]
    advantages: Mapping[int, SeatAdvantage]
    """By table size."""
    by_table_size: Sequence[TableSizeStats]
    deal_variance: Mapping[int, Duplicates]
    """By table size."""
    luck: Mapping[int, VersionLuck]
    """By version; empty if the game measures no luck."""
    fit: Fit
    """The rating by places."""
    cycles: Sequence[Cycle]
    disagreement: Disagreement | None
    """How the results of pairs alone disagree with the order; None if they do not."""
    uneven: Sequence[Uneven]
    """The versions whose results one strength does not explain."""
    favours: Sequence[Favour]
    alliances: Sequence[Alliance]
    """The tests of each author's bots that met at a table."""
    tells: Sequence[Tell]
    """The timing tells, tested for each version."""
    tell_favours: Sequence[Favour]
    """The suspicious favours of versions with a tell."""
    alarm: float
    """The probability that an honest field has any suspect."""

    @property
    def suspects(self) -> Sequence[Favour]:
        """The suspicious favours."""
        return [favour for favour in self.favours if favour.suspect]


def facts(ladder: Ladder) -> ReportFacts:
    """Compute the content of a ladder's report, which may be public: no deal in play is in it."""
    settings = ladder.settings
    with ladder.database.read() as tx:
        versions, whose = may_have_played(tx), bots.authors(tx)
        evidence = Evidence(versions, settings, whole=True)
        evidence.read(tx)
        ranking = evidence.ranking(bots.active(tx))
        known = bots.all_versions(tx)
        kept_back = queries.embargoed(tx, known, matches.deals_in_play(tx))
        tallies = queries.public_tallies(tx, bots.active(tx), kept_back, kept_older(tx, settings))
        done, void = (matches.count(tx, state) for state in (MatchState.DONE, MatchState.VOID))
    fit, log = ranking.fit, evidence.log
    compared, joint = residuals(log, fit), fit.joint
    by_places = joint.places if joint else fit
    results = residuals(log, by_places)
    index = {version.id: i for i, version in enumerate(versions)}
    counts = {count.version.bot: count for count in tallies}
    rows = standings(counts.values(), ranking.strengths(settings.matches_a_block))
    listed = [index[counts[row.bot].version.id] for row in rows]
    named = labels({version.id: version for version in versions})
    errors = fit.deviations()
    explained = {i: explain(results, by_places, ranking.reference, i) for i in range(len(versions))}
    favoured = favours(compared)
    numbers = {version.id: i for i, version in enumerate(versions)}
    timed = tells(first_decisions(ladder, numbers))
    return ReportFacts(
        heading=ladder.heading,
        seats=settings.seats,
        deals=settings.deals,
        matches=done,
        void=void,
        rules=queries.rules_played(ladder),
        blocks=compared.data.block_count,
        names=[named[version.id] for version in versions],
        listed=listed,
        standings=rows,
        counts=[counts[row.bot] for row in rows],
        answers=[ranking.answer(aim) for aim in Aim],
        top=ranking.top,
        in_top=fit.p_top(ranking.top, listed).tolist(),
        better=[[fit.p_better(i, j) for j in listed] for i in listed],
        gaps=[(float(fit.theta[i] - fit.theta[j]), errors[i, j]) for i, j in pairwise(listed)],
        explanations={i: found for i, found in explained.items() if found is not None},
        places=_above(by_places.theta, ranking.reference),
        points=_above(joint.points, ranking.reference) if joint else [],
        joint=joint,
        pairs=head_to_head(compared),
        advantages=seat_advantages(compared),
        by_table_size=table_size_stats(log),
        deal_variance=duplicates(compared),
        luck=recent_luck(ladder, numbers),
        fit=by_places,
        cycles=cycles(compared, fit.theta),
        disagreement=disagreement(compared, fit.theta),
        uneven=uneven(log, fit, compared),
        favours=favoured,
        alliances=alliances(
            favoured, {i: whose[v.bot] for i, v in enumerate(versions) if v.bot in whose}
        ),
        tells=timed,
        tell_favours=tell_favours(favoured, timed),
        alarm=ALARM,
    )


def _above(logits: Floats, reference: Sequence[int]) -> list[float]:
    """Return logits relative to the reference's mean."""
    middle = logits[list(reference)].mean() if reference else 0.0
    above: list[float] = (logits - middle).tolist()
    return above


def findings(facts: ReportFacts) -> dict[str, Any]:
    """Return cycles, what else disagrees with the order, and the favours among bots."""
    name, found = facts.names, facts.disagreement
    return {
        "cycles": [
            {
                "bots": [name[version] for version in cycle.versions],
                "wins": list(cycle.wins),
                "p_value": cycle.p_value,
            }
            for cycle in facts.cycles
        ],
        "disagreement": found
        and {
            "first": name[found.first],
            "lottery": {name[version]: share for version, share in found.shares.items()},
            "ahead": found.ahead,
        },
        "suspected": [_favour(facts, favour) for favour in facts.suspects],
        "giving_way": [_favour(facts, favour) for favour in facts.favours if favour.gives_way],
    }


def _favour(facts: ReportFacts, favour: Favour) -> dict[str, Any]:
    return {
        "helper": facts.names[favour.helper],
        "helped": facts.names[favour.helped],
        "mutual": favour.mutual,
        "gain": favour.gain,
        "p_value": favour.p_value,
    }
