"""Seatings: who sits where in a match, and which matches share a deal."""

from dataclasses import dataclass

Seating = tuple[int | None, ...]
"""The version id on each seat of a match, by seat; None is the stand-in."""


@dataclass(frozen=True, slots=True)
class Block:
    """Matches that share a deal: the unit of planning and rating."""

    tables: tuple[Seating, ...]


def rotations(table: Seating) -> Block:
    """Return the block of all rotations of a seating: everyone sits once on every seat."""
    return Block(tuple(table[shift:] + table[:shift] for shift in range(len(table))))
