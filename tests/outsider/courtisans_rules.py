"""Courtisans by docs/rules/courtisans.md, played from a deal and actions in JSON."""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from chance import Stream
from messages import Json, Messages

FAMILIES = ["BUTTERFLY", "TOAD", "NIGHTINGALE", "HARE", "STAG", "CARP"]
COPIES = {"PLAIN": 4, "NOBLE": 4, "SPY": 2, "ASSASSIN": 2, "GUARD": 3}
REMOVED = {2: 30, 3: 18, 4: 6, 5: 0}
MISSIONS = 10
PLURALS = {"BUTTERFLIES": "BUTTERFLY"} | {f"{name}S": name for name in FAMILIES}
AT_LEAST = {
    "THREE_NOBLES": (3, "NOBLE"),
    "TWO_ASSASSINS": (2, "ASSASSIN"),
    "FOUR_GUARDS": (4, "GUARD"),
    "THREE_SPIES": (3, "SPY"),
}


def deal(seed: str, seats: int, _config: Json, messages: Messages) -> Json:
    """What chance decides."""
    stream = Stream(seed, "deal")
    court = [
        {"family": f"FAMILY_{family}", "role": f"ROLE_{role}"}
        for family in FAMILIES
        for role, copies in COPIES.items()
        for _ in range(copies)
    ]
    cards = stream.sub("courtiers").shuffled(court)
    hands_end = REMOVED[seats] + 3 * seats
    missions, names = stream.sub("missions"), messages.enums["Mission"][1:]
    white, blue = missions.shuffled(names[:MISSIONS]), missions.shuffled(names[MISSIONS:])
    return {
        "removed": cards[: REMOVED[seats]],
        "deck": cards[hands_end:],
        "hands": [{"cards": cards[i : i + 3]} for i in range(REMOVED[seats], hands_end, 3)],
        "missions": [{"white": white[seat], "blue": blue[seat]} for seat in range(seats)],
        "starting_seat": stream.sub("starting seat").below(seats),
    }


