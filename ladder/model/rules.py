"""The versions of the rules by which a ladder's matches were played, and those that count."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RulesPlayed:
    """The finished matches of a ladder by the version of the rules that played them."""

    counted: Mapping[str, int | None] = field(default_factory=dict)
    """Those that count; None of a ladder's only version, whose matches are not counted here."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Those that the owner has dropped."""

    @property
    def summary(self) -> str:
        """The versions that count, as a sentence; empty if there is one, and all of it counts."""
        if len(self.counted) + len(self.dropped) <= 1 and not self.dropped:
            return ""
        if not self.dropped:
            return f"Several versions of the rules count: {_listed(self.counted)}."
        which = f"Rules {_joined(self.counted)} only" if self.counted else "No match counts"
        return f"{which}: {_listed(self.dropped)} dropped."

    def others(self, installed: str) -> str:
        """Return the matches that count and were not played by these rules; empty without any."""
        return _listed({v: n for v, n in self.counted.items() if v != installed and n})


def _listed(played: Mapping[str, int | None]) -> str:
    """Return how many matches each version has; empty without any."""
    return _joined(
        f"{matches:,} {'match' if matches == 1 else 'matches'} of rules {version}"
        for version, matches in played.items()
    )


def _joined(parts: Iterable[str]) -> str:
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last
