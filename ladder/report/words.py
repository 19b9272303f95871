"""What a report says in words, the same on the terminal and on the page."""

from ladder.models import Deals
from ladder.ranking import EQUALS
from ladder.rating.collusion import FEWEST, Favour
from ladder.rating.fit import CAUTION, PROVISIONAL
from ladder.report.facts import Facts
from ladder.standings import Standing

MODEL = (
    "Every match is taken as comparisons of all its pairs. One fit finds the strengths and the "
    "worths of the seats that explain all comparisons best: A comes before B with the chance "
    "1 / (1 + exp(B - A)), where A and B are logits, strength and seat together. Logits here are "
    "above the mean of the bots that are listed."
)
RESULTS = ("#", "bot", "blocks", "compared", "ahead", "opponents", "results", "prior", "logit")
RESULTS_MEAN = {
    "blocks": "the deals that it played on all seats; fewer than six are provisional",
    "compared": "with how many bots in all its matches",
    "ahead": "the part in which it came before the other one, shared places as half",
    "opponents": "their mean logit",
    "results": "the logit by its results alone, against opponents as strong as they are; "
    "beyond: it won or lost everything",
    "prior": "what is added for what is believed before any match: that bots are alike, "
    "or that a new version is like the old one",
    "logit": "results + prior",
}
STRENGTHS = ("#", "bot", "logit", "error", "strength", "95 %", "ranks", "gap", "error", "next")
STRENGTHS_MEAN = {
    "error": "the standard error, from how much its blocks differ from what is expected",
    "strength": "the chance to come before the average bot: 1 / (1 + exp(-logit))",
    "95 %": "the same at the logit less and plus 1.96 errors",
    "ranks": "between which its rank is in 95 % of 4,000 draws of what all strengths may be",
    "gap": "how many logits it is above the next one, and the error of that",
    "next": "P(stronger than the next one): the normal distribution at gap / error",
    "others": "matches, wins, points and faults of the standings are counted, per match; k that "
    "share a first place have 1 / k of it; live is TrueSkill over all matches in their order",
}
PAIRS = (
    "Each row against each column: the part in which the row came before it, whoever else was at "
    "the table, and z, how many standard errors that is from what their strengths and seats let "
    "expect. Among many pairs some are beyond 2 by chance."
)
_UNTESTED = (
    "Not tested: at a table for two there is nobody to help, and otherwise two have to meet in "
    f"{FEWEST} blocks, with others, and each has to play {FEWEST} without the other."
)
SEATS = (
    "How often a bot on a seat comes before an equal one on another seat; 50 % if seats are alike."
)


def blocks(facts: Facts) -> str:
    """Return what was played."""
    played = f"{facts.matches:,} matches played"
    rated = f"{facts.blocks:,} blocks rated"
    void = f", {facts.void} given up as void" if facts.void else ""
    deals = (
        "each deal on all rotations of the seats"
        if facts.deals is Deals.DUPLICATE
        else "a deal of its own for each match"
    )
    return f"{played}{void}; {rated}; {deals}."


def results(facts: Facts) -> list[list[str]]:
    """Return a line of `RESULTS` for each that is listed."""
    lines = []
    for version, row in zip(facts.listed, facts.standings, strict=True):
        line = [str(row.rank), facts.names[version], str(row.blocks)]
        if found := facts.accounts.get(version):
            alone = found.performance
            line += [f"{found.comparisons:,}", percent(found.ahead), f"{found.opponents:+.3f}"]
            line += ["beyond" if alone is None else f"{alone:+.3f}"]
            added = "" if alone is None else f"{found.logit - alone:+.3f}"
            line += [added, f"{found.logit:+.3f}"]
        lines.append([*line, *[""] * (len(RESULTS) - len(line))])
    return lines


def strengths(facts: Facts) -> list[list[str]]:
    """Return a line of `STRENGTHS` for each that is listed."""
    lines = []
    gaps = [*facts.gaps, None]
    for version, row, gap in zip(facts.listed, facts.standings, gaps, strict=True):
        line = [str(row.rank), facts.names[version]]
        if row.logit is not None:
            low, high = percent(row.strength_low), percent(row.strength_high)
            line += [f"{row.logit:+.3f}", f"{row.logit_error:.3f}", percent(row.strength)]
            line += [f"{low} to {high}", _ranks(row)]
        if gap is not None and row.better_than_next is not None:
            line += [f"{gap[0]:.3f}", f"{gap[1]:.3f}", f"{row.better_than_next:.3f}"]
        lines.append([*line, *[""] * (len(STRENGTHS) - len(line))])
    return lines


