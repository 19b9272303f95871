"""Computes records of Courtisans again from the seeds and the actions in them, without the referee.

Reads a JSON list of records from stdin and writes what should stand in each of them to stdout. It
uses Python's standard library and what the documents say, and shares no code with the referee.
"""

import base64
import hashlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Area = int | str

FAMILIES = ["BUTTERFLY", "TOAD", "NIGHTINGALE", "HARE", "STAG", "CARP"]
ROLES = {"PLAIN": 4, "NOBLE": 4, "SPY": 2, "ASSASSIN": 2, "GUARD": 3}
REMOVED = {2: 30, 3: 18, 4: 6, 5: 0}
WHITE = [
    *(f"FEWER_{name}" for name in ("BUTTERFLIES", "TOADS", "NIGHTINGALES")),
    *(f"FEWER_{name}" for name in ("STAGS", "HARES", "CARPS")),
    *("THREE_NOBLES", "TWO_ASSASSINS", "FOUR_GUARDS", "THREE_SPIES"),
]
BLUE = [
    *(f"FALLEN_{name}" for name in ("BUTTERFLIES", "TOADS", "NIGHTINGALES")),
    *(f"FALLEN_{name}" for name in ("STAGS", "HARES", "CARPS")),
    *("ALL_BELOW", "FIVE_BELOW", "FEW_ESTEEMED", "TWO_FALLEN"),
]
OF_PLURAL = {"BUTTERFLIES": "BUTTERFLY"} | {f"{name}S": name for name in FAMILIES}
AT_LEAST = {
    "THREE_NOBLES": (3, "NOBLE"),
    "TWO_ASSASSINS": (2, "ASSASSIN"),
    "FOUR_GUARDS": (4, "GUARD"),
    "THREE_SPIES": (3, "SPY"),
}


# Randomness


def framed(text: str) -> bytes:
    """Four bytes of length and the text in UTF-8."""
    data = text.encode()
    return len(data).to_bytes(4, "big") + data


def key_of(*names: str) -> bytes:
    """The key of the stream with these names, the seed first."""
    return hashlib.sha256(b"courtyard-stream-1" + b"".join(map(framed, names))).digest()


def key_below(key: bytes, name: str) -> bytes:
    """The key of a stream below another."""
    return hashlib.sha256(b"courtyard-substream-1" + key + framed(name)).digest()


def words(key: bytes) -> Iterator[int]:
    """The 64-bit words of a stream."""
    for block in itertools.count():
        digest = hashlib.sha256(key + block.to_bytes(8, "big")).digest()
        yield from (int.from_bytes(digest[i : i + 8], "big") for i in range(0, 32, 8))


