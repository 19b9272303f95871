"""What lies on the table of La Cour des Miracles, and the moves that several rules share.

Neighbourhoods, rogues and Plot cards are numbers here, as in the .proto; a spot is a pair.
"""

from collections.abc import Generator
from typing import Any

from messages import Json, Messages

HENCHMAN, BEGGAR, RIGHT_HAND = 1, 2, 3
PICKPOCKET, PRIEST, SOOTHSAYER, SWORDSMAN, COURTESAN = range(5, 10)
TAVERNE, HALLES, CHATELET, RUE, COUR = PLACES = range(1, 6)
STRENGTH, EMPRESS, JUDGMENT, SUN, WHEEL, DEVIL, HANGED, CHARIOT, TOWER, HERMIT, FOOL, EMPEROR = (
    range(1, 13)
)
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


class Table:
    """A game in progress, as it lies there."""

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

    def begin_turn(self) -> None:
        """Forget the turn before."""
        self.placed: Spot | None = None
        self.visited = 0
        self.acted = self.plot_played = self.emperor = self.stopped = False
        self.before_standoffs = True

    # What can be read off it

    def spot(self, spot: Spot) -> Json:
        """A spot in JSON."""
        return {"neighbourhood": self.place_names[spot[0]], "rank": spot[1]}

    def step(self, origin: Spot, target: Spot) -> Json:
        """From where to where a rogue moves."""
        return {"origin": self.spot(origin), "target": self.spot(target)}

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

    def end(self, ending: str) -> None:
        """End the game at once."""
        self.ending = ending
        self.tell("game_ended", turn=self.turn)
        raise GameOver
