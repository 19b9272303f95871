"""Makes the dictionaries that replays are packed with, from replays of random matches.

    dictionaries.py

They are written to ladder/server/web/replay/browser/GAME-words.js. Pages can be read only with the
dictionary that they were packed with; an export makes them all anew when one has changed.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import zstandard

import ladder.server.web.replay
from ladder.server.web.replay import page
from ladder.server.web.replay.packing import LARGEST, script
from referee.conformance.testing import play
from referee.games import GAMES, game_named
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of

FOLDER = Path(ladder.server.web.replay.__file__).parent / "browser"
MATCHES_A_TABLE = 60
PIECE = 2048
"""The bytes of the pieces that a dictionary is put together from."""
MATCH = 6
"""What is found again is at least so long."""
ASCII = 128
HEADER = 1500
"""More than zstandard's own tables take, which stand before the words."""


def main() -> None:
    """Write the dictionaries."""
    for game in GAMES:
        size = LARGEST + HEADER
        trained = zstandard.train_dictionary(size, list(replays(game)), k=PIECE, d=MATCH)
        words = bytes(byte for byte in trained.as_bytes()[-LARGEST:] if byte < ASCII)
        (FOLDER / f"{game}-words.js").write_text(script(words), encoding="ascii")


def replays(game: str) -> Iterator[bytes]:
    """Yield the data of some replays, at tables of each size."""
    for number, seats in product(range(MATCHES_A_TABLE), game_named(game).seats):
        setup = MatchSetup(f"{number}", game, seats=seats, master_seed=f"dictionary {number}")
        match = Match(setup)
        play(match, {})
        yield page(record_of(match, [SeatInfo(f"bot {seat}") for seat in range(seats)]))


if __name__ == "__main__":
    main()
