"""The table of La Cour des Miracles now, as a web page shows it, in layers.

One layer is public, and each seat has one for what it also knows; `scene` lists the keys. Each
kind of event changes the table by its public form, and by the form of its own seat only for what
that seat also knows.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.miracles import event as events
from referee.games.miracles.pieces import RenownPlace, Rogue, Spot
from referee.games.stage import Changes


class Table:
    """The table now, in layers, and the changes of the last event."""

    def __init__(
        self, public: Changes | None = None, own: dict[Seat, Changes] | None = None
    ) -> None:
        """Start with these values; None marks a removed one."""
        self.public: Changes = public or {}
        self.own: dict[Seat, Changes] = own or {}
        self.changed: Changes = {}
        self.changed_own: dict[Seat, Changes] = {}
        self._tokens: dict[tuple[int, int], str] = {}
        """The key of the rogue on each spot, by neighbourhood and rank."""
        self._placed = 0

    def begin(self) -> None:
        """Forget the earlier changes."""
        self.changed, self.changed_own = {}, {}

    def put(self, key: str, value: Any) -> None:
        """Set a public value; None removes it."""
        if self.public.get(key) != value:
            self.public[key] = self.changed[key] = value

    def differing(self, values: Changes) -> Changes:
        """Set these public values; return those that changed."""
        known = self.public
        changed = {key: value for key, value in values.items() if known.get(key) != value}
        known.update(changed)
        return changed

    def put_own(self, seat: Seat, key: str, value: Any) -> None:
        """Set a seat's own value; None removes it."""
        layer = self.own[seat]
        if layer.get(key) != value:
            layer[key] = value
            self.changed_own.setdefault(seat, {})[key] = value

    def put_at(self, key: str, at: int, value: Any) -> None:
        """Set one item of a public list."""
        new = list(self.public[key])
        new[at] = value
        self.put(key, new)

    def add(self, key: str, seat: Seat, number: int) -> None:
        """Add to a seat's number."""
        self.put_at(key, seat, self.public[key][seat] + number)

    def count(self, key: str, number: int) -> None:
        """Add to a number."""
        self.put(key, self.public[key] + number)

    def own_list(self, seat: Seat, key: str, *, more: Sequence[int] = (), less: int = 0) -> None:
        """Change a seat's list of its own pieces."""
        name = f"{key}/{seat}"
        pieces = [*self.own[seat][name], *more]
        if less:
            pieces.remove(less)
        self.put_own(seat, name, sorted(pieces))

    def token(self, spot: Spot) -> str:
        """Return the key of the rogue on a spot."""
        return self._tokens[spot]

    def lay(self, seat: Seat, spot: Spot) -> str:
        """Put a new rogue on the board, face down; return its key."""
        self._placed += 1
        key = self._tokens[spot] = f"r{self._placed}"
        self.put(key, [seat, spot.neighbourhood - 1, spot.rank, 0])
        return key

    def shift(self, spot: Spot, target: Spot) -> None:
        """Move the rogue on a spot to a free one."""
        key = self._tokens[target] = self._tokens.pop(spot)
        self._stand(key, target)

    def swap(self, first: Spot, second: Spot) -> None:
        """Swap two rogues."""
        here, there = self._tokens[first], self._tokens[second]
        self._tokens[first], self._tokens[second] = there, here
        self._stand(there, first)
        self._stand(here, second)

    def _stand(self, key: str, spot: Spot) -> None:
        owner, _, _, face = self.public[key]
        self.put(key, [owner, spot.neighbourhood - 1, spot.rank, face])

    def reveal(self, spot: Spot, face: int) -> None:
        """Turn up the rogue on a spot."""
        key = self._tokens[spot]
        owner, place, rank, _ = self.public[key]
        self.put(key, [owner, place, rank, face])
        self._forget_face(key)

    def take_off(self, spot: tuple[int, int]) -> None:
        """Send the rogue on a spot back to its owner's hand."""
        key = self._tokens.pop(spot)
        owner, _, _, shown = self.public[key]
        face = shown or self.own[owner][f"face/{key}"]
        self.put(key, None)
        self._forget_face(key)
        self.add("rogues", owner, 1)
        self.own_list(owner, "hand", more=[face])

    def _forget_face(self, key: str) -> None:
        """Remove a rogue's face from every seat's layer."""
        name = f"face/{key}"
        for seat, layer in self.own.items():
            if layer.get(name) is not None:
                self.put_own(seat, name, None)

    def nearest(self, place: int, seat: Seat) -> int:
        """Return the rank of a seat's rogue that is closest to the crown of a neighbourhood."""
        spots = self.spots_of(place)
        return min(spot[1] for spot in spots if self.public[self._tokens[spot]][0] == seat)

    def spots_of(self, place: int) -> list[tuple[int, int]]:
        """Return the spots of a neighbourhood that hold a rogue."""
        return [spot for spot in self._tokens if spot[0] == place]