class Game:
    """A game in progress. Areas are the seats' numbers and -1, the table."""

    def __init__(self, dealt: Json, seats: int, config: Json, messages: Messages) -> None:
        self.config, self.seats, self.turn = config, seats, 1
        self.missions = dealt["missions"]
        self.deck = list(dealt["deck"])
        self.hands = [list(hand["cards"]) for hand in dealt["hands"]]
        self.areas: dict[int, list[Json]] = {area: [] for area in range(-1, seats)}
        self.eliminated: list[tuple[Json, int]] = []
        self.to_act: int | None = dealt["starting_seat"]
        self.orders = [messages.enums[name].index for name in ("Family", "Role")]

    def draw_legal(self, stream: Stream) -> Json:
        """One of the legal actions of the seat to act, each equally likely."""
        blocks = self.blocks()
        sizes = [len(others) * len(own) * len(table) * 2 for _, table, own, others in blocks]
        number = stream.below(sum(sizes))
        for (cards, *choices), size in zip(blocks, sizes, strict=True):
            if number < size:
                return self.action(cards, *choices, number=number)
            number -= size
        raise IndexError(number)

    def blocks(self) -> list[tuple[Any, ...]]:
        """The orders of the hand, each with the targets of its three cards."""
        seat = self.to_act or 0
        family, role = self.orders
        hand = sorted(
            self.hands[seat], key=lambda card: (family(card["family"]), role(card["role"]))
        )
        opponents = [other for other in range(self.seats) if other != seat]
        orders: list[tuple[Json, ...]] = []
        for order in itertools.permutations(hand):
            orders += [order] if order not in orders else []
        return [
            (
                order,
                self.targets(order[0], -1),
                self.targets(order[1], seat),
                [(other, turn) for other in opponents for turn in self.targets(order[2], other)],
            )
            for order in orders
        ]

    def targets(self, card: Json, area: int) -> list[int]:
        """What a card may eliminate in an area: 0 for none, or a turn."""
        lying = [one["turn"] for one in self.areas[area] if one["role"] != "ROLE_GUARD"]
        return [0, *lying] if card["role"] == "ROLE_ASSASSIN" else [0]

    def action(
        self, cards: Any, table: list[int], own: list[int], others: list[Any], *, number: int
    ) -> Json:
        """The action of this number in a block."""
        number, side = divmod(number, 2)
        number, first = divmod(number, len(table))
        third, second = divmod(number, len(own))
        opponent, target = others[third]
        eliminated = (table[first], own[second], target)
        placed = [
            {"card": card, "eliminates": turn} for card, turn in zip(cards, eliminated, strict=True)
        ]
        return {
            "table": placed[0],
            "side": f"SIDE_{('ABOVE', 'BELOW')[side]}",
            "own_domain": placed[1],
            "opponent_domain": placed[2],
            "opponent": opponent,
        }

    def play(self, action: Json) -> Iterator[Json]:
        """Play a turn; its one event."""
        seat, opponent = self.to_act or 0, action["opponent"]
        if opponent == seat or action["side"] == "SIDE_UNSPECIFIED":
            raise ValueError("this is no legal opponent or side")
        event = {
            "turn": self.turn,
            "seat": seat,
            "table": self.place(seat, action["table"], -1, action["side"]),
            "own_domain": self.place(seat, action["own_domain"], seat),
            "opponent_domain": self.place(seat, action["opponent_domain"], opponent),
            "opponent": opponent,
            "drawn": self.deck[:3],
        }
        self.hands[seat], self.deck = self.deck[:3], self.deck[3:]
        self.turn += 1
        following = (seat + 1) % self.seats
        self.to_act = following if self.hands[following] else None
        yield {"turn_played": event}

    def place(self, seat: int, placement: Json, area: int, side: str = "SIDE_UNSPECIFIED") -> Json:
        """Put a card of the hand into an area; an assassin may take one out."""
        card, target = placement["card"], placement["eliminates"]
        if target not in self.targets(card, area):
            raise ValueError(f"the card of turn {target} cannot be eliminated there")
        self.hands[seat].remove(card)
        gone = [one for one in self.areas[area] if one["turn"] == target]
        self.eliminated += [(one, area) for one in gone]
        played = {"turn": self.turn, "played_by": seat, **card, "side": side}
        self.areas[area] = [one for one in self.areas[area] if one not in gone] + [played]
        return {"card": played, "eliminated": target}

    def result(self) -> Json:
        """How the game ended."""
        table = self.areas[-1]
        above, under = (
            [one for one in table if one["side"] == f"SIDE_{s}"] for s in ("ABOVE", "BELOW")
        )
        surplus = {family: weight(above, family) - weight(under, family) for family in FAMILIES}
        self.signs = {family: (value > 0) - (value < 0) for family, value in surplus.items()}
        families = [
            {
                "family": f"FAMILY_{family}",
                "above": weight(above, family),
                "below": weight(under, family),
                "status": f"STATUS_{('NEUTRAL', 'ESTEEMED', 'FALLEN')[self.signs[family]]}",
            }
            for family in FAMILIES
        ]
        self.scored = [self.seat_result(seat, under) for seat in range(self.seats)]
        return {"families": families, "seats": self.scored, "spies": self.spies()}

    def seat_result(self, seat: int, under: list[Json]) -> Json:
        """What a seat scores."""
        parts: list[Json] = [
            {"family": f"FAMILY_{family}", "weight": held, "points": held * self.signs[family]}
            for family in FAMILIES
            if (held := weight(self.areas[seat], family))
        ]
        won: list[Json] = []
        for mission in (self.missions[seat]["white"], self.missions[seat]["blue"]):
            holds = self.fulfilled(mission.removeprefix("MISSION_"), seat, under)
            won.append({"mission": mission, "fulfilled": holds, "points": 3 * holds})
        points = sum(part["points"] for part in parts + won)
        return {"points": points, "families": parts, "missions": won}

    def fulfilled(self, mission: str, seat: int, under: list[Json]) -> bool:
        """Whether a mission's condition holds."""
        noble, signs = self.config["noble_weight_in_missions"], list(self.signs.values())
        own, left = self.areas[seat], self.areas[(seat + 1) % self.seats]
        kind, _, what = mission.partition("_")
        if kind == "FEWER":
            return weight(own, PLURALS[what], noble) < weight(left, PLURALS[what], noble)
        if mission in AT_LEAST:
            number, role = AT_LEAST[mission]
            return Counter(card["role"] for card in own)[f"ROLE_{role}"] >= number
        low = [weight(under, family, noble) for family in FAMILIES]
        of_table: dict[str, bool] = {
            "ALL_BELOW": min(low) >= 1,
            "FIVE_BELOW": max(low) >= 5,
            "FEW_ESTEEMED": signs.count(1) <= 3,
            "TWO_FALLEN": signs.count(-1) >= 2,
        }
        return of_table[mission] if mission in of_table else self.signs[PLURALS[what]] < 0

    def spies(self) -> list[Json]:
        """The spies that are revealed at the end."""
        lying = [(card, area, False) for area, cards in self.areas.items() for card in cards]
        if self.config["reveal_eliminated_spies"]:
            lying += [(card, area, True) for card, area in self.eliminated]
        found = [
            {"turn": card["turn"], "family": card["family"], "eliminated": gone}
            | ({} if area < 0 else {"domain": area})
            for card, area, gone in lying
            if card["role"] == "ROLE_SPY"
        ]
        return sorted(found, key=lambda spy: (spy["turn"], spy.get("domain", -1)))

    def points(self) -> list[int]:
        """The points of every seat."""
        return [seat["points"] for seat in self.scored]

    def standings(self) -> list[Any]:
        """What the places go by, the more the better."""
        return self.points()


def weight(cards: list[Json], family: str, noble: int = 2) -> int:
    """How much the cards of one family weigh."""
    roles = [card["role"] for card in cards if card["family"] == f"FAMILY_{family}"]
    return sum(noble if role == "ROLE_NOBLE" else 1 for role in roles)
