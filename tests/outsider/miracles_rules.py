"""La Cour des Miracles by docs/rules/miracles.md, played from a deal and actions in JSON.

The game is one generator: it yields the seat that is asked and its legal actions in their order,
and is sent the action.
"""

from collections.abc import Iterator
from typing import Any

from chance import Stream
from messages import Json, Messages
from miracles_cards import Cards, is_plot
from miracles_table import (
    BEGGAR,
    CHATELET,
    COUR,
    COURTESAN,
    EMPEROR,
    PICKPOCKET,
    PLACES,
    PRIEST,
    RIGHT_HAND,
    SOOTHSAYER,
    SWORDSMAN,
    TAVERNE,
    GameOver,
    Run,
    Spot,
    kinds,
    label,
)


def deal(seed: str, seats: int, config: Json, messages: Messages) -> Json:
    """What chance decides."""
    stream, data = Stream(seed, "deal"), config["data"]
    all_cards = kinds(data["plot_cards"], "copies", messages.enums["PlotCard"])
    cards = stream.sub("plot cards").shuffled(all_cards)
    return {
        "data": label(config),
        "starting_seat": stream.sub("starting seat").below(seats),
        "hands": cards[:seats],
        "pile": cards[seats:],
        "bag": stream.sub("bag").shuffled(kinds(data["rogues"], "bag", messages.enums["Rogue"])),
        "reshuffle_seed": stream.sub("reshuffle seed").bytes(16).hex(),
    }


