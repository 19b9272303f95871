"""La Cour des Miracles by docs/rules/miracles.md, played from a deal and actions in JSON.

Neighbourhoods, rogues and Plot cards are numbers here, as in the .proto; a spot is a pair. The game
is one generator: it yields the seat that is asked and its legal actions in their order, and is
sent the action.
"""

from collections.abc import Generator, Iterable, Iterator
from typing import Any

from chance import Stream
from messages import Json, Messages

HENCHMAN, BEGGAR, RIGHT_HAND, PICKPOCKET, PRIEST, SOOTHSAYER, SWORDSMAN, COURTESAN = 1, 2, 3, *range(5, 10)
TAVERNE, HALLES, CHATELET, RUE, COUR = PLACES = range(1, 6)
STRENGTH, EMPRESS, JUDGMENT, SUN, WHEEL, DEVIL, HANGED, CHARIOT, TOWER, HERMIT, FOOL, EMPEROR = range(1, 13)
PLAIN = (STRENGTH, JUDGMENT, SUN, WHEEL, EMPEROR)
SPOTS = [(place, rank) for place in PLACES for rank in (1, 2, 3)]
COINS = (1, 2, 3, 3, 3)
HAND_LIMIT, RENOWN_TOKENS = 4, 6

Spot = tuple[int, int]
Run = Generator[tuple[int, list[Json]], Json, None]


class GameOver(Exception):  # noqa: N818
    """The game has ended, whatever was still to be done."""


def label(config: Json) -> str:
    """What the data set is called."""
    return f"{config['data']['name']}-{config['data']['version']}"


def kinds(rows: list[Json], count: str, names: list[str]) -> list[str]:
    """All pieces, by kind."""
    return [names[i] for i, row in enumerate(rows, 1) for _ in range(row[count])]


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