def _turn(table: Table, event: events.TurnStarted, _: Any) -> None:
    table.put("turn", event.turn)
    table.put("round", event.round)
    table.put("active", event.seat)
    table.put("stopped", 0)


def _placed(table: Table, event: events.RoguePlaced, own: events.RoguePlaced) -> None:
    seat, spot, _ = event
    key = table.lay(seat, spot)
    table.add("rogues", seat, -1)
    face = int(own.rogue or 0)
    table.put_own(seat, f"face/{key}", face)
    table.own_list(seat, "hand", less=face)


def _seen(table: Table, event: events.RogueSeen, own: events.RogueSeen) -> None:
    table.put_own(event.seat, f"face/{table.token(event.spot)}", int(own.rogue or 0))


def _drawn(table: Table, event: events.RogueDrawn, own: events.RogueDrawn) -> None:
    table.count("bag", -1)
    table.put_own(event.seat, f"drawn/{event.seat}", int(own.rogue or 0))


def _sunk(table: Table, event: events.RogueSunk, own: events.RogueSunk) -> None:
    seat, sunk = event.seat, int(own.rogue or 0)
    table.count("seine", 1)
    if not own.drawn:
        table.own_list(seat, "hand", more=[table.own[seat][f"drawn/{seat}"]], less=sunk)
    table.put_own(seat, f"drawn/{seat}", 0)
    table.own_list(seat, "sunk", more=[sunk])


def _coins(table: Table, event: events.CoinsMoved, _: Any) -> None:
    for seat, amount in ((event.payer, -event.amount), (event.receiver, event.amount)):
        if seat is not None:
            table.add("coins", seat, amount)


def _king(table: Table, event: events.KingMoved, _: Any) -> None:
    table.put("king", event.target)
    table.put("stopped", int(event.stopped))


def _plots(table: Table, event: events.PlotsDrawn, own: events.PlotsDrawn) -> None:
    table.count("pile", -event.number)
    table.add("plots", event.seat, event.number)
    table.own_list(event.seat, "cards", more=[int(card) for card in own.cards])


def _discarded(table: Table, event: events.PlotDiscarded, _: Any) -> None:
    table.add("plots", event.seat, -1)
    table.own_list(event.seat, "cards", less=int(event.card))
    table.put("discards", sorted([*table.public["discards"], int(event.card)]))


def _played(table: Table, event: events.PlotPlayed, _: Any) -> None:
    table.add("plots", event.seat, -1)
    table.own_list(event.seat, "cards", less=int(event.card))
    table.put("playing", int(event.card))


def _reshuffled(table: Table, event: events.PileReshuffled, _: Any) -> None:
    table.count("pile", event.size)
    table.put("discards", [])


def _renown(table: Table, event: events.RenownPlaced, _: Any) -> None:
    seat, place, renown = event
    _lay_renown(table, seat, place)
    table.put_at("renown", seat, renown)


