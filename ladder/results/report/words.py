"""The texts and table rows of a report, for the terminal and the web page."""

from collections.abc import Sequence

from ladder.model.ratings import MU, Tally
from ladder.model.settings import SURE, Deals
from ladder.rating.fit import CAUTION, PROVISIONAL, Joint
from ladder.results.diagnostics.collusion import FEWEST, Alliance, Favour
from ladder.results.diagnostics.cycles import Cycle
from ladder.results.diagnostics.lottery import Disagreement
from ladder.results.diagnostics.tells import Tell
from ladder.results.diagnostics.unevenness import Uneven
from ladder.results.luck import MOST_MATCHES
from ladder.results.ranking import A_LOGIT, EQUALS
from ladder.results.report.explanations import Explanation
from ladder.results.report.facts import ReportFacts
from ladder.results.standings import (
    FORESEEABLE,
    Standing,
    groups,
    percent,
    ranks,
    rating,
    rounded,
)

COUNTS = ("#", "bot", "matches", "first", "wins", "sum", "points", "forfeits", "faults")
COUNTS_MEAN = {
    "first": "first places; one that k share, stand-ins included, counts 1 / k",
    "wins": "first / matches",
    "sum": "total game points; points: sum / matches",
    "forfeits": "forfeited matches; faults: forfeits / matches",
}
RESULTS = ("#", "bot", "blocks", "compared", "ahead", "opponents", "results", "rest", "logit")
RESULTS_MEAN = {
    "#": "rank; -: retired or replaced, listed as an opponent of others",
    "blocks": "rated blocks; with fewer than six a bot is provisional",
    "compared": "comparisons with other bots in the matches of these blocks",
    "ahead": "the share of comparisons that it won, ties as half",
    "opponents": "the mean logit of its opponents",
    "results": "its performance: the logit at which its expected wins against its opponents, "
    "seats included, equal its actual wins; beyond: it won or lost everything",
    "rest": "what TrueSkill adds: its prior that bots are about equal, and its comparing only "
    "neighbours in a match's ranking",
    "logit": "results + rest",
}
JOINED = ("#", "bot", "places", "points", "family", "logit")
RATINGS_MEAN = {
    "error": "the standard error",
    "rating": f"mu ± 2 sigma: mu is {MU:g} + {A_LOGIT:.4f} logit, sigma {A_LOGIT:.4f} error",
    "ranks": "its rank is between these in 95 % of thousands of draws of all strengths",
    "top": "the share of draws in which it is among the best",
}
NEIGHBOURS = ("#", "bot", "next bot", "gap", "error", "next", "matches")
NEIGHBOURS_MEAN = {
    "gap": "logits above the next bot, with its standard error",
    "next": "P(stronger than the next bot): the normal distribution at gap / error",
    "matches": f"about how many more with both at the table until next is {SURE} if the gap stays: "
    "until its error is gap / 1.645; equal: too many to be worth playing",
}
MODEL = (
    "TrueSkill finds the strengths that best explain all matches, whatever their order: in each "
    "match every bot performs at its strength, give or take luck, and the better performance "
    "comes first. A comes before B with the probability 1 / (1 + exp(B - A)), where A and B are "
    "logits of strength plus seat. Logits are relative to the mean of those bots of the ladder's "
    "first round that are no longer provisional."
)
PAIRS = (
    "Each row against each column: the share of matches in which the row came before the column, "
    "whatever other bots were at the table, and z, its distance in standard errors from what their "
    "strengths and seats predict. Among many pairs some exceed 2 by chance."
)
LUCK = ("#", "bot", "matches", "points", "luck", "without luck")
LUCK_MEAN = {
    "matches": f"among the last {MOST_MATCHES} of the ladder; points: the mean of these",
    "luck": "the points a match that luck gave, against the mean of the table, ± half the 95 % "
    "interval; of many matches about 0 for every bot. The standings do not depend on it",
    "without luck": "points - luck",
}
_UNTESTED = (
    "No pair can be tested yet: two bots have to meet in "
    f"{FEWEST} blocks with a third bot at the table, and each has to play {FEWEST} without the "
    "other. A table for two has no third bot to help."
)
_PROVEN = 0.05
"""The probability of chance below which a difference counts as proven."""
TALLIES = ("seats", "bot", "rated matches", "ahead", "crashes", "crash rate, 95 %")
SEATS = (
    "How often a bot on a seat comes before an equal one on another seat; 50 % if seats are equal. "
    "The logit is the effect of the seat, relative to the mean of the seats."
)


