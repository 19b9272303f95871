"""Who sits down with visitors."""

from typing import Any

from ladder.server.tables.opponents import of_ladder, samples
from ladder.storage.ladder import Ladder
from ladder.storage.tables import spars
from tests.support.games import GAMES
from tests.support.ladders import BOTS


def test_bots_of_the_ladder_play_with_visitors_unless_their_authors_mind(ladder: Ladder) -> None:
    """Each with the number of its version; one that lets no others spar stays away."""
    found = of_ladder(ladder)
    assert list(found) == sorted(BOTS)
    assert {bot.version for bot in found.values()} == {"1"}
    with ladder.database.write() as tx:
        spars.let(tx, BOTS[0], is_open=False)
    assert list(of_ladder(ladder)) == sorted(BOTS[1:])


def test_a_bot_without_files_stays_away(ladder: Ladder) -> None:
    """The others play."""
    found: Any = of_ladder(ladder)
    folder = found[BOTS[0]].directory
    folder.rename(folder.with_name("elsewhere"))
    assert list(of_ladder(ladder)) == sorted(BOTS[1:])


def test_every_game_has_sample_bots() -> None:
    """Games that others bring have those that play every game."""
    for game in GAMES:
        assert {"python-plain", "random"} <= samples(game).keys()