class Game(Cards):
    """A game in progress."""

    def __init__(self, dealt: Json, seats: int, config: Json, messages: Messages) -> None:
        super().__init__(dealt, seats, config, messages)
        self.run = self.whole()
        self.to_act: int | None
        self.to_act, self.legal = next(self.run)

    # What the record asks for

    def draw_legal(self, stream: Stream) -> Json:
        """One of the legal actions of the seat to act, each equally likely."""
        return self.legal[stream.below(len(self.legal))]

    def play(self, action: Json) -> Iterator[Json]:
        """Play an action; what happens."""
        if without_defaults(action) not in map(without_defaults, self.legal):
            raise ValueError(f"it is not legal: {action}")
        self.events = []
        try:
            self.to_act, self.legal = self.run.send(action)
        except GameOver:
            self.to_act = None
        yield from self.events

    def result(self) -> Json:
        """How the game ended."""
        standings = self.standings()
        return {
            "data": label(self.config),
            "ending": f"MIRACLES_ENDING_{self.ending}",
            "turn": self.turn,
            "round": self.round(),
            "king": self.king,
            "seats": [
                {
                    "rank": 1 + sum(other > one for other in standings),
                    "renown": one[0],
                    "neighbourhoods": one[1],
                    "lines": self.lines[seat],
                    "coins": self.coins[seat],
                }
                for seat, one in enumerate(standings)
            ],
        }

    def points(self) -> list[int]:
        """The points of every seat."""
        return [self.renown(seat) for seat in range(self.seats)]

    def standings(self) -> list[Any]:
        """What the places go by, the more the better."""
        return [(self.renown(seat), len(self.controlled(seat))) for seat in range(self.seats)]

    # The turn

    def whole(self) -> Run:
        """The game, turn by turn."""
        while True:
            yield from self.take_turn()
            self.before_standoffs = False
            yield from self.standoffs()
            if self.king == self.data["king"]["final_space"]:
                self.end("KING")
            if self.turn == self.seats * self.config["max_rounds"]:
                self.end("ROUNDS")
            self.turn, self.active = self.turn + 1, (self.active + 1) % self.seats
            self.begin_turn()

    def take_turn(self) -> Run:
        """A turn before its standoffs."""
        seat = self.active
        action = yield seat, self.placings()
        self.tell("turn_started", turn=self.turn, round=self.round(), seat=seat)
        while is_plot(action):
            yield from self.play_plot(action)
            action = yield seat, self.placings()
        ((kind, fields),) = action.items()
        if kind == "place_rogue":
            rogue, spot = self.rogue_names.index(fields["rogue"]), self.spot_of(fields["spot"])
            self.hands[seat].remove(rogue)
            self.board[spot] = [seat, rogue, 0]
            self.tell("rogue_placed", seat=seat, spot=fields["spot"], rogue=fields["rogue"])
        else:
            spot = self.spot_of(fields["target"])
            self.move(self.spot_of(fields["origin"]), spot)
        self.placed, self.visited = spot, spot[0]
        if fields.get("plot_first") and self.may_play():
            action = yield seat, [*self.plot_plays(), {"take_effect": {}}]
            if is_plot(action):
                yield from self.play_plot(action)
        effect = self.data["neighbourhoods"][spot[0] - 1]["spots"][spot[1] - 1]
        yield from self.effect(seat, effect, "SPOT")
        while (
            self.can_act()
            or (self.config["income_without_action"] and not self.acted)
            or self.may_play()
        ):
            action = yield seat, self.acts()
            if "end_turn" in action:
                return
            yield from self.play_plot(action) if is_plot(action) else self.perform(action)

    def perform(self, action: Json) -> Run:
        """The action of the neighbourhood."""
        seat, place, possible = self.active, self.visited, self.can_act()
        ((kind, fields),) = action.items()
        self.acted = True
        self.tell("action_performed", seat=seat, neighbourhood=self.place_names[place])
        if kind == "buy_renown":
            self.pay(seat, self.data["lines"][fields["line"] - 1]["cost"], "RENOWN")
        if place in self.controls:
            self.gain(self.controls[place][0], 1, "INCOME")
        if kind == "buy_renown":
            self.lines[seat] = sorted([*self.lines[seat], fields["line"]])
            self.renown_placed(seat, {"line": fields["line"]})
            bonus = self.data["lines"][fields["line"] - 1]["bonus"]
            yield from self.effect(seat, bonus, "RENOWN_BONUS")
        elif kind == "move_other":
            self.move(self.spot_of(fields["origin"]), self.spot_of(fields["target"]))
        elif possible and place == TAVERNE:
            yield from self.recruit()
        elif possible and place == CHATELET:
            yield from self.draw(seat, 1)
        elif possible and place == COUR:
            self.gain(seat, 2, "GRANDE_COUR")

    def effect(self, seat: int, effect: Json, reason: str) -> Run:
        """The effect of a spot or a line."""
        kind = effect["kind"].removeprefix("MIRACLES_EFFECT_KIND_")
        if kind == "KING":
            self.move_king(effect["amount"])
        elif kind == "COIN":
            self.gain(seat, effect["amount"], reason)
        elif kind == "PLOT":
            yield from self.draw(seat, effect["amount"])
        elif not self.right_hands[seat]:
            self.right_hands[seat] = True
            self.hands[seat].append(RIGHT_HAND)
            self.tell("right_hand_taken", seat=seat)

    # Standoffs

    def standoffs(self) -> Run:
        """All that are due."""
        seat, lived_in = self.active, sorted({spot[0] for spot in self.board})
        due = {place for place in lived_in if len(self.within(place)) == 3}
        wrath = self.wrath() if self.stopped else None
        if wrath == 0:
            choices = [*PLACES] if self.config["wrath_on_empty"] else lived_in
            wrath = choices[0]
            if len(choices) > 1:
                legal = self.of_places("choose_wrath", choices)
                action = yield seat, legal
                wrath = self.place_names.index(action["choose_wrath"]["neighbourhood"])
            self.tell("wrath_chosen", seat=seat, neighbourhood=self.place_names[wrath])
        due |= {place for place in lived_in if place == wrath}
        while due:
            place = min(due)
            if len(due) > 1:
                action = yield seat, self.of_places("settle_next", sorted(due))
                place = self.place_names.index(action["settle_next"]["neighbourhood"])
            due.remove(place)
            yield from self.standoff(place)

    def of_places(self, kind: str, places: list[int]) -> list[Json]:
        """An action for each of these neighbourhoods."""
        return [{kind: {"neighbourhood": self.place_names[place]}} for place in places]

    def standoff(self, place: int) -> Run:
        """One standoff."""
        name, spots, paid = self.place_names[place], self.within(place), set[Spot]()
        self.tell("standoff_started", neighbourhood=name)
        if len(spots) == 1:
            yield from self.lone(spots[0])
        else:
            self.reveal(spots)
            swordsmen = [spot for spot in spots if self.board[spot][1] == SWORDSMAN]
            nearest = self.config["nearest_swordsman_first"]
            for spot in swordsmen if nearest else reversed(swordsmen):
                yield from self.swordsman(spot, paid)
        shown = [spot for spot in spots if self.board[spot][2]]
        winner = self.winner(place, spots, shown, paid)
        yield from self.control(winner, place, shown)
        for spot in reversed(shown):
            yield from self.ability(winner, spot, spots)
        self.take_off(spots)
        self.tell("standoff_ended", neighbourhood=name)

    def lone(self, spot: Spot) -> Run:
        """The question to the owner of a lone rogue."""
        owner = self.board[spot][0]
        action = yield owner, [{"reveal_lone": {"reveals": yes}} for yes in (False, True)]
        if action["reveal_lone"]["reveals"]:
            self.reveal([spot])
        else:
            self.tell("lone_kept", seat=owner, spot=self.spot(spot))

    def reveal(self, spots: list[Spot]) -> None:
        """Rogues are turned up."""
        rogues = []
        for spot in spots:
            self.board[spot][2] = 1
            owner, rogue, _ = self.board[spot]
            face = {"rogue": self.rogue_names[rogue], "revealed": True}
            rogues.append({"spot": self.spot(spot), "owner": owner, **face})
        self.tell("rogues_revealed", rogues=rogues)

    def swordsman(self, spot: Spot, paid: set[Spot]) -> Run:
        """The question whether a Swordsman is paid."""
        owner, price = self.board[spot][0], self.data["rogues"][SWORDSMAN - 1]["price"]
        if self.coins[owner] < price:
            return
        action = yield owner, [{"pay_swordsman": {"pays": yes}} for yes in (False, True)]
        pays = action["pay_swordsman"]["pays"]
        self.tell("swordsman_answered", seat=owner, spot=self.spot(spot), pays=pays)
        if pays:
            paid.add(spot)
            self.pay(owner, price, "SWORDSMAN")

    def winner(self, place: int, spots: list[Spot], shown: list[Spot], paid: set[Spot]) -> int:
        """Who wins a standoff."""
        totals: dict[int, int] = {}
        for spot in shown:
            owner, rogue, _ = self.board[spot]
            data = self.data["rogues"][rogue - 1]
            strength = data["paid_strength"] if spot in paid else data["strength"]
            totals[owner] = totals.get(owner, 0) + strength
        if self.emperor and self.active in totals:
            totals[self.active] += self.amount(EMPEROR)
        best = [seat for seat, total in totals.items() if total == max(totals.values())]
        owners = [self.board[spot][0] for spot in spots]
        won = next(owner for owner in owners if not totals or owner in best)
        listed = [{"seat": seat, "strength": total} for seat, total in sorted(totals.items())]
        name = self.place_names[place]
        self.tell("standoff_won", neighbourhood=name, winner=won, totals=listed)
        return won

    def control(self, winner: int, place: int, shown: list[Spot]) -> Run:
        """Where the winner's token goes."""
        if [winner, COURTESAN] in [self.board[spot][:2] for spot in shown]:
            own = [] if self.config["controller_places_again"] else self.controlled(winner)
            choices = [one for one in PLACES if one == place or one not in own]
            if len(choices) > 1:
                action = yield winner, self.of_places("use_courtesan", choices)
                there = self.place_names.index(action["use_courtesan"]["neighbourhood"])
                frees = there != place and self.config["courtesan_frees_contested"]
                if frees and self.controls.get(place, [winner])[0] != winner:
                    self.lose_control(place)
                place = there
        self.take_control(winner, place)

    def ability(self, winner: int, spot: Spot, spots: list[Spot]) -> Run:
        """The ability of a revealed rogue."""
        owner, rogue, _ = self.board[spot]
        data, wins = self.data["rogues"][rogue - 1], owner == winner
        if rogue == BEGGAR and not wins:
            if spot == next(one for one in spots if self.board[one][1] == BEGGAR):
                self.give(winner, owner, data["coins"], "BEGGAR")
        elif rogue == PICKPOCKET and wins:
            self.gain(owner, data["coins"], "PICKPOCKET")
        elif rogue == PRIEST and wins:
            yield from self.draw(owner, data["plots"])
        elif rogue == SOOTHSAYER and not wins:
            self.gain(owner, data["coins"], "SOOTHSAYER")
            yield from self.draw(owner, data["plots"])


def without_defaults(action: Json) -> Json:
    """An action without the answers that are false, which may be left out."""
    ((kind, fields),) = action.items()
    return {kind: {name: value for name, value in fields.items() if value is not False}}
