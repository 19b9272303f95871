"""Courtisans explained to people who do not know it: in a minute, and sign by sign.

Roles and missions are in the words of the rules page; a test compares them.
"""

from collections.abc import Mapping
from typing import Any

GUIDE: Mapping[str, Any] = {
    "minute": [
        (
            "Six families are at court. Each turn a seat plays its three cards: one to the "
            "Queen's table, one into its own domain, one into the domain of an opponent. Then it "
            "draws three."
        ),
        (
            "At the table a card lies above the mat (in esteem) or below it (in disgrace). The "
            "heavier side decides: a family with more weight above is esteemed, with more below "
            "it is fallen."
        ),
        (
            "At the end spies are turned up. Each card in your domain is worth +1 if its family "
            "is esteemed and \N{MINUS SIGN}1 if it is fallen; nobles count double. Each of your "
            "two secret missions is worth 3 points if it is fulfilled. Most points win."
        ),
    ],
    "roles": {
        "p": "nothing more",
        "n": "counts double",
        "s": "lies face down until the end",
        "a": "may eliminate another card where it is placed",
        "g": "cannot be eliminated",
    },
    "terms": {
        "esteem": "Cards above the mat make their family esteemed.",
        "disgrace": "Cards below the mat make their family fallen.",
        "esteemed": "Its cards in domains are worth +1 each.",
        "neutral": "As much above as below: its cards in domains are worth nothing.",
        "fallen": "Its cards in domains are worth \N{MINUS SIGN}1 each.",
        "queen": "Spies at the table lie in her column until the end, face down.",
        "missions": "Each seat has two, known to itself alone; each is worth 3 points.",
        "killed": "Eliminated by an assassin: out of the game, and worth nothing.",
    },
}
"""Paragraphs, effects by a role's letter in scenes, and what words mean."""