def summary(facts: ReportFacts) -> list[str]:
    """Return what the report comes to, in a few sentences."""
    tells = sum(tell.is_one for tell in facts.tells)
    looks = [
        _count(len(facts.cycles), "circle of bots that beat each other", "circles"),
        _count(len(facts.uneven), "bot that plays unevenly", "bots"),
        _count(
            len([*facts.suspects, *(each for each in facts.alliances if each.suspect)]),
            "suspicion that bots help each other",
            "suspicions",
        ),
        _count(tells, "bot whose times tell others something", "bots"),
    ]
    found = [each for each in looks if each]
    none = "No sign of circles, uneven play, collusion or telling times."
    differ = [_seats_differ(facts, size) for size in facts.advantages]
    return [
        *filter(None, [_leader(facts.standings), groups(facts.standings), *differ]),
        f"Worth a look: {', '.join(found)}." if found else none,
    ]


def _count(number: int, one: str, several: str) -> str:
    """Return a number of things; empty if there are none. `several` is their first word."""
    if number < 2:  # noqa: PLR2004 - grammar
        return f"one {one}" if number else ""
    rest = one.split(" ", 1)[1].replace("that plays", "that play")
    return f"{number} {several} {rest}"


def _leader(rows: Sequence[Standing]) -> str:
    first = rows[0]
    if first.provisional or len(rows) == 1:
        return f"{first.bot} is first so far."
    if (sure := first.better_than_next) is None:
        return f"{first.bot} is first; all others are provisional."
    if sure >= SURE:
        return f"{first.bot} is the strongest bot, with P = {sure:.2f} that it beats {rows[1].bot}."
    return (
        f"{first.bot} is first, but it is not settled whether it is stronger than {rows[1].bot}: "
        f"P = {sure:.2f}."
    )


def _seats_differ(facts: ReportFacts, table: int) -> str:
    found = facts.advantages[table]
    if found.p_value >= _PROVEN:
        return "No seat is proven to be better than another."
    best = max(found.seats, key=lambda seat: seat.worth)
    return (
        f"At tables of {table} the seats differ: on seat {best.seat} a bot comes before an equal "
        f"one in {percent(best.ahead)} of cases. Every bot sits on each equally often."
    )


def blocks(facts: ReportFacts) -> str:
    """Return how many matches were played and rated."""
    played = f"{facts.matches:,} matches played"
    rated = f"{facts.blocks:,} blocks rated"
    void = f", {facts.void} given up as void" if facts.void else ""
    deals = (
        "each deal on all rotations of the seats"
        if facts.deals is Deals.DUPLICATE
        else "a deal of its own for each match"
    )
    rules = f" {facts.rules.summary}" if facts.rules.summary else ""
    return f"{played}{void}; {rated}; {deals}.{rules}"


def counts(facts: ReportFacts) -> list[list[str]]:
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


def results(facts: ReportFacts) -> list[list[str]]:
    """Return a row of `RESULTS` for each listed version, and for others that they met."""
    lines = []
    for version, row in zip(facts.listed, facts.standings, strict=True):
        found, prior = facts.explanations.get(version), f"{facts.places[version]:+.3f}"
        numbers = ["0", "0", "-", "-", "none", prior, prior] if found is None else _result(found)
        lines.append([str(row.rank), facts.names[version], *numbers])
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
        "places": "the logit above, by places",
        "points": "the logit by least squares of point margins, on the scale of places; a bot's "
        f"strength may deviate from it by {joint.stray:.2f} logits",
        "family": "how far it moves towards other versions of its author: as far as they play "
        "alike, they share their results",
        "logit": f"{1 - joint.share:.2f} places + {joint.share:.2f} points + family: the weights "
        f"with the least error, that of {joint.gain:.2f} times as many matches without points",
    }


def joined(facts: ReportFacts, joint: Joint) -> list[list[str]]:
    """Return a row of `JOINED` for each listed version."""
    found = []
    for version, row in zip(facts.listed, facts.standings, strict=True):
        places, points, logit = facts.places[version], facts.points[version], _logit(row)
        family = logit - (1 - joint.share) * places - joint.share * points
        numbers = (places, points, round(family, 3) + 0.0, logit)
        shown = (f"{number:+.3f}" for number in numbers)
        found.append([str(row.rank), facts.names[version], *shown])
    return found


