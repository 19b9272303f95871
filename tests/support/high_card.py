"""A package of a small game whose version 2 mends a rule: the game High Card."""

import shutil
from pathlib import Path

NAME = "high-card"
_DISTRIBUTION = "high_card"
_RULES = '''
"""Each seat keeps its card or takes the next one; the best card wins."""

from dataclasses import dataclass, replace

from referee.games.plain import Event, PlainGame, PlainState, View

VERSION = {version!r}


@dataclass(frozen=True)
class Table(PlainState):
    """One moment: the cards in the order of the deal, and which seats have taken another one."""

    deal: tuple
    took: tuple = ()

    @property
    def to_act(self):
        return len(self.took) if len(self.took) < self.seats else None

    @property
    def seats(self):
        return len(self.deal) // 2

    def options(self):
        return {{"keep": "keep the card", "take": "take the next card"}}

    def apply(self, action):
        seat, state = self.to_act, replace(self, took=(*self.took, action == "take"))
        own = {{seat: f"@{{seat}} has the card {{state.card(seat)}}"}}
        return state, [Event(f"@{{seat}} decides", own)]

    def seen_by(self, seat):
        """Return where in the deal the cards lie that a seat has had."""
        took = any(self.took[seat : seat + 1])
        return [seat, self.seats + sum(self.took[:seat])] if took else [seat]

    def card(self, seat):
        return self.deal[self.seen_by(seat)[-1]]

    def view(self, seat):
        card, turn = self.card(seat), len(self.took)
        return View([f"Your card: {{card}}", f"Turn {{turn}}"], {{"card": card, "turn": turn}})

    def redraw(self, seat, stream):
        took = [
            own if other == seat else bool(stream.below(2)) for other, own in enumerate(self.took)
        ]
        drawn = replace(self, took=tuple(took))
        known = {{
            to: self.deal[at]
            for to, at in zip(drawn.seen_by(seat), self.seen_by(seat), strict=True)
        }}
        rest = iter(stream.shuffled(sorted(set(self.deal) - set(known.values()))))
        deal = [known[at] if at in known else next(rest) for at in range(len(self.deal))]
        return replace(drawn, deal=tuple(deal))

    def points(self):
        # Version 1 let the lowest card win: a fault.
        cards = map(self.card, range(self.seats))
        return [card if VERSION == "2" else -card for card in cards]


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
        return Table(deal)
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
