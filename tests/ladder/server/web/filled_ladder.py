"""Makes a ladder that looks as if it had been played.

    filled_ladder.py DIR GAME SEATS BOTS MATCHES

Its records are of real matches of the stand-in, some of them with a fault, used again and again.
Each bot has a strength of its own, and the stronger ones are seated where the match was won. One
bot in seven has an earlier version; the last one is retired; the last match is still to be played.
"""

import hashlib
import random
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from ladder.model import ids
from ladder.model.bots import Entry, ValidationResult, Version
from ladder.model.matches import PlannedMatch
from ladder.storage.ladder import Ladder
from ladder.storage.tables import bots, matches
from ladder.storage.tables.records import pack
from referee.conformance.testing import play, sends
from referee.hosting.match_runner import MatchSpec
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from tests.support.new_ladder import new_ladder

SYLLABLES = ("ar", "bel", "cor", "dan", "el", "fa", "gor", "hu", "is", "jo", "ka", "lun", "mi")
LANGUAGES = ("Python", "Rust", "Go", "C++", "Java", "TypeScript", "Shell")
RECORDS = 16
LATER = 0.45
"""When earlier versions are followed by others: after this part of the matches."""


def main(folder: Path, game: str, seats: int, count: int, played: int) -> None:
    """Make the ladder."""
    home = new_ladder(folder, "a seed for pages", game=game, seats=seats)
    with Ladder.open(home) as ladder:
        rng = random.Random(7)
        strength = {name: rng.gauss(0, 1) for name in _names(count)}
        enter(ladder, [name for i, name in enumerate(strength) if i % 7 == 2], "first")
        others = [name for i, name in enumerate(strength) if i % 7 != 2]
        enter(ladder, others, "only")
        first = int(played * LATER)
        records = cycle(list(records_of(seats, game)))
        _play(ladder, range(first), strength, rng, records)
        enter(ladder, [name for i, name in enumerate(strength) if i % 7 == 2], "second")
        _play(ladder, range(first, played), strength, rng, records)
        ladder.retire(list(strength)[-1])
        _plan(ladder, [*range(played, played + 1)], strength, rng)


def _names(count: int) -> list[str]:
    found: dict[str, None] = {}
    rng = random.Random(3)
    while len(found) < count:
        name = "".join(rng.choices(SYLLABLES, k=rng.choice((2, 2, 3))))
        found[name + rng.choice(("", "-2"))] = None
    return list(found)


def enter(ladder: Ladder, names: list[str], version: str) -> None:
    """Enter a version of each of these bots, as if it had been submitted."""
    with ladder.database.write() as tx:
        for i, name in enumerate(names):
            digest = hashlib.sha256(f"{name} {version}".encode()).hexdigest()
            bundle = ladder.home.bundle(digest)
            bundle.mkdir(parents=True)
            language = LANGUAGES[i % len(LANGUAGES)]
            (bundle / "bot.toml").write_text(
                f'name = "{name}"\ngames = ["courtisans", "miracles"]\n'
                'command = ["./start-me-up"]\n'
                f'language = "{language}"\ndescription = "Plays the <{i % 9}th> idea & no other"\n'
            )
            bots.enter(
                tx,
                Entry(name, digest, ("./start-me-up",), "grpc", ()),
                ValidationResult(rejected=None),
            )


def records_of(seats: int, game: str = "courtisans", count: int = RECORDS) -> Iterator[Any]:
    """Yield the records of some matches."""
    for i in range(count):
        setup = MatchSetup(
            match_id=f"template {i}", game=game, seats=seats, master_seed=f"seed {i}"
        )
        match = Match(setup)
        play(match, {i % seats: {2: sends(b"rubbish")}} if i % 8 == 5 else {})
        yield record_of(match, [SeatInfo(f"bot {seat}") for seat in range(seats)])


def _plan(
    ladder: Ladder, numbers: list[int], strength: dict[str, float], rng: random.Random
) -> list[PlannedMatch]:
    with ladder.database.write() as tx:
        playing = bots.active(tx)
        planned = [_planned(ladder, i, playing, strength, rng) for i in numbers]
        matches.add(tx, planned)
    return planned


def _planned(
    ladder: Ladder,
    number: int,
    playing: list[Version],
    strength: dict[str, float],
    rng: random.Random,
) -> PlannedMatch:
    a_round = max(1, len(playing) // ladder.settings.seats)
    seated = rng.sample(playing, min(ladder.settings.seats, len(playing)))
    seated.sort(key=lambda version: -strength[version.bot] - rng.gauss(0, 1))
    round_number, index = number // a_round + 1, number % a_round
    digests = [version.digest for version in seated]
    match_id = ids.public_match_id(ladder.settings.ladder_id, round_number, index, digests)
    empty = [None] * (ladder.settings.seats - len(seated))
    return PlannedMatch(match_id, round_number, index, (*seated, *empty))


def _play(
    ladder: Ladder, numbers: range, strength: dict[str, float], rng: random.Random, records: Any
) -> None:
    """Plan matches with the seats in the order of the bots' places, and store them as played."""
    with ladder.database.write() as tx:
        playing = bots.active(tx)
        for number in numbers:
            record = next(records)
            best_first = _planned(ladder, number, playing, strength, rng)
            order = sorted(range(len(record.outcomes)), key=lambda s: record.outcomes[s].rank)
            seated: list[Version | None] = [None] * len(order)
            for version, seat in zip(best_first.seats, order, strict=True):
                seated[seat] = version
            planned = PlannedMatch(
                best_first.match_id, best_first.round, best_first.index, tuple(seated)
            )
            matches.add(tx, [planned])
            record.match_id = planned.match_id
            for shown, taken in zip(record.seats, seated, strict=True):
                shown.name = taken.bot if taken else "stand-in"
            spec = MatchSpec(planned.match_id, ladder.settings.game, (None,) * len(seated), "")
            matches.finish(tx, pack(record, {}, spec))


if __name__ == "__main__":
    game, seats, count, played = sys.argv[2:]
    main(Path(sys.argv[1]), game, int(seats), int(count), int(played))
