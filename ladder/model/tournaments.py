"""The choices for a tournament.

Apart from what plans tournaments, which the commands that offer these choices need not import.
"""

from enum import StrEnum

USUAL_HALF_BYES = 1
USUAL_DEALS = 8
"""If bots are level after every other deal, one pair in 256 is still level after these deals."""


class Kind(StrEnum):
    """The formats, by their names on the command line."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    GAUNTLET = "gauntlet"
    KNOCKOUT = "knockout"
    DOUBLE_ELIMINATION = "double-elimination"
    GROUPS = "groups"


class Seeding(StrEnum):
    """How entrants are seeded."""

    RATING = "rating"
    """By a standing ladder's rating, the strongest first."""
    DRAW = "draw"
    """At random."""
    GIVEN = "given"
    """In the order of the arguments."""


class KeptApart(StrEnum):
    """Which bots do not meet where that can be avoided."""

    AUTHOR = "author"
    """Those of one author."""
    TEAM = "team"
    """Those of one club or team."""
    NONE = "none"


class By(StrEnum):
    """The property by which bots are grouped."""

    AUTHOR = "author"
    TEAM = "team"