def answers(facts: Facts) -> list[str]:
    """Return how sure what was asked is, and what is open between neighbours."""
    said = "; ".join(facts.answers)
    sure = (
        f"{said[:1].upper()}{said[1:]}: the part of the draws in which it is, with errors larger "
        f"by {100 * CAUTION - 100:.0f} %, as a ladder stops when this is high; {EQUALS}."
    )
    return [sure, *(facts.notes or ["Nothing is open between neighbours."])]


def percent(share: float | None) -> str:
    """Return a share in percent."""
    return "-" if share is None else f"{100 * share:.1f}%"


def _ranks(row: Standing) -> str:
    if row.rank_low is None:
        return ""
    same = row.rank_low == row.rank_high
    return f"{row.rank_low}" if same else f"{row.rank_low}-{row.rank_high}"


def seats(facts: Facts, table: int) -> str:
    """Return whether the seats of a table differ."""
    p = facts.advantages[table].p_value
    sure = "less than 0.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004 - as it is usual
    verdict = "The seats differ" if p < 0.05 else "No difference between the seats is shown"  # noqa: PLR2004
    return f"{verdict}: seats that are alike would seem to differ as much with P = {sure}."


def luck(facts: Facts, table: int) -> list[str]:
    """Return what duplicate deals are worth at tables of a size."""
    found = facts.luck.get(table)
    if found is None:
        return ["No deal was played on several seatings yet: what that removes is not measured."]
    sure = f"95 % interval {found.low:.2f} to {found.high:.2f}, from {found.blocks:,} blocks"
    lines = [
        f"A match in a block tells as much as {found.gain:.2f} of deals of their own ({sure})."
    ]
    if found.low > 1:
        lines.append(
            f"So {100 * found.luck_share:.0f} % of what chance does to a score is the deal's luck, "
            "which playing the deal on all seats removes."
        )
    else:
        lines.append("So it is not shown yet that playing a deal on all seats removes any luck.")
    return lines


def variances(facts: Facts) -> list[str]:
    """Return what the log shows of how much things vary."""
    v = facts.variances
    return [
        f"phi = {v.phi:.2f}: the score of a pair varies as so many independent comparisons would;",
        f"phi = {v.phi_version:.2f}: the same for the score of a bot against all at its tables;",
        f"sd = {v.sd:.2f} logits: how far strengths spread, and how far the prior lets them;",
        f"t = {v.t2**0.5:.2f} logits: how far pairings may stray (rock, paper and scissors).",
    ]


def collusion(facts: Facts) -> list[str]:
    """Return what is suspected."""
    tested = len(facts.favours)
    if not tested:
        return [_UNTESTED]
    alarm = (
        f"{tested} tests of who helps whom share an alarm rate of {100 * facts.alarm:g} %: so "
        "often an honest field of this size has anybody suspected."
    )
    if not facts.suspects:
        return [f"Nobody is suspected of helping another. {alarm}"]
    return [
        *(f"Suspected: {suspicion(facts, favour)}" for favour in facts.suspects),
        f"{alarm} A suspicion is a reason to look at the matches, no proof.",
    ]


def suspicion(facts: Facts, favour: Favour) -> str:
    """Return what one favour is."""
    helper, helped = facts.names[favour.helper], facts.names[favour.helped]
    gain = f"{100 * favour.gain:+.1f} points of the comparisons with others, z = {favour.z:.1f}"
    if favour.mutual:
        return f"{helper} and {helped} do better against others when both are at the table ({gain})"
    return f"{helped} does better against others when {helper} is at the table ({gain})"


def provisional(facts: Facts) -> str:
    """Return who is provisional; empty if nobody is."""
    if not any(row.provisional for row in facts.standings):
        return ""
    return f"Provisional are those with fewer than {PROVISIONAL} blocks."