def ratings_columns(facts: ReportFacts) -> tuple[str, ...]:
    """Return the column headings of `ratings`."""
    return ("#", "bot", "logit", "error", "rating", "ranks", f"top {facts.top}")


def ratings(facts: ReportFacts) -> list[list[str]]:
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


def neighbours(facts: ReportFacts) -> list[list[str]]:
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


def answers(facts: ReportFacts) -> list[str]:
    """Return how sure the answers are, and what that means."""
    sentence = ", ".join(facts.answers)
    meant = (
        "P is the share of draws in which that holds. As a ladder stops as soon as P is high, "
        f"errors are taken {100 * CAUTION - 100:.0f} % larger here; and {EQUALS}."
    )
    found = f"{sentence[:1].upper()}{sentence[1:]}."
    return [*filter(None, [groups(facts.standings)]), found, meant]


def seats(facts: ReportFacts, table: int) -> str:
    """Return whether the seats of a table size differ."""
    p = facts.advantages[table].p_value
    sure = "less than 0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - by convention
    verdict = "The seats differ" if p < _PROVEN else "No difference between the seats is proven"
    return f"{verdict}: equal seats would appear to differ as much with P = {sure}."


def deal_variance(facts: ReportFacts, table: int) -> list[str]:
    """Return what duplicate deals gain at a table size."""
    found = facts.deal_variance.get(table)
    if found is None:
        return [
            "No deal has been played with several seatings yet, so its share of luck is unknown."
        ]
    sure = f"95 % interval {found.low:.2f} to {found.high:.2f}, from {found.blocks:,} blocks"
    lines = [
        f"A match in a block is worth {found.gain:.2f} matches with deals of their own ({sure})."
    ]
    if found.low > 1:
        lines.append(
            f"So {100 * found.deal_share:.0f} % of the luck in a score is the deal's, "
            "which playing the deal on all seats removes."
        )
    else:
        lines.append("So it is not proven yet that playing a deal on all seats removes luck.")
    return lines


def luck(facts: ReportFacts) -> list[list[str]]:
    """Return a row of `LUCK` for each listed version that played recently."""
    return [
        [
            str(row.rank),
            facts.names[version],
            f"{found.matches:,}",
            f"{found.points:.1f}",
            f"{found.luck:+.2f} ± {found.error:.2f}",
            f"{found.points - found.luck:.1f}",
        ]
        for version, row in zip(facts.listed, facts.standings, strict=True)
        if (found := facts.luck.get(version))
    ]


def variances(facts: ReportFacts) -> list[str]:
    """Return the overdispersion and the spread of strengths."""
    fit = facts.fit
    return [
        f"phi = {fit.phi:.2f}: overdispersion: error variance over that of independent pairs;",
        f"sd = {fit.sd:.2f} logits: the spread of strengths, also the prior of a newcomer.",
    ]


def cycles(facts: ReportFacts) -> list[str]:
    """Return which versions beat each other in a circle."""
    other = [_lottery(facts, facts.disagreement)] if facts.disagreement else []
    if not facts.cycles:
        return ["No three bots are proven to beat each other in a circle.", *other]
    alarm = (
        f"All triples share an alarm rate of {100 * facts.alarm:g} %. The order of such bots "
        "depends on whom they meet."
    )
    return [*(_cycle(facts, cycle) for cycle in facts.cycles), alarm, *other]


def _lottery(facts: ReportFacts, found: Disagreement) -> str:
    chosen = [f"{facts.names[bot]} ({percent(share)})" for bot, share in found.shares.items()]
    return (
        f"By the results of pairs alone, {facts.names[found.first]} would not be first: the "
        f"maximal lottery of {', '.join(chosen)} comes before it in {percent(found.ahead)} of "
        "their matches."
    )


def _cycle(facts: ReportFacts, cycle: Cycle) -> str:
    a, b, c = (facts.names[version] for version in cycle.versions)
    first, second, third = map(percent, cycle.wins)
    return f"{a} beats {b} ({first}), {b} beats {c} ({second}), {c} beats {a} ({third})."


def unevenness(facts: ReportFacts) -> list[str]:
    """Return which versions play better on one seat than on others, or have changed."""
    if not facts.uneven:
        none = "No bot is proven to play better on one seat than on others, or to have changed."
        return [none]
    alarm = f"All tests share an alarm rate of {100 * facts.alarm:g} %."
    return [*(_uneven(facts, one) for one in facts.uneven), alarm]


