"""La Cour des Miracles explained to people who do not know it: in a minute, and sign by sign.

Rogues, neighbourhoods and Plot cards are in the words of the rules page; a test compares them.
"""

from collections.abc import Mapping
from typing import Any

GUIDE: Mapping[str, Any] = {
    "minute": [
        (
            "Guilds of rogues fight for five neighbourhoods of Paris. Each turn a seat puts a "
            "rogue face down on a free spot and gets what the spot shows; it may perform the "
            "neighbourhood's action, and play one Plot card."
        ),
        (
            "When the three spots of a neighbourhood are full, or when a Wrath of the King hits "
            "it, there is a standoff: rogues are turned up, strengths are added, and the highest "
            "total takes control with a Renown token. Among equals the rogue closest to the crown"
            " wins."
        ),
        (
            "More Renown tokens can be bought on the Renown Square. Six tokens in play win at "
            "once; else most tokens win when the Penniless King has walked his path."
        ),
    ],
    "rogues": [
        "",
        "none",
        "the winner gives his owner 1 coin",
        "none",
        "none",
        "if his owner wins: 2 coins from the reserve",
        "if his owner wins: 1 Plot card",
        "if her owner does not win: 1 coin and 1 Plot card",
        "weighs 3 if his owner pays 2 coins",
        "if her owner wins: the Renown token may go to another neighbourhood",
    ],
    "places": [
        (
            "draw a rogue from the bag and look at it; either it or one rogue at hand goes face "
            "down into the Seine, and no other seat learns which. Needs a rogue at hand and one "
            "in the bag"
        ),
        "pay for a Renown token on a line of the Renown Square, and get its bonus",
        "draw 1 Plot card",
        (
            "move one rogue in play, anybody's but the one just placed, to any free spot, without"
            " its effect"
        ),
        "take 2 coins",
    ],
    "plots": [
        "",
        (
            "as the Taverne's action, without income; no effect without a rogue at hand and one "
            "in the bag"
        ),
        (
            "move one of your Renown tokens in play to an uncontrolled neighbourhood; a line that"
            " is free again can be bought again"
        ),
        (
            "each player with more Renown in play than you, clockwise, gives you 1 coin if they "
            "have one"
        ),
        "take 2 coins",
        "draw 2 Plot cards",
        "take up to 2 coins from one opponent",
        "return an opponent's rogue in play to its owner, unrevealed",
        "move one of your rogues in play to a free spot, without its effect",
        "swap two rogues in play in different neighbourhoods, without effects",
        "look secretly at one rogue in play",
        "the King moves 1 or 2",
        "+1 strength for you in each standoff of this turn in which you have a revealed rogue",
    ],
    "ranks": [
        "Closest to the crown: wins ties.",
        "Wins ties against spot 3.",
        "Farthest from the crown.",
    ],
    "effects": {
        "king": "The King moves forward this far.",
        "coin": "Coins from the reserve.",
        "plot": "Plot cards from the pile.",
        "right_hand": "The Right-Hand, strength 2, comes to hand, once a game.",
    },
    "terms": {
        "king": "When the Penniless King reaches the end of his path, the game is over.",
        "wrath": "It stops the King, and its neighbourhood has a standoff at the turn's end.",
        "standoff": "Rogues are turned up; the highest total strength takes control.",
        "control": "One Renown in play, and a coin of income when the action here is performed.",
        "renown": "Most Renown in play wins; six win at once.",
        "square": "Les Halles sells a Renown token on one of these lines, with its bonus.",
        "coins": "They pay for Renown and Swordsmen, and decide nothing at the end.",
    },
}
"""Paragraphs; effects by the numbers of rogues, neighbourhoods, Plot cards; what words mean."""
