"""The legal actions of La Cour des Miracles, in the order of docs/records.md."""

from messages import Json
from miracles_table import (
    CHARIOT,
    DEVIL,
    EMPRESS,
    FOOL,
    HALLES,
    HANGED,
    HERMIT,
    PLACES,
    PLAIN,
    RUE,
    TOWER,
    Table,
)


class Choices(Table):
    """A game in progress, with what may be done in it."""

    def placings(self) -> list[Json]:
        """Of PLACE."""
        hand, free = sorted({*self.hands[self.active]}), self.free()
        later = self.config.get("plots_at_any_time") and self.may_play()
        legal = []
        for plot_first in (False, True) if later else (False,):
            more = {"plot_first": True} if plot_first else {}
            for rogue in hand:
                names = {"rogue": self.rogue_names[rogue]}
                legal += [{"place_rogue": {**names, "spot": self.spot(s), **more}} for s in free]
            for origin in [] if hand else self.of_owner(own=True):
                targets = [*free, origin] if self.config["move_may_stay"] else free
                legal += [{"move_rogue": self.step(origin, t) | more} for t in targets]
        return legal + self.plot_plays()

    def acts(self) -> list[Json]:
        """Of ACT."""
        possible, legal = self.can_act(), list[Json]()
        for_income = self.config["income_without_action"] and not possible and not self.acted
        if for_income or (possible and self.visited not in (HALLES, RUE)):
            legal.append({"perform_action": {}})
        if possible and self.visited == HALLES:
            legal += [{"buy_renown": {"line": line}} for line in self.affordable()]
        if possible and self.visited == RUE:
            others = [spot for spot in sorted(self.board) if spot != self.placed]
            legal += [{"move_other": self.step(o, t)} for o in others for t in self.free()]
        return [*legal, *self.plot_plays(), {"end_turn": {}}]

    def plot_plays(self, *, middle: bool = False, but: int = 0) -> list[Json]:
        """The ways to play a Plot card, all but one; `middle`: in the middle of something."""
        interrupts = self.config.get("plots_at_any_time") and self.before_standoffs
        if not self.may_play() or (middle and not interrupts):
            return []
        hand = sorted({*self.plots[self.active]} - {but})
        legal = [{"play_card": {"card": self.card_names[card]}} for card in hand if card in PLAIN]
        return legal + [one for card in hand for one in self.choices(card)]

    def choices(self, card: int) -> list[Json]:
        """The ways to play a Plot card that has a choice."""
        in_play, free = sorted(self.board), self.free()
        own, others = self.of_owner(own=True), self.of_owner(own=False)
        ways: dict[int, list[tuple[str, Json]]] = {
            EMPRESS: [
                ("empress", {"token": token, "target": self.place_names[place]})
                for token in self.tokens(self.active)
                for place in PLACES
                if place not in self.controls
            ],
            DEVIL: [("devil", {"opponent": s}) for s in range(self.seats) if s != self.active],
            HANGED: [("hanged_man", {"spot": self.spot(spot)}) for spot in others],
            CHARIOT: [("chariot", self.step(origin, spot)) for origin in own for spot in free],
            TOWER: [
                ("tower", {"first": self.spot(first), "second": self.spot(second)})
                for first in in_play
                for second in in_play
                if first[0] < second[0]
            ],
            HERMIT: [("hermit", {"spot": self.spot(spot)}) for spot in in_play],
            FOOL: [("fool", {"spaces": n}) for n in range(1, self.amount(FOOL) + 1)],
        }
        return [{f"play_{name}": fields} for name, fields in ways.get(card, [])]

    def tokens(self, seat: int) -> list[Json]:
        """Where a seat's Renown tokens lie."""
        places = [{"neighbourhood": self.place_names[p]} for p in self.controlled(seat)]
        return [*places, *[{"line": line} for line in self.lines[seat]]]

    def amount(self, card: int) -> int:
        """The number of a Plot card."""
        number: int = self.data["plot_cards"][card - 1]["amount"]
        return number
