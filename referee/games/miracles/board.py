"""The print on the board and the tokens, as plain values for a web page."""

from typing import Any

from referee.games.miracles.data import BoardData, Effect, RogueData, Source, key
from referee.games.miracles.pieces import (
    LINES,
    RENOWN_TOKENS,
    Neighbourhood,
    PlotCard,
    Rogue,
    place_name,
    plot_name,
    rogue_name,
)


def printed_board(data: BoardData) -> dict[str, Any]:
    """Return the names of all pieces, the effects of spots and lines, and the King's path.

    Lists are by number; where numbers begin at 1, index 0 is a filler. A Wrath's neighbourhood
    counts from 0; -1: the active player chooses. "reconstructed" holds the rogues of made-up
    strength.
    """
    return {
        "data": data.label,
        "places": [place_name(place) for place in Neighbourhood],
        "spots": [[_effect(effect) for effect in place.spots] for place in data.neighbourhoods],
        "final": data.king.final_space,
        "wraths": [
            [wrath.space, -1 if wrath.neighbourhood is None else wrath.neighbourhood - 1]
            for wrath in data.king.wraths
        ],
        "lines": [[data.line(line).cost, *_effect(data.line(line).bonus)] for line in LINES],
        "rogues": ["", *[rogue_name(rogue) for rogue in Rogue]],
        "strengths": [0, *[data.rogue(rogue).strength for rogue in Rogue]],
        "reconstructed": [int(rogue) for rogue in Rogue if _is_made_up(data.rogue(rogue))],
        "plots": ["", *[plot_name(card) for card in PlotCard]],
        "renown": RENOWN_TOKENS,
    }


def _is_made_up(rogue: RogueData) -> bool:
    return (rogue.strength_source or rogue.source) is Source.RECONSTRUCTION


def _effect(effect: Effect) -> list[Any]:
    return [key(effect.kind), effect.amount]
