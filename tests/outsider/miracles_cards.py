"""Cards and rogues that are drawn in La Cour des Miracles, and what Plot cards do."""

from chance import Stream
from messages import Json
from miracles_choices import Choices
from miracles_table import (
    CHARIOT,
    DEVIL,
    EMPEROR,
    EMPRESS,
    FOOL,
    HAND_LIMIT,
    HERMIT,
    JUDGMENT,
    STRENGTH,
    SUN,
    TOWER,
    WHEEL,
    Run,
)


class Cards(Choices):
    """A game in progress, with what is drawn and played in it."""

    def recruit(self) -> Run:
        """A rogue from the bag, and one into the Seine."""
        seat = self.active
        if not (self.hands[seat] and self.bag):
            return
        drawn = self.bag.pop(0)
        self.tell("rogue_drawn", seat=seat, rogue=self.rogue_names[drawn])
        while True:
            sinks = [0, *sorted({*self.hands[seat]})]
            legal = [{"sink_rogue": {"rogue": self.rogue_names[rogue]}} for rogue in sinks]
            action = yield seat, legal + self.plot_plays(middle=True, but=STRENGTH)
            if not is_plot(action):
                break
            yield from self.play_plot(action)
        sunk = self.rogue_names.index(action["sink_rogue"]["rogue"])
        if sunk:
            self.hands[seat].remove(sunk)
            self.hands[seat].append(drawn)
        gone = self.rogue_names[sunk or drawn]
        self.tell("rogue_sunk", seat=seat, rogue=gone, drawn=not sunk)

    def draw(self, seat: int, number: int) -> Run:
        """Plot cards, after discards to the hand limit."""
        while len(self.plots[seat]) + number > HAND_LIMIT:
            hand = sorted({*self.plots[seat]})
            legal = [{"discard_plot": {"card": self.card_names[card]}} for card in hand]
            plays = self.plot_plays(middle=True) if seat == self.active else []
            action = yield seat, legal + plays
            if is_plot(action):
                yield from self.play_plot(action)
                continue
            card = self.card_names.index(action["discard_plot"]["card"])
            self.plots[seat].remove(card)
            self.discards.append(card)
            self.tell("plot_discarded", seat=seat, card=self.card_names[card])
        if not number:
            return
        drawn = []
        for _ in range(number):
            if not self.pile:
                self.reshuffle()
            drawn.append(self.pile.pop(0))
        self.plots[seat] += drawn
        cards = [self.card_names[card] for card in drawn]
        self.tell("plots_drawn", seat=seat, number=number, cards=cards)

    def reshuffle(self) -> None:
        """A new pile of the discards."""
        self.reshuffles += 1
        stream = Stream(self.reshuffle_seed, "reshuffle", str(self.reshuffles))
        self.pile, self.discards = stream.shuffled(sorted(self.discards)), []
        self.tell("pile_reshuffled", size=len(self.pile))

    # Plot cards

    def play_plot(self, action: Json) -> Run:
        """The Plot card of this turn."""
        ((kind, fields),) = action.items()
        seat, name = self.active, kind.removeprefix("play_").upper()
        named = fields["card"] if kind == "play_card" else self.named(name)
        card = self.card_names.index(named)
        self.plots[seat].remove(card)
        self.plot_played = True
        self.tell("plot_played", seat=seat, card=named)
        if card == STRENGTH:
            yield from self.recruit()
        elif card == WHEEL:
            yield from self.draw(seat, self.amount(card))
        else:
            self.apply_plot(card, fields)
        self.discards.append(card)

    def named(self, name: str) -> str:
        """The card that an action such as `play_devil` plays."""
        return next(card for card in self.card_names if card.endswith(f"_THE_{name}"))

    def apply_plot(self, card: int, fields: Json) -> None:
        """The effect of a Plot card that asks nothing more."""
        seat = self.active
        if card == SUN:
            self.gain(seat, self.amount(card), "THE_SUN")
        elif card == EMPEROR:
            self.emperor = True
        elif card == JUDGMENT:
            own = self.renown(seat)
            for i in range(1, self.seats):
                if self.renown(other := (seat + i) % self.seats) > own:
                    self.give(other, seat, self.amount(card), "JUDGMENT")
        elif card == DEVIL:
            self.give(fields["opponent"], seat, self.amount(card), "THE_DEVIL")
        elif card == FOOL:
            self.move_king(fields["spaces"])
        elif card == EMPRESS:
            self.move_renown(fields["token"], fields["target"])
        else:
            self.apply_to_rogue(card, fields)

    def apply_to_rogue(self, card: int, fields: Json) -> None:
        """The effect of a Plot card on rogues in play."""
        seat = self.active
        if card == CHARIOT:
            self.move(self.spot_of(fields["origin"]), self.spot_of(fields["target"]))
        elif card == TOWER:
            first, second = self.spot_of(fields["first"]), self.spot_of(fields["second"])
            self.board[first], self.board[second] = self.board[second], self.board[first]
            self.follow({first: second, second: first})
            self.tell("rogues_swapped", seat=seat, **fields)
        else:
            spot = self.spot_of(fields["spot"])
            owner, rogue, _ = self.board[spot]
            if card == HERMIT:
                face = self.rogue_names[rogue]
                self.tell("rogue_seen", seat=seat, spot=fields["spot"], owner=owner, rogue=face)
            else:
                self.take_off([spot])
                self.tell("rogue_returned", seat=seat, owner=owner, spot=fields["spot"])

    def move_renown(self, token: Json, target: str) -> None:
        """The Empress."""
        seat = self.active
        if "line" in token:
            self.lines[seat].remove(token["line"])
        else:
            place = self.place_names.index(token["neighbourhood"])
            self.controls[place][1] -= 1
            if not self.controls[place][1]:
                del self.controls[place]
        self.controls[self.place_names.index(target)] = [seat, 1]
        self.tell("renown_moved", seat=seat, origin=token, target=target)


def is_plot(action: Json) -> bool:
    """Whether an action plays a Plot card."""
    return next(iter(action)).startswith("play_")
