"""The texts and table rows of a report, for the terminal and the web page."""

from ladder.model.ratings import Tally
from ladder.model.settings import SURE, Deals
from ladder.rating.diagnostics.collusion import FEWEST, Alliance, Favour
from ladder.rating.fit import CAUTION, PROVISIONAL, Joint
from ladder.rating.scale import MU
from ladder.results.ranking import A_LOGIT, EQUALS
from ladder.results.report.explanations import Explanation
from ladder.results.report.facts import Facts
from ladder.results.standings import FORESEEABLE, Standing, percent, ranks, rating, rounded

COUNTS = ("#", "bot", "matches", "first", "wins", "sum", "points", "forfeits", "faults")
COUNTS_MEAN = {
    "first": "first places; one that k share, the stand-in too, counts 1 / k",
    "wins": "first / matches",
    "sum": "of its points in the game; points: sum / matches",
    "forfeits": "matches that it forfeited; faults: forfeits / matches",
}
RESULTS = ("#", "bot", "blocks", "compared", "ahead", "opponents", "results", "rest", "logit")
RESULTS_MEAN = {
    "#": "the rank; -: retired or replaced, and still there for those that met it",
    "blocks": "the deals that it played on all seats; fewer than six are provisional",
    "compared": "with how many bots in all its matches of these blocks",
    "ahead": "the part in which it came before the other one, shared places as half",
    "opponents": "their mean logit",
    "results": "the logit by its results alone: at which its chances against those that it met, "
    "seats included, add up to what it won; beyond: it won or lost everything",
    "rest": "what TrueSkill adds: it believes before any match that bots are alike, and of a "
    "ranking it weighs who came right before whom",
    "logit": "results + rest",
}
JOINED = ("#", "bot", "places", "points", "logit")
RATINGS_MEAN = {
    "error": "the standard error",
    "rating": f"mu ± 2 sigma: mu is {MU:g} + {A_LOGIT:.4f} logit, sigma {A_LOGIT:.4f} error",
    "ranks": "between which its rank is in 95 % of thousands of draws of what all strengths may be",
    "top": "the part of the draws in which it is among them",
}
NEIGHBOURS = ("#", "bot", "the next one", "gap", "error", "next", "matches")
NEIGHBOURS_MEAN = {
    "gap": "how many logits it is above the next one, and the error of that",
    "next": "P(stronger than the next one): the normal distribution at gap / error",
    "matches": f"about how many more with both at the table until next is {SURE} if the gap stays: "
    "until its error is gap / 1.645; equal: more than anybody waits for",
}
MODEL = (
    "TrueSkill finds the strengths that explain all matches best, in whatever order they were "
    "played: in each, everybody performs as well as it is strong, more or less by luck, and who "
    "performs better comes first. A comes before B with the chance 1 / (1 + exp(B - A)), where A "
    "and B are logits, strength and seat added. Logits are counted from the mean of the bots of "
    "the ladder's first round, as far as they are no more provisional."
)
PAIRS = (
    "Each row against each column: the part in which the row came before it, whoever else was at "
    "the table, and z, how many standard errors that is from what their strengths and seats let "
    "expect. Among many pairs some are beyond 2 by chance."
)
_UNTESTED = (
    "Nobody can be tested yet: two bots have to meet in "
    f"{FEWEST} blocks with a third one at the table, and each has to play {FEWEST} without the "
    "other. At tables for two there is nobody to help."
)
TALLIES = ("seats", "bot", "rated matches", "ahead", "crashes", "crash rate, 95 %")
SEATS = (
    "How often a bot on a seat comes before an equal one on another seat; 50 % if seats are alike. "
    "The logit is what the seat adds, above the mean of the seats."
)


def blocks(facts: Facts) -> str:
    """Return how many matches were played and rated."""
    played = f"{facts.matches:,} matches played"
    rated = f"{facts.blocks:,} blocks rated"
    void = f", {facts.void} given up as void" if facts.void else ""
    deals = (
        "each deal on all rotations of the seats"
        if facts.deals is Deals.DUPLICATE
        else "a deal of its own for each match"
    )
    return f"{played}{void}; {rated}; {deals}."