class Game:
    """A game in progress."""

    def __init__(self, dealt: Json, seats: int, config: Json, messages: Messages) -> None:
        self.config, self.data, self.seats = config, config["data"], seats
        enums = messages.enums
        self.place_names, self.rogue_names = enums["Neighbourhood"], enums["Rogue"]
        self.card_names = enums["PlotCard"]
        self.active = first = dealt["starting_seat"]
        self.turn, self.king, self.reshuffles, self.stopped = 1, 0, 0, False
        self.coins = [COINS[(seat - first) % seats] for seat in range(seats)]
        self.hands = [[HENCHMAN, HENCHMAN, BEGGAR] for _ in range(seats)]
        self.right_hands = [False] * seats
        self.lines: list[list[int]] = [[] for _ in range(seats)]
        self.controls: dict[int, list[int]] = {}
        self.board: dict[Spot, list[int]] = {}
        self.plots = [[self.card_names.index(card)] for card in dealt["hands"]]
        self.pile = [self.card_names.index(card) for card in dealt["pile"]]
        self.bag = [self.rogue_names.index(rogue) for rogue in dealt["bag"]]
        self.reshuffle_seed, self.discards = dealt["reshuffle_seed"], list[int]()
        self.events: list[Json] = []
        self.begin_turn()
        self.run = self.whole()
        self.to_act: int | None
        self.to_act, self.legal = next(self.run)

    # What the record asks for

    def draw_legal(self, stream: Stream) -> Json:
        """One of the legal actions of the seat to act, each equally likely."""
        return self.legal[stream.below(len(self.legal))]

    def play(self, action: Json) -> Iterator[Json]:
        """Play an action; what happens."""
        if action not in (legal := [without_defaults(one) for one in self.legal]) and (
            without_defaults(action) not in legal
        ):
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

    # Values and what can be read off the table

    def spot(self, spot: Spot) -> Json:
        """A spot in JSON."""
        return {"neighbourhood": self.place_names[spot[0]], "rank": spot[1]}

    def spot_of(self, value: Json) -> Spot:
        """A spot from JSON."""
        return self.place_names.index(value["neighbourhood"]), value["rank"]

    def tell(self, kind: str, **fields: Any) -> None:
        """Something happened."""
        self.events.append({kind: fields})

    def round(self) -> int:
        """The number of the round."""
        return 1 + (self.turn - 1) // self.seats

    def controlled(self, seat: int) -> list[int]:
        """The neighbourhoods that a seat controls."""
        return [place for place in PLACES if self.controls.get(place, [None])[0] == seat]

    def renown(self, seat: int) -> int:
        """A seat's tokens in play."""
        return len(self.lines[seat]) + sum(self.controls[p][1] for p in self.controlled(seat))

    def free(self) -> list[Spot]:
        """The spots without a rogue."""
        return [spot for spot in SPOTS if spot not in self.board]

    def of_owner(self, *, own: bool) -> list[Spot]:
        """Where rogues of the active seat, or of the others, lie."""
        return [spot for spot in sorted(self.board) if (self.board[spot][0] == self.active) is own]

    def within(self, place: int) -> list[Spot]:
        """Where rogues lie in a neighbourhood."""
        return [spot for spot in sorted(self.board) if spot[0] == place]

    def affordable(self) -> list[int]:
        """The lines that the active seat can buy."""
        held, coins = self.lines[self.active], self.coins[self.active]
        lines = enumerate(self.data["lines"], 1)
        return [line for line, data in lines if line not in held and data["cost"] <= coins]

    def can_act(self) -> bool:
        """Whether the action of the visited neighbourhood can be performed."""
        possible = {
            TAVERNE: bool(self.hands[self.active] and self.bag),
            HALLES: bool(self.affordable()),
            RUE: len(self.board) > 1,
        }
        return not self.acted and possible.get(self.visited, True)

    def may_play(self) -> bool:
        """Whether the active seat has a Plot card left to play in this turn."""
        return bool(self.plots[self.active]) and not self.plot_played

    # Legal actions in their order

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

    def step(self, origin: Spot, target: Spot) -> Json:
        """From where to where a rogue moves."""
        return {"origin": self.spot(origin), "target": self.spot(target)}

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
        ways: dict[int, Iterable[tuple[str, Json]]] = {
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

    # The turn

    def begin_turn(self) -> None:
        """Forget the turn before."""
        self.placed: Spot | None = None
        self.visited = 0
        self.acted = self.plot_played = self.emperor = self.stopped = False
        self.before_standoffs = True

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

    def end(self, ending: str) -> None:
        """End the game at once."""
        self.ending = ending
        self.tell("game_ended", turn=self.turn)
        raise GameOver

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

    # Moves that several rules share

    def coins_moved(self, payer: int | None, receiver: int | None, n: int, reason: str) -> None:
        """Coins change hands."""
        seats = {"payer": payer, "receiver": receiver}
        for seat, change in ((payer, -n), (receiver, n)):
            if seat is not None:
                self.coins[seat] += change
        there = {name: seat for name, seat in seats.items() if seat is not None}
        self.tell("coins_moved", **there, amount=n, reason=f"MIRACLES_REASON_{reason}")

    def gain(self, seat: int, amount: int, reason: str) -> None:
        """Coins from the reserve."""
        if amount:
            self.coins_moved(None, seat, amount, reason)

    def pay(self, seat: int, amount: int, reason: str) -> None:
        """Coins to the reserve."""
        self.coins_moved(seat, None, amount, reason)

    def give(self, payer: int, receiver: int, most: int, reason: str) -> None:
        """As many coins as there are, from seat to seat."""
        amount = min(most, self.coins[payer])
        if amount or reason == "THE_DEVIL":
            self.coins_moved(payer, receiver, amount, reason)

    def move(self, origin: Spot, target: Spot) -> None:
        """A rogue moves."""
        self.board[target] = rogue = self.board.pop(origin)
        self.follow({origin: target})
        self.tell("rogue_moved", seat=self.active, owner=rogue[0], **self.step(origin, target))

    def follow(self, moved: dict[Spot, Spot]) -> None:
        """Keep in sight where the rogue lies that was placed in this turn."""
        if self.placed in moved:
            self.placed = moved[self.placed]

    def take_off(self, spots: list[Spot]) -> None:
        """Rogues go back to hand."""
        for spot in spots:
            owner, rogue, _ = self.board.pop(spot)
            self.hands[owner].append(rogue)
            self.placed = None if self.placed == spot else self.placed

    def move_king(self, spaces: int) -> None:
        """The King walks."""
        origin, final = self.king, self.data["king"]["final_space"]
        while self.king < min(origin + spaces, final) and not self.stopped:
            self.king += 1
            self.stopped = self.wrath() is not None
        self.tell("king_moved", origin=origin, target=self.king, stopped=self.stopped)
        if self.king == final and self.config["king_ends_at_once"]:
            self.end("KING")

    def wrath(self) -> int | None:
        """What the Wrath of the King's space names: 0 for a choice, None where there is none."""
        found = [one for one in self.data["king"]["wraths"] if one["space"] == self.king]
        return self.place_names.index(found[0]["neighbourhood"]) if found else None

    def renown_placed(self, seat: int, place: Json) -> None:
        """A token came into play."""
        self.tell("renown_placed", seat=seat, place=place, renown=self.renown(seat))
        if self.renown(seat) == RENOWN_TOKENS:
            self.end("RENOWN")

    def lose_control(self, place: int) -> None:
        """Who controls a neighbourhood takes the tokens back."""
        if place in self.controls:
            seat, tokens = self.controls.pop(place)
            name = self.place_names[place]
            self.tell("renown_returned", seat=seat, neighbourhood=name, tokens=tokens)

    def take_control(self, seat: int, place: int) -> None:
        """A token goes on a neighbourhood."""
        again = place in self.controls and self.controls[place][0] == seat
        if again and not self.config["controller_places_again"]:
            return
        if not again:
            self.lose_control(place)
        self.controls[place] = [seat, self.controls[place][1] + 1 if again else 1]
        self.renown_placed(seat, {"neighbourhood": self.place_names[place]})

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
        due |= {wrath} & {*lived_in}
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


def is_plot(action: Json) -> bool:
    """Whether an action plays a Plot card."""
    return next(iter(action)).startswith("play_")


def without_defaults(action: Json) -> Json:
    """An action without the answers that are false, which may be left out."""
    ((kind, fields),) = action.items()
    return {kind: {name: value for name, value in fields.items() if value is not False}}
