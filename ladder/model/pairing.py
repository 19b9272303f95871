"""Who sits with whom: one match, and the matches that share a deal."""

from dataclasses import dataclass

Seating = tuple[int | None, ...]
"""Who sits where in one match, by version id; None is the stand-in. The index is the seat."""


@dataclass(frozen=True, slots=True)
class Block:
    """Matches that are played with one deal: the unit of planning and of rating."""

    tables: tuple[Seating, ...]


def rotations(table: Seating) -> Block:
    """Return the block in which everybody sits on every seat once, always in the same circle."""
    return Block(tuple(table[shift:] + table[:shift] for shift in range(len(table))))