def _uneven(facts: ReportFacts, one: Uneven) -> str:
    name, points = facts.names[one.version], 100 * abs(one.shift)
    share = f"it comes before {points:.0f} {'more' if one.shift > 0 else 'fewer'} of 100 opponents"
    if one.seat is None:
        became = "stronger" if one.shift > 0 else "weaker"
        return f"{name} has become {became}: in the second half of its matches {share}."
    plays = "better" if one.shift > 0 else "worse"
    return (
        f"{name} plays {plays} on seat {one.seat} of tables of {one.table} than on their other "
        f"seats: {share} there than its strength and the seats explain."
    )


def collusion(facts: ReportFacts) -> list[str]:
    """Return the suspicions of collusion, and what they mean."""
    tested = len(facts.favours)
    if not tested:
        return [_UNTESTED]
    alarm = (
        f"{tested} tests of who helps whom share an alarm rate of {100 * facts.alarm:g} %, the "
        "probability that an honest field of this size has any suspect."
    )
    giving = [giving_way(facts, favour) for favour in facts.favours if favour.gives_way]
    others = [*giving, *map(of_one_author, facts.alliances), *of_times(facts)]
    if not facts.suspects:
        return [f"No bot is suspected of helping another. {alarm}", *others]
    return [
        *(f"Suspected: {suspicion(facts, favour)}" for favour in facts.suspects),
        f"{alarm} A suspicion is a reason to look at the matches, not a proof.",
        *others,
    ]


def of_times(facts: ReportFacts) -> list[str]:
    """Return the bots whose times inform others at the table, and the bots that they help."""
    found = [tell for tell in facts.tells if tell.is_one]
    if not facts.tells:
        return []
    if not found:
        return [
            f"The times of no bot's decisions tell others anything ({len(facts.tells)} tested)."
        ]
    helped = [
        f"Suspected, as times tell something: {suspicion(facts, favour)}"
        for favour in facts.tell_favours
    ]
    return [*(of_a_tell(facts, tell) for tell in found), *helped]


def of_a_tell(facts: ReportFacts, tell: Tell) -> str:
    """Return a bot's tell in words."""
    name = facts.names[tell.version]
    signs = []
    if tell.follows:
        signs.append(f"follow {tell.fact}, which others do not see, by {100 * tell.share:.0f} %")
    if tell.waits:
        signs.append(f"hold a wait of {tell.waited_us / 1000:.0f} ms without computing")
    seen = " and ".join(signs)
    return (
        f"The times of {name}'s first decisions {seen} (of {tell.decisions}): others "
        "who read a clock can learn from that. `ladder settings --request-step` hides it."
    )


def of_one_author(alliance: Alliance) -> str:
    """Return whether one author's bots seem to help each other."""
    tested = (
        f"{alliance.pairs} pairs, {alliance.blocks} blocks together, P = {alliance.p_value:.2g}"
    )
    if alliance.suspect:
        return f"Suspected: the bots of {alliance.author} help each other ({tested})."
    return f"The bots of {alliance.author} show no sign of helping each other ({tested})."


def suspicion(facts: ReportFacts, favour: Favour) -> str:
    """Return a favour in words."""
    helper, helped = facts.names[favour.helper], facts.names[favour.helped]
    gain = f"{100 * favour.gain:+.1f} percentage points against others, z = {favour.z:.1f}"
    if favour.mutual:
        return f"{helper} and {helped} do better against others when both are at the table ({gain})"
    return f"{helped} does better against others when {helper} is at the table ({gain})"


def giving_way(facts: ReportFacts, favour: Favour) -> str:
    """Return in words that one loses what the other gains."""
    helper, helped = facts.names[favour.helper], facts.names[favour.helped]
    return (
        f"{helped} does better and {helper} worse when both are at the table "
        f"({100 * favour.gain:+.1f} percentage points for {helped}, z = {favour.z:.1f}): "
        f"{helper} is its prey or gives way to it, which results cannot tell apart."
    )


def provisional(facts: ReportFacts) -> str:
    """Return what provisional means; empty if no version is."""
    if not any(row.provisional for row in facts.standings):
        return ""
    return f"Bots with fewer than {PROVISIONAL} blocks are provisional."
