"""Statistics of many random games: how they end, how long they take, which seat wins."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from referee.core.spawning import spawning
from referee.games import game_named
from referee.games.base import Game
from referee.games.randomness import Stream

_GAMES_A_JOB = 50


@dataclass(slots=True)
class GameStatistics:
    """Counts over games with one number of seats."""

    seats: int
    games: int = 0
    endings: Counter[str] = field(default_factory=Counter)
    """Number of games by ending, in the game's words."""
    rounds: int = 0
    """Total number of rounds."""
    decisions: int = 0
    wins: list[float] = field(default_factory=list)
    """Wins by seat in turn order, the starting seat first; k winners share one win."""

    def __add__(self, other: "GameStatistics") -> "GameStatistics":
        """Return the sum of both."""
        return GameStatistics(
            seats=self.seats,
            games=self.games + other.games,
            endings=self.endings + other.endings,
            rounds=self.rounds + other.rounds,
            decisions=self.decisions + other.decisions,
            wins=[a + b for a, b in zip(self.wins, other.wins, strict=True)],
        )


def survey(
    game: str,
    seats: int,
    games: int,
    seed: str,
    settings: Mapping[str, Any],
    processes: int,
    advance: Callable[[int], None],
) -> GameStatistics:
    """Play random games and count; call `advance` with the number of games just played.

    `settings` holds the configuration fields that differ from the game's defaults.
    """
    jobs = [range(i, min(i + _GAMES_A_JOB, games)) for i in range(0, games, _GAMES_A_JOB)]
    with ProcessPoolExecutor(processes, mp_context=spawning()) as pool:
        running = [pool.submit(play_some, game, seats, seed, settings, job) for job in jobs]
        try:
            for done in as_completed(running):
                advance(done.result().games)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return reduce(GameStatistics.__add__, [done.result() for done in running])


def play_some(
    name: str, seats: int, seed: str, settings: Mapping[str, Any], numbers: Iterable[int]
) -> GameStatistics:
    """Play the games of these numbers and count."""
    game = game_named(name)
    config = game.config(settings)
    total = GameStatistics(seats, wins=[0.0] * seats)
    for number in numbers:
        total += _play_one(game, config, seats, seed, str(number))
    return total


def _play_one(game: Game, config: Any, seats: int, seed: str, number: str) -> GameStatistics:
    deal = game.deal(config, seats, Stream(seed, "survey deal", number))
    state = game.initial_state(config, seats, deal)
    stream = Stream(seed, "survey actions", number)
    first, decisions = state.to_act or 0, 0
    while state.to_act is not None:
        state, _ = state.apply(state.random_action(stream))
        decisions += 1
    ranks = state.ranks()
    share = 1 / ranks.count(1)
    return GameStatistics(
        seats=seats,
        games=1,
        endings=Counter([state.ending()]),
        rounds=state.rounds(),
        decisions=decisions,
        wins=[share if ranks[(first + i) % seats] == 1 else 0.0 for i in range(seats)],
    )