def below(stream: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1."""
    return next(word for word in stream if word < 2**64 - 2**64 % n) % n


def shuffled(stream: Iterator[int], items: list[Any]) -> list[Any]:
    """The items in random order."""
    items = items.copy()
    for i in range(len(items) - 1, 0, -1):
        j = below(stream, i + 1)
        items[i], items[j] = items[j], items[i]
    return items


# The deal


def deal(seed: str, seats: int) -> Json:
    """What chance decides, as JSON."""
    key = key_of(seed, "deal")
    court = [
        {"family": f"FAMILY_{family}", "role": f"ROLE_{role}"}
        for family in FAMILIES
        for role, copies in ROLES.items()
        for _ in range(copies)
    ]
    cards = shuffled(words(key_below(key, "courtiers")), court)
    removed, cards = cards[: REMOVED[seats]], cards[REMOVED[seats] :]
    missions = words(key_below(key, "missions"))
    white, blue = shuffled(missions, WHITE), shuffled(missions, BLUE)
    return {
        "removed": removed,
        "deck": cards[3 * seats :],
        "hands": [{"cards": cards[3 * seat : 3 * seat + 3]} for seat in range(seats)],
        "missions": [
            {"white": f"MISSION_{white[seat]}", "blue": f"MISSION_{blue[seat]}"}
            for seat in range(seats)
        ],
        "starting_seat": below(words(key_below(key, "starting seat")), seats),
    }


def varint(number: int) -> bytes:
    """A number in base 128, as protobuf writes it."""
    out = b""
    while number > 127:
        out += bytes([number % 128 + 128])
        number //= 128
    return out + bytes([number])


def number_field(number: int, value: int) -> bytes:
    """A field of protobuf that holds a number; left out if that is 0."""
    return varint(number << 3) + varint(value) if value else b""


def bytes_field(number: int, value: bytes) -> bytes:
    """A field of protobuf that holds a message."""
    return varint(number << 3 | 2) + varint(len(value)) + value


def card_bytes(card: Json) -> bytes:
    """A CourtisansCard."""
    family = FAMILIES.index(card["family"].removeprefix("FAMILY_")) + 1
    role = list(ROLES).index(card["role"].removeprefix("ROLE_")) + 1
    return number_field(1, family) + number_field(2, role)


def mission_number(name: str) -> int:
    """The number of a mission in the protocol."""
    return (WHITE + BLUE).index(name.removeprefix("MISSION_")) + 1


def deal_bytes(dealt: Json) -> bytes:
    """The GameDeal that is committed to."""
    body = b"".join(bytes_field(1, card_bytes(card)) for card in dealt["removed"])
    body += b"".join(bytes_field(2, card_bytes(card)) for card in dealt["deck"])
    for hand in dealt["hands"]:
        body += bytes_field(3, b"".join(bytes_field(1, card_bytes(card)) for card in hand["cards"]))
    for pair in dealt["missions"]:
        white, blue = mission_number(pair["white"]), mission_number(pair["blue"])
        body += bytes_field(4, number_field(1, white) + number_field(2, blue))
    return bytes_field(1, body + number_field(5, dealt["starting_seat"]))


# The game


class Game:
    """A game that is played again. Areas are the seats' numbers and "table"."""

    def __init__(self, dealt: Json, seats: int) -> None:
        """Deal."""
        self.seats = seats
        self.turn = 0
        self.deck = list(dealt["deck"])
        self.hands = [list(hand["cards"]) for hand in dealt["hands"]]
        self.areas: dict[Area, list[Json]] = {area: [] for area in ("table", *range(seats))}
        self.eliminated: list[tuple[Json, Area]] = []

    def play(self, seat: int, action: Json) -> Json:
        """Play a turn and return its event as JSON."""
        self.turn += 1
        opponent = action["opponent"]
        event = {
            "turn": self.turn,
            "seat": seat,
            "table": self._place(seat, action["table"], "table", action["side"]),
            "own_domain": self._place(seat, action["own_domain"], seat),
            "opponent_domain": self._place(seat, action["opponent_domain"], opponent),
            "opponent": opponent,
            "drawn": self.deck[:3],
        }
        if self.hands[seat]:
            sys.exit(f"seat {seat} has cards left: {self.hands[seat]}")
        self.hands[seat], self.deck = self.deck[:3], self.deck[3:]
        return event

    def _place(
        self, seat: int, placement: Json, area: Area, side: str = "SIDE_UNSPECIFIED"
    ) -> Json:
        self.hands[seat].remove(placement["card"])
        target = placement["eliminates"]
        gone = [card for card in self.areas[area] if target and card["turn"] == target]
        self.areas[area] = [card for card in self.areas[area] if card not in gone]
        self.eliminated += [(card, area) for card in gone]
        if target and (len(gone) != 1 or gone[0]["role"] == "ROLE_GUARD"):
            sys.exit(f"turn {self.turn} eliminates {gone}")
        card = {"turn": self.turn, "played_by": seat, **placement["card"], "side": side}
        self.areas[area].append(card)
        return {"card": card, "eliminated": target}


def weight(cards: list[Json], family: str, noble: int = 2) -> int:
    """How much the cards of one family weigh."""
    roles = [card["role"] for card in cards if card["family"] == f"FAMILY_{family}"]
    return sum(noble if role == "ROLE_NOBLE" else 1 for role in roles)


def on_side(cards: list[Json], side: str) -> list[Json]:
    """The cards on one side of the table."""
    return [card for card in cards if card["side"] == side]


def fulfilled(mission: str, game: Game, seat: int, signs: dict[str, int], noble: int) -> bool:
    """Whether a mission's condition holds."""
    own, neighbour = game.areas[seat], game.areas[(seat + 1) % game.seats]
    below_mat = on_side(game.areas["table"], "SIDE_BELOW")
    low = [weight(below_mat, family, noble) for family in FAMILIES]
    kind, _, what = mission.removeprefix("MISSION_").partition("_")
    if kind == "FEWER":
        family = OF_PLURAL[what]
        return weight(own, family, noble) < weight(neighbour, family, noble)
    if f"{kind}_{what}" in AT_LEAST:
        number, role = AT_LEAST[f"{kind}_{what}"]
        return Counter(card["role"] for card in own)[f"ROLE_{role}"] >= number
    if kind == "FALLEN":
        return signs[OF_PLURAL[what]] < 0
    of_table: dict[str, bool] = {
        "ALL_BELOW": min(low) >= 1,
        "FIVE_BELOW": max(low) >= 5,
        "FEW_ESTEEMED": list(signs.values()).count(1) <= 3,
        "TWO_FALLEN": list(signs.values()).count(-1) >= 2,
    }
    return of_table[f"{kind}_{what}"]


def result(game: Game, missions: list[Json], config: Json) -> Json:
    """How a game ended, as JSON."""
    above, under = (on_side(game.areas["table"], f"SIDE_{side}") for side in ("ABOVE", "BELOW"))
    surplus = {family: weight(above, family) - weight(under, family) for family in FAMILIES}
    signs = {family: (value > 0) - (value < 0) for family, value in surplus.items()}
    families = [
        {
            "family": f"FAMILY_{family}",
            "above": weight(above, family),
            "below": weight(under, family),
            "status": f"STATUS_{('NEUTRAL', 'ESTEEMED', 'FALLEN')[signs[family]]}",
        }
        for family in FAMILIES
    ]
    seats = []
    for seat, pair in enumerate(missions):
        parts = [
            {"family": f"FAMILY_{family}", "weight": held, "points": held * signs[family]}
            for family in FAMILIES
            if (held := weight(game.areas[seat], family))
        ]
        noble = config["noble_weight_in_missions"]
        won = [
            {"mission": mission, "fulfilled": holds, "points": 3 * holds}
            for mission in (pair["white"], pair["blue"])
            for holds in [fulfilled(mission, game, seat, signs, noble)]
        ]
        points = sum(part["points"] for part in parts + won)
        seats.append({"points": points, "families": parts, "missions": won})
    return {"families": families, "seats": seats, "spies": spies(game, config)}


def spies(game: Game, config: Json) -> list[Json]:
    """The spies that are revealed at the end, as JSON."""
    lying = [(card, area, False) for area, cards in game.areas.items() for card in cards]
    if config["reveal_eliminated_spies"]:
        lying += [(card, area, True) for card, area in game.eliminated]
    found = [
        {"turn": card["turn"], "family": card["family"], "eliminated": gone}
        | ({} if area == "table" else {"domain": area})
        for card, area, gone in lying
        if card["role"] == "ROLE_SPY"
    ]
    return sorted(found, key=lambda spy: (spy["turn"], spy.get("domain", -1)))


# The record


def banks(record: Json) -> list[str]:
    """What the banks held after each decision, in microseconds."""
    clock = record["clock"]
    bank = [clock["bank_ms"] * 1000 for _ in record["seats"]]
    asked, left = set[int](), list[str]()
    for decision in record["decisions"]:
        seat = decision["seat"]
        if decision["stand_in"] and "fault" not in decision:
            left.append("0")
            continue
        bank[seat] += clock["increment_ms"] * 1000 if seat in asked else 0
        bank[seat] = max(0, bank[seat] - int(decision["elapsed_us"]))
        left.append(str(bank[seat]))
        asked.add(seat)
    return left


def outcomes(record: Json, seats: list[Json]) -> list[Json]:
    """Who came where, as JSON."""
    forfeits = {d["seat"]: d["fault"]["kind"] for d in record["decisions"] if "fault" in d}
    kept = [seat["points"] for i, seat in enumerate(seats) if i not in forfeits]
    return [
        {
            "rank": 1 + (len(kept) if i in forfeits else sum(p > seat["points"] for p in kept)),
            "points": seat["points"],
            "forfeit": forfeits.get(i, "FAULT_KIND_UNSPECIFIED"),
        }
        for i, seat in enumerate(seats)
    ]


def recompute(record: Json) -> Json:
    """What should stand in the record, as JSON."""
    seats, seed = len(record["seats"]), record["master_seed"]
    dealt = deal(seed, seats)
    of_match = [record["match_id"]] if record["format"] > 1 else []
    nonce = b"".join(
        word.to_bytes(8, "big")
        for word in itertools.islice(words(key_of(seed, "deal nonce", *of_match)), 4)
    )
    game, events, order = Game(dealt, seats), list[Json](), list[int]()
    for i, decision in enumerate(record["decisions"]):
        seat = (dealt["starting_seat"] + i) % seats
        order.append(seat)
        if "fault" in decision:
            events.append({"forfeit": {"seat": seat, "kind": decision["fault"]["kind"]}})
        played = game.play(seat, decision["action"]["courtisans"])
        events.append({"game": {"courtisans": {"turn_played": played}}})
    if game.deck or any(game.hands):
        sys.exit("the game is not over")
    ended = result(game, dealt["missions"], record["config"]["courtisans"])
    return {
        "deal": {"courtisans": dealt},
        "deal_nonce": base64.b64encode(nonce).decode(),
        "deal_commitment": base64.b64encode(
            hashlib.sha256(nonce + deal_bytes(dealt)).digest()
        ).decode(),
        "order": order,
        "banks": banks(record),
        "events": events,
        "result": {"courtisans": ended},
        "outcomes": outcomes(record, ended["seats"]),
    }


if __name__ == "__main__":
    json.dump([recompute(record) for record in json.load(sys.stdin)], sys.stdout)
