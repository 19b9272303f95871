"""Makes the dictionaries that replays are packed with, from replays of random matches.

    dictionaries.py

They are written to ladder/web/static/replay/GAME-words.js. Pages can be read only with the
dictionary that they were packed with; an export makes them all anew when one has changed.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import ladder.web
from ladder.web.replay import page
from ladder.web.replay.packing import LARGEST, script
from referee.games import GAMES, game_named
from referee.match import Match, MatchSetup
from referee.record import Occupant, record_of
from referee.testing import play

FOLDER = Path(ladder.web.__file__).parent / "static" / "replay"
MATCHES_A_TABLE = 3


def main() -> None:
    """Write the dictionaries."""
    for game in GAMES:
        words = b"".join(replays(game))[-LARGEST:]
        (FOLDER / f"{game}-words.js").write_text(script(words), encoding="ascii")


def replays(game: str) -> Iterator[bytes]:
    """Yield the data of some replays, at tables of each size."""
    for number, seats in product(range(MATCHES_A_TABLE), game_named(game).seats):
        setup = MatchSetup(f"{number}", game, seats=seats, master_seed=f"dictionary {number}")
        match = Match(setup)
        play(match, {})
        yield page(record_of(match, [Occupant(f"bot {seat}") for seat in range(seats)]))


if __name__ == "__main__":
    main()
