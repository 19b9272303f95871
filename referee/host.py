"""Plays matches between bots in processes of their own, and keeps these warm in between.

Starting a Python bot costs as much as hundreds of decisions, so a bot plays match after match on
one stream. A bot that was late, broke the protocol or vanished is not kept.
"""

import asyncio
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import uvloop
from courtyard.v1 import record_pb2

from referee.bot import Entrant, RunningBot
from referee.clock import ClockConfig
from referee.errors import RefereeError
from referee.faults import BotFault, Fault, FaultKind
from referee.match import Match, MatchSetup, Request
from referee.record import Occupant, record_of
from referee.wire import envelope

_LONGEST_FOLDER = 80
"""A socket's path may have 107 bytes; below the folder come a random name and `seat.sock`."""

Player = RunningBot | BotFault | None
"""Who answers for a seat: a bot, nobody because it failed to start, or the stand-in."""


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """A match to play."""

    match_id: str
    game: str
    seats: tuple[Entrant | None, ...]
    """Who sits where; None: the stand-in."""
    master_seed: str
    config: Mapping[str, Any] = field(default_factory=dict)
    """The game's configuration: the fields that differ from its defaults."""
    clock: ClockConfig = ClockConfig()  # noqa: RUF009 -- frozen


class Host:
    """Plays one match at a time. A context manager: leaving it stops every bot."""

    def __init__(self, *, warm_bots: int = 16, tcp: bool = False) -> None:
        """Keep at most `warm_bots` idle processes; listen on Unix sockets, or on loopback TCP."""
        self._most_idle = warm_bots
        self._tcp = tcp
        self._idle: list[tuple[Entrant, RunningBot]] = []
        """Bots that wait for a match, the longest idle first."""
        self.printed: Mapping[int, str] = {}
        """The end of what each bot printed that forfeited the last match."""
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        self._folder = _socket_folder()

    def __enter__(self) -> Self:
        """Return the host itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop every bot."""
        self.close()

    def close(self) -> None:
        """Stop every bot and remove every folder."""
        try:
            self._runner.run(self._stop_idle(beyond=0))
        finally:
            self._runner.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def play(self, spec: MatchSpec) -> record_pb2.Record:
        """Play a match to its end and return its record; `RefereeError` if it is void.

        Raise `ConfigError` if the game cannot be played so.
        """
        match = self._runner.run(self._play(spec))
        return record_of(match, [_occupant(entrant) for entrant in spec.seats])

    async def _play(self, spec: MatchSpec) -> Match:
        without_bot = frozenset(i for i, entrant in enumerate(spec.seats) if entrant is None)
        match = Match(
            MatchSetup(
                match_id=spec.match_id,
                game=spec.game,
                seats=len(spec.seats),
                master_seed=spec.master_seed,
                config=spec.config,
                clock=spec.clock,
                without_bot=without_bot,
            )
        )
        players: list[Player] = [None] * len(spec.seats)
        try:
            await self._seat(spec, players)
            await _drive(match, players)
        finally:
            await self._release(spec.seats, players)
        self.printed = {
            seat: player.output() if isinstance(player, RunningBot) else player.printed
            for seat, player in enumerate(players)
            if player is not None and match.outcomes[seat].forfeit
        }
        return match

    async def _seat(self, spec: MatchSpec, players: list[Player]) -> None:
        """Fill in a warm bot for each seat that has an entrant, starting those that are missing."""

        async def fill(seat: int, entrant: Entrant) -> None:
            try:
                players[seat] = await RunningBot.start(
                    entrant, spec.clock.startup_ms, self._folder, tcp=self._tcp
                )
            except BotFault as error:
                players[seat] = error
            except OSError as error:
                raise RefereeError(f"a bot cannot be started here: {error.strerror}") from error

        starting = []
        for seat, entrant in enumerate(spec.seats):
            if entrant is not None:
                players[seat] = await self._take_idle(entrant)
                if players[seat] is None:
                    starting.append(fill(seat, entrant))
        for failure in await asyncio.gather(*starting, return_exceptions=True):
            if failure is not None:
                raise failure

    async def _take_idle(self, entrant: Entrant) -> RunningBot | None:
        """Return a bot that waits for a match; one that ended meanwhile is put away."""
        for idle, bot in list(self._idle):
            if idle == entrant:
                self._idle.remove((idle, bot))
                if not bot.has_ended():
                    return bot
                await bot.stop()
        return None

    async def _release(self, entrants: Sequence[Entrant | None], players: Sequence[Player]) -> None:
        for entrant, player in zip(entrants, players, strict=True):
            if entrant is not None and isinstance(player, RunningBot):
                if player.usable:
                    self._idle.append((entrant, player))
                else:
                    await player.stop()
        await self._stop_idle(beyond=self._most_idle)

    async def _stop_idle(self, beyond: int) -> None:
        surplus = self._idle[: max(0, len(self._idle) - beyond)]
        del self._idle[: len(surplus)]
        for _, bot in surplus:
            await bot.stop()


async def _drive(match: Match, players: Sequence[Player]) -> None:
    """Carry a match's requests to its bots and their answers back, to its end."""
    while (due := match.due) is not None:
        player = players[due.seat]
        if isinstance(player, BotFault):
            match.forfeit(player.fault, 0)
        elif player is not None:
            await _decide(match, due, player)
    for player, ending in zip(players, match.endings(), strict=True):
        if isinstance(player, RunningBot) and player.usable:
            await player.tell(ending)


async def _decide(match: Match, due: Request, bot: RunningBot) -> None:
    """Get one decision from the bot that is due, or let it forfeit."""
    bot.usable = False  # whatever interrupts this leaves an answer under way
    reply, elapsed_us = await bot.ask(due)
    fault: Fault | None
    if isinstance(reply, Fault):
        fault = reply
        match.forfeit(reply, elapsed_us)
    else:
        fault = match.answer(reply, elapsed_us)
    bot.usable = fault is None or fault.kind is FaultKind.ILLEGAL_ACTION
    if fault is not None:
        await bot.tell(envelope.told_fault(match.setup.match_id, fault))


def _occupant(entrant: Entrant | None) -> Occupant | None:
    if entrant is None:
        return None
    return Occupant(entrant.name, entrant.version, entrant.digest)


def _socket_folder() -> Path:
    """Make a private folder whose path is short enough to hold sockets."""
    folder = Path(tempfile.mkdtemp(prefix="courtyard-"))
    if len(str(folder)) <= _LONGEST_FOLDER:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="courtyard-", dir="/tmp"))
