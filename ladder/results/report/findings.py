"""What a report names, as JSON."""

from typing import Any

from ladder.results.diagnostics.collusion import Favour
from ladder.results.report.facts import ReportFacts


def findings(facts: ReportFacts) -> dict[str, Any]:
    """Return cycles, what else disagrees with the order, and who helps or gives way to whom."""
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
