"""The table of La Cour des Miracles now, as a web page shows it, in layers.

One layer is public, and each seat has one for what it also knows; `scene` lists the keys.
"""

from collections.abc import Sequence
from typing import Any

from referee.games.base import Seat
from referee.games.miracles.pieces import Spot
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

    def spots_of(self, place: int) -> list[tuple[int, int]]:
        """Return the spots of a neighbourhood that hold a rogue."""
        return [spot for spot in self._tokens if spot[0] == place]
