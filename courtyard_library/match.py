"""Plays matches between bots in sandboxes, bots in this process, and the stand-in."""

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Self, TypeVar

from courtyard.v1 import record_pb2

from courtyard_library.records import Record
from courtyard_library.seats import Choose, Chooser, Configuration, InProcessBot, Player
from referee.core.clock import ClockConfig
from referee.core.errors import UsageError
from referee.games import game_named
from referee.games.base import Seat, seats_in_words
from referee.hosting.host import Host
from referee.hosting.manifest import load_manifest
from referee.hosting.match_runner import MatchSpec
from referee.hosting.running_bot import BotSpec, bot_spec_of
from referee.hosting.sample_bots import bot_folder
from referee.match.match import Match, MatchSetup
from referee.match.record import SeatInfo, record_of
from referee.sandbox.levels import open_sandbox
from referee.sandbox.program import Level

T = TypeVar("T")
Bot = str | Path | Choose | InProcessBot | None
"""Plays a seat. In a sandbox: a folder, or the name of a sample bot. In this process: a function
from a `View` to the index of an option, `kit(strategy)` or `search()`. None: the stand-in, at
random."""


class Table:
    """Bots at a table, who play match after match. A context manager: leaving it stops them."""

    def __init__(
        self,
        game: str,
        bots: Sequence[Bot],
        *,
        clock: ClockConfig | None = None,
        sandbox: str | None = None,
    ) -> None:
        """Seat the bots in this order; raise `UsageError` if one cannot play there.

        `clock` and `sandbox` (by default the strongest level) hold for bots in sandboxes; those in
        this process have all the time that they need.
        """
        allowed = game_named(game).seats
        if len(bots) not in allowed:
            raise UsageError(f"{game} has {seats_in_words(allowed)}, not {len(bots)}")
        self.game = game
        self._clock = clock or ClockConfig()
        self._bots = bots
        self._specs = tuple(_spec(game, bot) for bot in bots)
        self._kept = ExitStack()
        self._host: Host | None = None
        self._thread: ThreadPoolExecutor | None = None
        if any(self._specs):
            level = Level(sandbox) if sandbox else None
            self._host = self._kept.enter_context(Host(sandbox=open_sandbox(level)))

    def __enter__(self) -> Self:
        """Return the table itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every bot."""
        self.close()

    def close(self) -> None:
        """Stop every bot."""
        self._in_own_thread(self._kept.close)
        if self._thread is not None:
            self._thread.shutdown()

    def play(self, *, seed: str | None = None, config: Configuration | None = None) -> Record:
        """Play one match; the same seed gives the same deal.

        Raise `ConfigError` if the game rejects the configuration, `UsageError` if a player of this
        process answers with no option, and `RefereeError` if the match is void.
        """
        seed = secrets.token_hex(8) if seed is None else seed
        players: Mapping[Seat, Player] = {
            seat: bot.sit_down(self.game) if isinstance(bot, InProcessBot) else Chooser(bot)
            for seat, bot in enumerate(self._bots)
            if isinstance(bot, InProcessBot) or callable(bot)
        }
        match_id = secrets.token_hex(16)
        if (host := self._host) is None:
            names = frozenset(seat for seat in range(len(self._bots)) if seat not in players)
            setup = MatchSetup(
                match_id, self.game, len(self._bots), seed, config or {}, without_bot=names
            )
            return Record(_played(setup, players))
        spec = MatchSpec(match_id, self.game, self._specs, seed, config or {}, self._clock)
        return Record(self._in_own_thread(lambda: host.play(spec, players)))

    def _in_own_thread(self, act: Callable[[], T]) -> T:
        """Call this where no event loop runs: notebooks have one.

        It is one thread as long as the table stands, as bots end with the thread that starts them.
        """
        if self._thread is None:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return act()
            self._thread = ThreadPoolExecutor(1)
        return self._thread.submit(act).result()


def play(
    game: str,
    bots: Sequence[Bot],
    *,
    seed: str | None = None,
    config: Configuration | None = None,
    clock: ClockConfig | None = None,
    sandbox: str | None = None,
) -> Record:
    """Play one match at a table of its own; see `Table`."""
    with Table(game, bots, clock=clock, sandbox=sandbox) as table:
        return table.play(seed=seed, config=config)


def _spec(game: str, bot: Bot) -> BotSpec | None:
    """Return how to start a bot in a sandbox; None if it needs none."""
    if not isinstance(bot, str | Path):
        return None
    folder = bot_folder(bot, game) if isinstance(bot, str) else bot
    manifest = load_manifest(folder)
    if not manifest.plays(game):
        raise UsageError(f"{folder}: {manifest.name} plays {', '.join(manifest.games)}, not {game}")
    return bot_spec_of(manifest)


def _played(setup: MatchSetup, players: Mapping[Seat, Player]) -> record_pb2.Record:
    """Play a match without bots in sandboxes."""
    match = Match(setup)
    match.use_plain_dialect(seat for seat, player in players.items() if player.speaks_plain)
    while match.due is not None:
        players[match.due.seat].act(match)
    named = [players.get(seat) for seat in range(setup.seats)]
    return record_of(match, [SeatInfo(player.name) if player else None for player in named])
