"""The changes of each event of La Cour des Miracles to the table, public and for a seat.

A rule here reads the event's public form, and the form of the event's own seat only for what that
seat also knows.
"""

from collections.abc import Callable, Mapping
from typing import Any

from referee.games.base import Seat
from referee.games.miracles import event as events
from referee.games.miracles.pieces import RenownPlace, Rogue
from referee.games.miracles.table import Table


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