def _lay_renown(table: Table, seat: Seat, place: RenownPlace) -> None:
    if place.neighbourhood is None:
        table.put_at("lines", seat, sorted([*table.public["lines"][seat], place.line]))
        return
    at = place.neighbourhood - 1
    held = table.public["control"][at]
    table.put_at("control", at, [seat, held[1] + 1 if held and held[0] == seat else 1])


def _renown_moved(table: Table, event: events.RenownMoved, _: Any) -> None:
    seat, origin, target = event
    if origin.neighbourhood is None:
        rest = [line for line in table.public["lines"][seat] if line != origin.line]
        table.put_at("lines", seat, rest)
    else:
        at = origin.neighbourhood - 1
        tokens = table.public["control"][at][1] - 1
        table.put_at("control", at, [seat, tokens] if tokens else 0)
    _lay_renown(table, seat, RenownPlace(target, 0))


def _renown_returned(table: Table, event: events.RenownReturned, _: Any) -> None:
    table.put_at("control", event.neighbourhood - 1, 0)
    table.add("renown", event.seat, -event.tokens)


def _right_hand(table: Table, event: events.RightHandTaken, _: Any) -> None:
    table.put_at("right", event.seat, 1)
    table.add("rogues", event.seat, 1)
    table.own_list(event.seat, "hand", more=[int(Rogue.RIGHT_HAND)])


def _standoff(table: Table, event: events.StandoffStarted, _: Any) -> None:
    table.put("standoff", [event.neighbourhood - 1, -1, [], []])


def _revealed(table: Table, event: events.RoguesRevealed, _: Any) -> None:
    for one in event.rogues:
        table.reveal(one.spot, int(one.rogue or 0))


def _swordsman(table: Table, event: events.SwordsmanAnswered, _: Any) -> None:
    if event.pays:
        place, winner, totals, paid = table.public["standoff"]
        table.put("standoff", [place, winner, totals, [*paid, event.spot.rank]])


def _won(table: Table, event: events.StandoffWon, _: Any) -> None:
    totals = [[seat, strength] for seat, strength in event.totals]
    paid = table.public["standoff"][3]
    table.put("standoff", [event.neighbourhood - 1, event.winner, totals, paid])


def _closed(table: Table, event: events.StandoffEnded, _: Any) -> None:
    for spot in table.spots_of(event.neighbourhood):
        table.take_off(spot)
    table.put("standoff", 0)


def _over(table: Table, _event: events.GameEnded, _: Any) -> None:
    table.put("standoff", 0)
    for seat in table.own:
        table.put_own(seat, f"drawn/{seat}", 0)


def _nothing(_table: Table, _event: Any, _: Any) -> None:
    """Change nothing: the event only announces."""


CHANGES: Mapping[type[Any], Callable[[Table, Any, Any], None]] = {
    events.TurnStarted: _turn,
    events.RoguePlaced: _placed,
    events.RogueMoved: lambda table, event, _: table.shift(event.origin, event.target),
    events.RoguesSwapped: lambda table, event, _: table.swap(event.first, event.second),
    events.RogueReturned: lambda table, event, _: table.take_off(event.spot),
    events.RogueSeen: _seen,
    events.RogueDrawn: _drawn,
    events.RogueSunk: _sunk,
    events.ActionPerformed: _nothing,
    events.CoinsMoved: _coins,
    events.KingMoved: _king,
    events.PlotsDrawn: _plots,
    events.PlotDiscarded: _discarded,
    events.PlotPlayed: _played,
    events.PileReshuffled: _reshuffled,
    events.RenownPlaced: _renown,
    events.RenownMoved: _renown_moved,
    events.RenownReturned: _renown_returned,
    events.RightHandTaken: _right_hand,
    events.WrathChosen: _nothing,
    events.StandoffStarted: _standoff,
    events.RoguesRevealed: _revealed,
    events.LoneKept: _nothing,
    events.SwordsmanAnswered: _swordsman,
    events.StandoffWon: _won,
    events.StandoffEnded: _closed,
    events.GameEnded: _over,
}
"""The changes of each kind of event, by its public form and its own seat's."""
