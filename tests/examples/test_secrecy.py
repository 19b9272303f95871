"""Nothing hidden reaches a seat, in hundreds of matches of many games, by their own `redraw`."""

from collections.abc import Callable

import pytest

from referee.conformance.game_check.secrecy import WorldTally, check_game
from referee.conformance.game_check.subject import CheckedGame
from referee.games import game_named
from tests.support.lacking import need_open_spiel

OURS = ("courtisans", "miracles", "goofspiel", "leduc", "liars-dice")
OPENSPIEL = ("kuhn_poker", "leduc_poker", "hearts", "universal_poker", "bargaining")
"""Games that redraw by `ResampleFromInfostate`."""
GAMES = (*OURS, *(f"openspiel:{name}" for name in OPENSPIEL))
MATCHES = 500
"""Of all games together, in the whole proof."""
PARTS = 5
"""Of each game's matches: tests of a bearable length."""


@pytest.mark.proof
@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", GAMES)
def test_no_seat_is_told_what_it_may_not_know(
    name: str, part: int, proof_cases: Callable[[int], int]
) -> None:
    """All that it is sent is the same in other worlds, and these are others for other seats."""
    if name.startswith("openspiel:"):
        need_open_spiel()
    tables, tally = game_named(name).seats, WorldTally()
    for match in range(proof_cases(MATCHES // len(GAMES) // PARTS)):
        number = match * PARTS + part
        check_game(CheckedGame(name, {}), tables[number % len(tables)], f"match {number}", tally)

    assert tally.worlds
    assert tally.other > tally.worlds // 10