def counts(facts: Facts) -> list[list[str]]:
    """Return a row of `COUNTS` for each listed version."""
    return [
        _counted(facts.names[version], row, count)
        for version, row, count in zip(facts.listed, facts.standings, facts.counts, strict=True)
    ]


def _counted(name: str, row: Standing, count: Tally) -> list[str]:
    mean = "-" if row.average_points is None else f"{row.average_points:.1f}"
    won = [f"{count.wins:.2f}", percent(row.win_share), f"{count.points:,}", mean]
    lost = [f"{count.forfeits:,}", percent(row.fault_rate)]
    return [str(row.rank), name, f"{row.matches:,}", *won, *lost]


def results(facts: Facts) -> list[list[str]]:
    """Return a row of `RESULTS` for each listed version, and for others that they met."""
    lines = []
    for version, row in zip(facts.listed, facts.standings, strict=True):
        found, prior = facts.explanations.get(version), f"{facts.places[version]:+.3f}"
        told = ["0", "0", "-", "-", "none", prior, prior] if found is None else _result(found)
        lines.append([str(row.rank), facts.names[version], *told])
    others = [found for found in facts.explanations.values() if found.version not in facts.listed]
    others.sort(key=lambda found: -found.logit)
    return [*lines, *(["-", facts.names[found.version], *_result(found)] for found in others)]


def _result(found: Explanation) -> list[str]:
    met = [f"{found.blocks:,}", f"{found.comparisons:,}", percent(found.ahead)]
    met.append(f"{found.opponents:+.3f}")
    alone, logit = found.performance, f"{found.logit:+.3f}"
    if alone is None:
        return [*met, "beyond", "", logit]
    return [*met, f"{alone:+.3f}", f"{found.logit - alone:+.3f}", logit]


def joined_mean(joint: Joint) -> dict[str, str]:
    """Return the explanations of the columns of `JOINED`."""
    return {
        "places": "the logit above, by who came before whom",
        "points": "the logit by least squares of how far ahead in points each was, on the scale of "
        f"places; a bot may be stronger or weaker than it says by {joint.stray:.2f} logits",
        "logit": f"{1 - joint.share:.2f} places + {joint.share:.2f} points: the shares that make "
        f"its error least, as {joint.gain:.2f} times as many matches would without points",
    }


def joined(facts: Facts) -> list[list[str]]:
    """Return a row of `JOINED` for each listed version."""
    return [
        [
            str(row.rank),
            facts.names[version],
            f"{facts.places[version]:+.3f}",
            f"{facts.points[version]:+.3f}",
            f"{_logit(row):+.3f}",
        ]
        for version, row in zip(facts.listed, facts.standings, strict=True)
    ]


def ratings_columns(facts: Facts) -> tuple[str, ...]:
    """Return the column headings of `ratings`."""
    return ("#", "bot", "logit", "error", "rating", "ranks", f"top {facts.top}")


def ratings(facts: Facts) -> list[list[str]]:
    """Return a row of `ratings_columns` for each listed version."""
    return [
        [
            str(row.rank),
            facts.names[version],
            f"{_logit(row):+.3f}",
            f"{row.sigma / A_LOGIT:.3f}",
            rating(row),
            ranks(row),
            f"{top:.3f}",
        ]
        for version, row, top in zip(facts.listed, facts.standings, facts.in_top, strict=True)
    ]


def _logit(row: Standing) -> float:
    return (row.mu - MU) / A_LOGIT


def neighbours(facts: Facts) -> list[list[str]]:
    """Return a row of `NEIGHBOURS` for each listed version that has a next one."""
    named = zip(facts.standings, facts.listed, facts.listed[1:], facts.gaps, strict=False)
    return [
        [
            str(row.rank),
            facts.names[one],
            facts.names[other],
            f"{gap:.3f}",
            f"{error:.3f}",
            f"{row.better_than_next:.3f}",
            _more(row.matches_to_separate),
        ]
        for row, one, other, (gap, error) in named
        if row.better_than_next is not None
    ]


