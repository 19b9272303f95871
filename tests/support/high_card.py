"""A package of a small game whose version 2 mends a rule: the game High Card."""

import shutil
from pathlib import Path

NAME = "high-card"
_DISTRIBUTION = "high_card"
_RULES = '''
"""Each seat keeps its card or takes the next one; the best card wins."""

from dataclasses import dataclass, field, replace

from referee.games.plain import Event, PlainGame, PlainState, View

VERSION = {version!r}


@dataclass(frozen=True)
class Table(PlainState):
    """One moment: whose turn it is, and what each seat holds."""

    cards: tuple
    rest: tuple
    turn: int = 0

    @property
    def to_act(self):
        return self.turn if self.turn < len(self.cards) else None

    def options(self):
        return {{"keep": "keep the card", "take": "take the next card"}}

    def apply(self, action):
        cards, rest, seat = list(self.cards), self.rest, self.turn
        if action == "take":
            cards[seat], rest = rest[0], rest[1:]
        own = {{seat: f"@{{seat}} has the card {{cards[seat]}}"}}
        told = Event(f"@{{seat}} decides", own)
        return replace(self, cards=tuple(cards), rest=rest, turn=seat + 1), [told]

    def view(self, seat):
        facts = {{"card": self.cards[seat], "turn": self.turn}}
        return View([f"Your card: {{self.cards[seat]}}", f"Turn {{self.turn}}"], facts)

    def points(self):
        # Version 1 let the lowest card win: a fault.
        return [card if VERSION == "2" else -card for card in self.cards]


class HighCard(PlainGame):
    """The game."""

    name = "high-card"
    title = "High Card"
    rules_version = VERSION
    seats = range(2, 4)

    def most_decisions(self, config, seats):
        return seats

    def deal(self, config, seats, stream):
        return stream.shuffled(range(1, 2 * seats + 1))

    def initial_state(self, config, seats, deal):
        return Table(tuple(deal[:seats]), tuple(deal[seats:]))
'''


def install(site: Path, version: str) -> None:
    """Install the game with these rules in a folder, as an upgrade does."""
    shutil.rmtree(site, ignore_errors=True)
    info = site / f"{_DISTRIBUTION}-{version}.0.dist-info"
    info.mkdir(parents=True)
    (site / "high_card.py").write_text(_RULES.format(version=version))
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: high-card\nVersion: {version}.0\n"
    )
    (info / "entry_points.txt").write_text(f"[courtyard.games]\n{NAME} = high_card:HighCard\n")