def _more(matches: int | None) -> str:
    if matches is None:
        return ""
    return "equal" if matches > FORESEEABLE else f"{rounded(matches):,}"


def answers(facts: Facts) -> list[str]:
    """Return how sure the answers are, and what that means."""
    said = ", ".join(facts.answers)
    meant = (
        "P is the part of the draws in which it is so. A ladder stops as soon as that is high, so "
        f"errors are taken {100 * CAUTION - 100:.0f} % larger here; and {EQUALS}."
    )
    return [f"{said[:1].upper()}{said[1:]}.", meant]


def seats(facts: Facts, table: int) -> str:
    """Return whether the seats of a table size differ."""
    p = facts.advantages[table].p_value
    sure = "less than 0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - as it is usual
    verdict = "The seats differ" if p < 0.05 else "No difference between the seats is shown"  # noqa: PLR2004
    return f"{verdict}: seats that are alike would seem to differ as much with P = {sure}."


def deal_variance(facts: Facts, table: int) -> list[str]:
    """Return what duplicate deals gain at a table size."""
    found = facts.deal_variance.get(table)
    if found is None:
        return ["No deal was played on several seatings yet: what that removes is not measured."]
    sure = f"95 % interval {found.low:.2f} to {found.high:.2f}, from {found.blocks:,} blocks"
    lines = [
        f"A match in a block tells as much as {found.gain:.2f} with deals of their own ({sure})."
    ]
    if found.low > 1:
        lines.append(
            f"So {100 * found.deal_share:.0f} % of what chance does to a score is the deal's luck, "
            "which playing the deal on all seats removes."
        )
    else:
        lines.append("So it is not shown yet that playing a deal on all seats removes any luck.")
    return lines


def variances(facts: Facts) -> list[str]:
    """Return the overdispersion and the spread of strengths."""
    fit = facts.fit
    return [
        f"phi = {fit.phi:.2f}: errors are, squared, so many times those of independent pairs;",
        f"sd = {fit.sd:.2f} logits: how far strengths spread, as is believed of a newcomer too.",
    ]


def collusion(facts: Facts) -> list[str]:
    """Return the suspicions of collusion, and what they mean."""
    tested = len(facts.favours)
    if not tested:
        return [_UNTESTED]
    alarm = (
        f"{tested} tests of who helps whom share an alarm rate of {100 * facts.alarm:g} %: so "
        "often an honest field of this size has anybody suspected."
    )
    authors = [of_one_author(alliance) for alliance in facts.alliances]
    if not facts.suspects:
        return [f"Nobody is suspected of helping another. {alarm}", *authors]
    return [
        *(f"Suspected: {suspicion(facts, favour)}" for favour in facts.suspects),
        f"{alarm} A suspicion is a reason to look at the matches, no proof.",
        *authors,
    ]


def of_one_author(alliance: Alliance) -> str:
    """Return whether one author's bots seem to help each other."""
    tested = (
        f"{alliance.pairs} pairs, {alliance.blocks} blocks together, P = {alliance.p_value:.2g}"
    )
    if alliance.suspect:
        return f"Suspected: the bots of {alliance.author} help each other ({tested})."
    return f"The bots of {alliance.author} show no sign of helping each other ({tested})."


def suspicion(facts: Facts, favour: Favour) -> str:
    """Return a favour in words."""
    helper, helped = facts.names[favour.helper], facts.names[favour.helped]
    gain = f"{100 * favour.gain:+.1f} points of the comparisons with others, z = {favour.z:.1f}"
    if favour.mutual:
        return f"{helper} and {helped} do better against others when both are at the table ({gain})"
    return f"{helped} does better against others when {helper} is at the table ({gain})"


def provisional(facts: Facts) -> str:
    """Return what provisional means; empty if no version is."""
    if not any(row.provisional for row in facts.standings):
        return ""
    return f"Provisional are those with fewer than {PROVISIONAL} blocks."
